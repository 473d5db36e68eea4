#pragma once
// A short list of sizes: the dims or strides of an array, kept in place (rank at most 8).

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace hypatia {

inline constexpr int max_rank = 8;
inline constexpr std::int64_t unknown_dim = -1;

/// Sizes per axis, first axis first. Throws Error beyond rank 8.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> sizes);
  explicit Dims(std::span<const std::int64_t> sizes);
  /// `rank` axes of size `fill`.
  static Dims filled(int rank, std::int64_t fill);

  int rank() const { return rank_; }

  int size() const { return rank_; }

  bool empty() const { return rank_ == 0; }

  std::int64_t& operator[](int axis) { return size_[static_cast<std::size_t>(axis)]; }

  std::int64_t operator[](int axis) const { return size_[static_cast<std::size_t>(axis)]; }

  std::int64_t* begin() { return size_.data(); }

  std::int64_t* end() { return size_.data() + rank_; }

  const std::int64_t* begin() const { return size_.data(); }

  const std::int64_t* end() const { return size_.data() + rank_; }

  void push_back(std::int64_t size);
  void erase(int axis);
  void insert(int axis, std::int64_t size);

  bool operator==(const Dims& other) const;

 private:
  std::array<std::int64_t, max_rank> size_{};
  int rank_ = 0;
};

/// Product of the sizes; 1 for rank 0.
std::int64_t elements(const Dims& dims);
/// Row-major strides in elements.
Dims row_major(const Dims& dims);
/// "(3, 4)", "(3,)", "()"; unknown sizes print as "?".
std::string to_text(const Dims& dims);

}  // namespace hypatia
