// The generator itself, its floats and its integers. Every draw keeps NumPy's order of words.

#include "engine/core/random_state.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/random_fill.h"

namespace hypatia {

namespace {

constexpr std::size_t middle = 397;

std::uint32_t twist(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t y = (high & 0x80000000U) | (low & 0x7fffffffU);
  return (y >> 1) ^ ((y & 1U) ? 0x9908b0dfU : 0U);
}

std::uint64_t mask_for(std::uint64_t last) {
  return last == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(last);
}

/// Pieces of `bits` bits cut from words, lowest first, as NumPy feeds its small integers.
class Pieces {
 public:
  Pieces(RandomState& random, unsigned bits) : random_(random), bits_(bits) {}

  std::uint32_t next() {
    if (left_ == 0) {
      word_ = random_.next_word();
      left_ = 32 / bits_;
    }
    const std::uint32_t piece = bits_ == 32 ? word_ : word_ & ((1U << bits_) - 1);
    word_ = bits_ == 32 ? 0 : word_ >> bits_;
    --left_;
    return piece;
  }

 private:
  RandomState& random_;
  unsigned bits_, left_ = 0;
  std::uint32_t word_ = 0;
};

void check_integers(std::int64_t low, std::int64_t high, DType dtype) {
  if (is_float(dtype)) {
    throw Error(
        Error::Kind::dtype,
        "randint draws integers, and " + std::string(name(dtype)) + " was asked for",
        "draw floats by rand or uniform");
  }
  if (low >= high) {
    throw Error(
        Error::Kind::value,
        "randint wants low < high, and " + std::to_string(low) + " and " + std::to_string(high) +
            " came",
        "high itself is never drawn");
  }
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::numeric_limits<T>::is_integer) {
      const bool fits =
          std::is_same_v<T, bool> ? low >= 0 && high <= 2
          : std::is_unsigned_v<T>
              ? low >= 0 && static_cast<std::uint64_t>(high - 1) <= std::numeric_limits<T>::max()
              : low >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                    high - 1 <= static_cast<std::int64_t>(std::numeric_limits<T>::max());
      if (fits) return;
      throw Error(
          Error::Kind::value,
          "numbers from " + std::to_string(low) + " to " + std::to_string(high - 1) +
              " don't fit into " + std::string(name(dtype)),
          "draw them as int64");
    }
  });
}

void check_not_negative(double value, const char* what) {
  if (value >= 0) return;
  throw Error(
      Error::Kind::value,
      std::string(what) + " is 0 or more, and " + to_text(Array(value)) + " came");
}

}  // namespace

RandomState::RandomState(std::int64_t seed_value) {
  if (seed_value < 0 || seed_value > 0xffffffffLL) {
    throw Error(
        Error::Kind::value,
        "the seed " + std::to_string(seed_value) + " is not between 0 and 2^32 - 1");
  }
  seed(static_cast<std::uint32_t>(seed_value));
}

RandomState::RandomState(std::initializer_list<std::uint32_t> key)
    : RandomState(std::span(key.begin(), key.size())) {}

RandomState::RandomState(std::span<const std::uint32_t> key) {
  if (key.empty()) throw Error(Error::Kind::value, "a seed of several words can't be empty");
  seed(key);
}

void RandomState::seed(std::uint32_t value) {
  for (std::size_t i = 0; i < words; ++i) {
    state_[i] = value;
    value = 1812433253U * (value ^ (value >> 30)) + static_cast<std::uint32_t>(i) + 1;
  }
}

