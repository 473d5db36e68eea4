#pragma once
// What is known of a value before it exists: dtype, rank, which axes broadcast, sizes, and place.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/dims.h"
#include "engine/core/dtype.h"

namespace hypatia {

/// Where a value lives: the host, or one of the contexts (0 is the default one, printed as None).
struct Place {
  std::int8_t context = -1;

  bool on_host() const { return context < 0; }

  bool operator==(const Place& other) const { return context == other.context; }
};

inline constexpr Place host{};

/// The type of a Variable. A size is unknown_dim until it is known; a broadcastable axis has size
/// 1 for ever, and only such axes stretch in elementwise work.
class Type {
 public:
  Type() = default;
  /// All axes of unknown size, none broadcastable.
  Type(DType dtype, int rank);
  /// Known or unknown sizes, none broadcastable.
  Type(DType dtype, const Dims& dims);
  /// One axis an entry: true promises size 1.
  static Type of_pattern(DType dtype, const std::vector<bool>& broadcastable);

  DType dtype() const { return dtype_; }

  int rank() const { return dims_.rank(); }

  const Dims& dims() const { return dims_; }

  bool broadcastable(int axis) const { return (pattern_ >> axis) & 1U; }

  std::vector<bool> broadcastable() const;

  Place place() const { return place_; }

  /// True when every size is known.
  bool known() const;

  Type with_dtype(DType dtype) const;
  Type with_place(Place place) const;
  /// The same type with these sizes; throws Error where they contradict what is known.
  Type with_dims(const Dims& dims) const;
  /// Appends an axis.
  void push_axis(std::int64_t size, bool broadcastable);

  /// Equal dtype, rank, pattern and place. Sizes are not compared: they only grow more precise.
  bool same(const Type& other) const;
  /// Equal in every respect, sizes too.
  bool operator==(const Type& other) const;

 private:
  Dims dims_;
  DType dtype_ = DType::float64;
  std::uint8_t pattern_ = 0;
  Place place_;
};

/// "TensorType(float64, vector)", "TensorType(float32, (True, False))",
/// "GpuArrayType<None>(float32, (False,))".
std::string to_text(const Type& type);
/// "float32[?, 784]": the short form of error messages.
std::string brief(const Type& type);

}  // namespace hypatia
