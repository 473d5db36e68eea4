#pragma once
// Array: a view of typed bytes with dims and strides. Copies share the bytes, like NumPy's views.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/dims.h"
#include "engine/core/dtype.h"
#include "engine/core/storage.h"
#include "engine/core/type.h"

namespace hypatia {

/// A value: what constants hold, calls take and return. It may lie on a device; reading its
/// elements from there needs `asarray` first. A result that is still being computed is waited for
/// by the first read of its elements.
class Array {
 public:
  /// Empty: a float64 vector of no elements.
  Array();

  /// Uninitialised host memory, row-major.
  Array(DType dtype, const Dims& dims);
  /// A view of storage: strides and offset in bytes.
  Array(
      Ref<Storage> storage,
      DType dtype,
      const Dims& dims,
      const Dims& strides,
      std::int64_t offset);

  /// 0-d values.
  Array(double value);        // NOLINT(google-explicit-constructor): numbers are arguments
  Array(float value);         // NOLINT(google-explicit-constructor)
  Array(int value);           // NOLINT(google-explicit-constructor): int32, as NumPy's intc
  Array(std::int64_t value);  // NOLINT(google-explicit-constructor)
  Array(long long value);     // NOLINT(google-explicit-constructor): int64
  Array(unsigned value);      // NOLINT(google-explicit-constructor): uint32
  // The other integers: uint64.
  Array(unsigned long value);       // NOLINT(google-explicit-constructor)
  Array(unsigned long long value);  // NOLINT(google-explicit-constructor)
  Array(bool value);                // NOLINT(google-explicit-constructor)

  /// Vectors and matrices of doubles: Array({1, 2, 3}), Array({{1, 2}, {3, 4}}).
  Array(std::initializer_list<double> values);                       // NOLINT
  Array(std::initializer_list<std::initializer_list<double>> rows);  // NOLINT

  /// A copy of a program's numbers as a vector.
  template <class T>

  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)

      // NOLINTNEXTLINE(google-explicit-constructor): numbers are arguments
      Array(const std::vector<T>& values)
      : Array(of(std::span<const T>(values))) {}

  /// A copy of the values as a vector.
  template <class T>
  static Array of(std::span<const T> values);
  template <class T>
  static Array of(std::initializer_list<T> values);

  static Array zeros(DType dtype, const Dims& dims);
  static Array ones(DType dtype, const Dims& dims);
  static Array full(DType dtype, const Dims& dims, double value);
  /// 0, 1, … n-1.
  static Array arange(std::int64_t n, DType dtype = DType::int64);
  static Array eye(std::int64_t n, DType dtype = DType::float64);
  /// A view of memory that the caller owns and keeps alive, row-major.
  template <class T>
  static Array borrow(T* data, const Dims& dims);

  DType dtype() const { return dtype_; }

  const Dims& dims() const { return dims_; }

  /// The size of an axis; negative axes count from the end.
  std::int64_t dim(int axis) const;

  int rank() const { return dims_.rank(); }

  std::int64_t elements() const { return hypatia::elements(dims_); }

  /// In bytes; may be negative or zero.
  const Dims& strides() const { return strides_; }

  std::int64_t offset() const { return offset_; }

  std::size_t bytes() const;

  const Ref<Storage>& storage() const { return storage_; }

  Place place() const { return storage_->place(); }

  bool on_host() const { return place().on_host(); }

  /// True of row-major arrays without gaps.
  bool contiguous() const;

  Type type() const { return Type(dtype_, dims_).with_place(place()); }

  /// The first element's address, untyped, without waiting; in the storage's own address space.
  void* address() const { return static_cast<char*>(storage_->data()) + offset_; }

  /// The first element. Waits for a pending result. Throws Error on another dtype or on a device.
  template <class T>
  T* data() const;
  /// The elements of a contiguous array.
  template <class T>
  std::span<T> span() const;
  /// The element at an index, converted: a.at({2, 3}).
  double at(std::initializer_list<std::int64_t> index) const;
  /// The only element, converted; throws Error if there are several.
  double item() const;
  /// Every element in row-major order, converted.
  std::vector<double> to_vector() const;

  /// Returns once the value is there; results of GPU functions come back before they are computed.
  void sync() const { storage_->wait(); }

  Array astype(DType dtype) const;
  /// A row-major copy on the host.
  Array copy() const;
  /// Itself if contiguous and on the host, else a copy.
  Array contiguous_on_host() const;
  /// Another shape of the same elements; a view where possible. One size may be -1.
  Array reshape(const Dims& dims) const;
  Array transpose() const;
  /// The sub-array at `index` of the first axis; negative counts from the end.
  Array operator[](std::int64_t index) const;
  /// Elements first, first+step, … before last of an axis, as a view. Negative bounds count from
  /// the end and bounds beyond an end mean that end, as in Python: slice(0, -1, INT64_MIN, -1)
  /// reverses.
  Array slice(int axis, std::int64_t first, std::int64_t last, std::int64_t step = 1) const;

 private:
  void require(DType wanted) const;
  void require_contiguous() const;

  Ref<Storage> storage_;
  DType dtype_ = DType::float64;
  Dims dims_, strides_;
  std::int64_t offset_ = 0;
};

/// Copies elements with conversion between host arrays of equal dims.
void copy_elements(const Array& from, const Array& to);
/// The value on the host: itself, or a copy of a device array.
Array asarray(const Array& value);
/// NumPy's print: 8 significant decimals, summarised above 1000 elements, 75 columns.
std::string to_text(const Array& value);
/// True if dtype, dims and every element are equal; NaN equals NaN.
bool same_elements(const Array& a, const Array& b);
/// True if |a-b| <= atol + rtol·|b| everywhere; NaN equals NaN. Defaults by dtype: float64 1e-5 and
/// 1e-8, float32 1e-5 and 1e-5.
bool all_close(const Array& a, const Array& b, double rtol = -1, double atol = -1);

template <class T>
T* Array::data() const {
  require(dtype_of<T>);
  storage_->wait();
  return static_cast<T*>(address());
}

template <class T>
std::span<T> Array::span() const {
  require_contiguous();
  return {data<T>(), static_cast<std::size_t>(elements())};
}

template <class T>
Array Array::of(std::span<const T> values) {
  Array a(dtype_of<T>, Dims{static_cast<std::int64_t>(values.size())});
  T* to = a.data<T>();
  for (const T& v : values)
    *to++ = v;
  return a;
}

template <class T>
Array Array::of(std::initializer_list<T> values) {
  return of(std::span<const T>(values.begin(), values.size()));
}

template <class T>
Array Array::borrow(T* data, const Dims& dims) {
  const std::size_t bytes = static_cast<std::size_t>(hypatia::elements(dims)) * sizeof(T);
  Dims strides = row_major(dims);
  for (std::int64_t& s : strides)
    s *= static_cast<std::int64_t>(sizeof(T));
  return Array(borrow_host(data, bytes), dtype_of<T>, dims, strides, 0);
}

}  // namespace hypatia