void RandomState::seed(std::span<const std::uint32_t> key) {
  seed(19650218U);
  std::size_t i = 1, j = 0;
  const auto previous = [&] { return state_[i - 1] ^ (state_[i - 1] >> 30); };
  const auto advance = [&] {
    if (++i < words) return;
    state_[0] = state_[words - 1];
    i = 1;
  };
  for (std::size_t k = std::max(words, key.size()); k > 0; --k) {
    state_[i] = (state_[i] ^ (previous() * 1664525U)) + key[j] + static_cast<std::uint32_t>(j);
    advance();
    j = (j + 1) % key.size();
  }
  for (std::size_t k = words - 1; k > 0; --k) {
    state_[i] = (state_[i] ^ (previous() * 1566083941U)) - static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000U;
}

void RandomState::refill() {
  for (std::size_t i = 0; i < words - middle; ++i)
    state_[i] = state_[i + middle] ^ twist(state_[i], state_[i + 1]);
  for (std::size_t i = words - middle; i < words - 1; ++i)
    state_[i] = state_[i + middle - words] ^ twist(state_[i], state_[i + 1]);
  state_[words - 1] = state_[middle - 1] ^ twist(state_[words - 1], state_[0]);
  position_ = 0;
}

std::uint32_t RandomState::next_word() {
  if (position_ == words) refill();
  std::uint32_t y = state_[position_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

std::uint64_t RandomState::next_long() {
  const std::uint64_t high = next_word();
  return high << 32 | next_word();
}

double RandomState::next_double() {
  const std::uint32_t high = next_word() >> 5, low = next_word() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint64_t RandomState::below(std::uint64_t last) {
  if (last == 0) return 0;
  const std::uint64_t mask = mask_for(last);
  while (true) {
    const std::uint64_t value = (last <= 0xffffffffU ? next_word() : next_long()) & mask;
    if (value <= last) return value;
  }
}

// The polar method makes two; the first of the pair is returned second.
double RandomState::next_normal() {
  if (has_saved_normal_) {
    has_saved_normal_ = false;
    return saved_normal_;
  }
  while (true) {
    const double x = 2 * next_double() - 1, y = 2 * next_double() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    const double factor = std::sqrt(-2 * std::log(square) / square);
    saved_normal_ = factor * x;
    has_saved_normal_ = true;
    return factor * y;
  }
}

double RandomState::next_exponential() {
  return -std::log(1 - next_double());
}

Array RandomState::rand(const Dims& dims) {
  return filled(dims, [this] { return next_double(); });
}

Array RandomState::randn(const Dims& dims) {
  return filled(dims, [this] { return next_normal(); });
}

Array RandomState::uniform(double low, double high, const Dims& dims) {
  const double range = high - low;
  if (!std::isfinite(range)) {
    throw Error(
        Error::Kind::value, "uniform wants two finite bounds whose difference is finite too");
  }
  return filled(dims, [&] { return low + range * next_double(); });
}

Array RandomState::normal(double mean, double deviation, const Dims& dims) {
  check_not_negative(deviation, "a standard deviation");
  return filled(dims, [&] { return mean + deviation * next_normal(); });
}

Array RandomState::exponential(double scale, const Dims& dims) {
  check_not_negative(scale, "a scale");
  return filled(dims, [&] { return scale * next_exponential(); });
}

Array RandomState::randint(std::int64_t low, std::int64_t high, const Dims& dims, DType dtype) {
  check_integers(low, high, dtype);
  Array a(dtype, dims);
  const std::uint64_t last = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
  Pieces pieces(
      *this,
      dtype == DType::boolean ? 1 : std::min(8U * static_cast<unsigned>(size_of(dtype)), 32U));
  const auto mask = static_cast<std::uint32_t>(mask_for(last));
  const auto draw = [&]() -> std::uint64_t {
    if (last == 0) return 0;
    if (last > 0xffffffffU) return below(last);
    while (true) {
      const std::uint32_t value = pieces.next() & mask;
      if (value <= last) return value;
    }
  };
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& v : a.span<T>())
      v = static_cast<T>(static_cast<std::uint64_t>(low) + draw());
  });
  return a;
}

std::int64_t RandomState::randint(std::int64_t low, std::int64_t high) {
  return *randint(low, high, Dims{}).data<std::int64_t>();
}

}  // namespace hypatia
