#pragma once
// Calls that a device answers with a library: matrix products and convolutions.

#include <array>
#include <cstdint>
#include <string>

#include "engine/core/counted.h"
#include "engine/core/dtype.h"
#include "engine/core/ref.h"

namespace hypatia {

/// c = alpha · a·b + beta · c over batches. Strides are in elements and per axis, so that
/// transposes and sub-matrices need no copy; float32 or float64. Addresses are the device's.
struct MatrixProduct {
  DType dtype = DType::float32;
  std::int64_t m = 1, n = 1, k = 1;  // a is m×k, b is k×n, c is m×n
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t a_row = 0, a_column = 1, b_row = 0, b_column = 1, c_row = 0, c_column = 1;
  std::int64_t batches = 1, a_batch = 0, b_batch = 0, c_batch = 0;
  double alpha = 1, beta = 0;
};

/// Images (batch, channels, rows, columns) and filters (outputs, channels, rows, columns), which
/// are turned by half a circle, give results (batch, outputs, rows, columns); or one of the two
/// transposes of that. All are row-major without gaps and have elements; float32 or float64.
struct Convolution {
  enum class Makes : std::uint8_t { results, images, filters };

  Makes makes = Makes::results;
  DType dtype = DType::float32;
  std::array<std::int64_t, 4> images{}, filters{}, results{};
  std::array<std::int64_t, 2> padding{}, stride{1, 1};  // of rows and columns

  auto operator<=>(const Convolution&) const = default;
};

/// How a device's library runs one convolution: decided once, then run any number of times.
class LibraryConvolution : public Counted {
 public:
  virtual ~LibraryConvolution() = default;

  /// The library and its algorithm: "cuDNN implicit_gemm".
  virtual const std::string& name() const = 0;
  /// Bytes of device memory that a run needs beside its operands.
  virtual std::size_t workspace() const = 0;
};

inline void retain(const LibraryConvolution* c) {
  c->add_owner();
}

inline void release(const LibraryConvolution* c) {
  if (c->drop_owner()) delete c;
}

/// What a device says to a convolution: how its library runs it; or null, and why in one clause,
/// which is empty where it has no such library at all.
struct FoundConvolution {
  Ref<const LibraryConvolution> how;
  std::string reason;
};

/// Addresses on the device. The operands come in the order images, filters, results, without the
/// one that is made.
struct ConvolutionMemory {
  const void* first = nullptr;
  const void* second = nullptr;
  void* made = nullptr;
  void* workspace = nullptr;
};

}  // namespace hypatia
