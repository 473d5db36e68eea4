#pragma once
// Random numbers for data, equal to the bit to NumPy's legacy RandomState of the same seed.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "engine/core/array.h"

namespace hypatia {

/// A Mersenne Twister and the draws that NumPy's users know. Copying it copies its state, so that a
/// copy repeats what follows. One thread at a time.
class RandomState {
 public:
  /// A seed of 0 to 2^32 - 1; throws Error on others.
  explicit RandomState(std::int64_t seed);
  /// A seed of several words, as NumPy takes a list.
  RandomState(std::initializer_list<std::uint32_t> seed);
  explicit RandomState(std::span<const std::uint32_t> seed);

  /// The raw draws: 32 random bits, 64, and 53 as a double in [0, 1).
  std::uint32_t next_word();
  std::uint64_t next_long();
  double next_double();

  /// float64 in [0, 1).
  Array rand(const Dims& dims);
  /// float64 of mean 0 and standard deviation 1.
  Array randn(const Dims& dims);
  Array uniform(double low, double high, const Dims& dims);
  Array normal(double mean, double deviation, const Dims& dims);
  Array exponential(double scale, const Dims& dims);
  Array gamma(double shape, double scale, const Dims& dims);
  Array beta(double a, double b, const Dims& dims);
  /// int64 counts of successes in `trials`.
  Array binomial(std::int64_t trials, double probability, const Dims& dims);
  Array poisson(double mean, const Dims& dims);
  /// int64 counts per outcome, shape dims + (probabilities,); the probabilities sum to 1.
  Array multinomial(std::int64_t trials, std::span<const double> probabilities, const Dims& dims);

  /// Integers of low, … high-1, of any integer dtype or bool.
  Array randint(std::int64_t low, std::int64_t high, const Dims& dims, DType dtype = DType::int64);
  std::int64_t randint(std::int64_t low, std::int64_t high);

  /// 0, … n-1 in random order, int64.
  Array permutation(std::int64_t n);
  /// A copy with the entries of the first axis in random order.
  Array permutation(const Array& values);
  /// Reorders the entries of the first axis in place.
  void shuffle(Array& values);
  /// Draws of 0, … n-1, int64; probabilities of n entries sum to 1, none means equal ones.
  Array choice(
      std::int64_t n,
      const Dims& dims,
      bool replace = true,
      std::span<const double> probabilities = {});
  /// Draws of entries of a vector.
  Array choice(
      const Array& values,
      const Dims& dims,
      bool replace = true,
      std::span<const double> probabilities = {});

 private:
  void seed(std::uint32_t seed);
  void seed(std::span<const std::uint32_t> key);
  void refill();
  std::uint64_t below(std::uint64_t last);  // 0, … last
  double next_normal();
  double next_exponential();
  double next_gamma(double shape);
  double next_beta(double a, double b);
  std::int64_t next_poisson(double mean);
  std::int64_t next_binomial(std::int64_t trials, double probability);
  std::int64_t binomial_by_inversion(std::int64_t trials, double probability);
  std::int64_t binomial_by_rejection(std::int64_t trials, double probability);
  void shuffle_indices(std::span<std::int64_t> indices);
  void draw_distinct(std::span<std::int64_t> found, std::span<const double> probabilities);

  static constexpr std::size_t words = 624;

  std::array<std::uint32_t, words> state_;
  std::size_t position_ = words;
  double saved_normal_ = 0;
  bool has_saved_normal_ = false;
};

}  // namespace hypatia
