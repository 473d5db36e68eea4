// Draws that reject: gamma, beta, Poisson and binomial, in the order of operations that makes them
// equal NumPy's to the last bit.

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/random_fill.h"
#include "engine/core/random_state.h"

namespace hypatia {

namespace {

void check(bool good, const char* expected, double got) {
  if (good) return;
  throw Error(Error::Kind::value, std::string(expected) + ", and " + to_text(Array(got)) + " came");
}

void check_probability(double p) {
  check(p >= 0 && p <= 1, "a probability lies between 0 and 1", p);
}

/// ln Γ(x), x >= 1: Stirling's series from 7 upwards, as in Zhang and Jin's SPECFUN. The standard
/// library's differs in the last bits, and so would the draws.
double log_gamma(double x) {
  constexpr double series[] = {
      8.333333333333333e-02,
      -2.777777777777778e-03,
      7.936507936507937e-04,
      -5.952380952380952e-04,
      8.417508417508418e-04,
      -1.917526917526918e-03,
      6.410256410256410e-03,
      -2.955065359477124e-02,
      1.796443723688307e-01,
      -1.39243221690590e+00,
  };
  if (x == 1 || x == 2) return 0;
  const auto shift = static_cast<std::int64_t>(x <= 7 ? 7 - x : 0);
  double at = x + static_cast<double>(shift);
  const double square = 1 / (at * at);
  double sum = series[9];
  for (int k = 8; k >= 0; --k)
    sum = sum * square + series[k];
  double result = sum / at + 0.5 * std::log(2 * M_PI) + (at - 0.5) * std::log(at) - at;
  for (std::int64_t k = 0; k < shift; ++k, at -= 1)
    result -= std::log(at - 1);
  return result;
}

/// The tail of Stirling's series of ln x!, of the binomial's last test.
double stirling_tail(double x) {
  const double s = x * x;
  return (13680. - (462. - (132. - (99. - 140. / s) / s) / s) / s) / x / 166320.;
}

/// Kachitvichyanukul and Schmeiser's BTPE: a triangle, a parallelogram and two exponential tails
/// above the binomial, p <= 1/2.
struct Hull {
  double n, r, q, centre, half, mode, left, right, slope, left_rate, right_rate;
  double p2, p3, p4;  // areas up to the second, third and fourth region; the first's is `half`

  Hull(std::int64_t trials, double p)
      : n(static_cast<double>(trials)), r(std::min(p, 1.0 - p)), q(1.0 - r) {
    const double mean = n * r + r;
    mode = std::floor(mean);
    half = std::floor(2.195 * std::sqrt(n * r * q) - 4.6 * q) + 0.5;
    centre = mode + 0.5;
    left = centre - half;
    right = centre + half;
    slope = 0.134 + 20.5 / (15.3 + mode);
    const double a = (mean - left) / (mean - left * r), b = (right - mean) / (right * q);
    left_rate = a * (1.0 + a / 2.0);
    right_rate = b * (1.0 + b / 2.0);
    p2 = half * (1.0 + 2.0 * slope);
    p3 = p2 + slope / left_rate;
    p4 = p3 + slope / right_rate;
  }

  /// Whether y, drawn with height v below the hull, lies below the binomial too.
  bool accepts(double y, double v) const {
    const double k = std::abs(y - mode), variance = n * r * q;
    if (k <= 20 || k >= variance / 2.0 - 1) return v <= ratio(y);
    const double rho =
        (k / variance) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / variance + 0.5);
    const double t = -k * k / (2 * variance), height = std::log(v);
    if (height < t - rho) return true;
    if (height > t + rho) return false;
    const double x1 = y + 1, f1 = mode + 1, z = n + 1 - mode, w = n - y + 1;
    return height <= centre * std::log(f1 / x1) + (n - mode + 0.5) * std::log(z / w) +
                         (y - mode) * std::log(w * r / (x1 * q)) + stirling_tail(f1) +
                         stirling_tail(z) + stirling_tail(x1) + stirling_tail(w);
  }

 private:
  /// The binomial at y over the binomial at its mode.
  double ratio(double y) const {
    const double s = r / q, a = s * (n + 1);
    double f = 1;
    for (double i = mode + 1; i <= y; ++i)
      f *= a / i - s;
    for (double i = y + 1; i <= mode; ++i)
      f /= a / i - s;
    return f;
  }
};

}  // namespace

// Marsaglia and Tsang's method from shape 1 upwards, Ahrens and Dieter's below.
double RandomState::next_gamma(double shape) {
  if (shape == 1) return next_exponential();
  if (shape == 0) return 0;
  if (shape < 1) {
    while (true) {
      const double u = next_double(), v = next_exponential();
      if (u <= 1 - shape) {
        const double x = std::pow(u, 1 / shape);
        if (x <= v) return x;
      } else {
        const double y = -std::log((1 - u) / shape);
        const double x = std::pow(1 - shape + shape * y, 1 / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const double b = shape - 1. / 3., c = 1 / std::sqrt(9 * b);
  while (true) {
    double x, v;
    do {
      x = next_normal();
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    const double u = next_double();
    if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v))) return b * v;
  }
}

double RandomState::next_beta(double a, double b) {
  if (a > 1 || b > 1) {
    const double x = next_gamma(a), y = next_gamma(b);
    return x / (x + y);
  }
  while (true) {  // Jöhnk's method
    const double u = next_double(), v = next_double();
    const double x = std::pow(u, 1 / a), y = std::pow(v, 1 / b);
    if (x + y > 1) continue;
    if (x + y > 0) return x / (x + y);
    const double log_x = std::log(u) / a, log_y = std::log(v) / b, most = std::max(log_x, log_y);
    return std::exp(log_x - most - std::log(std::exp(log_x - most) + std::exp(log_y - most)));
  }
}

// Products of uniform numbers for small means, Hörmann's transformed rejection (PTRS) from 10 on.
std::int64_t RandomState::next_poisson(double mean) {
  if (mean == 0) return 0;
  if (mean < 10) {
    const double end = std::exp(-mean);
    std::int64_t count = 0;
    for (double product = next_double(); product > end; product *= next_double())
      ++count;
    return count;
  }
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), bound = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = next_double() - 0.5, v = next_double(), side = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / side + b) * u + mean + 0.43);
    if (side >= 0.07 && v <= bound) return static_cast<std::int64_t>(k);
    if (k < 0 || (side < 0.013 && v > side)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (side * side) + b) <=
        -mean + k * std::log(mean) - log_gamma(k + 1))
      return static_cast<std::int64_t>(k);
  }
}

std::int64_t RandomState::binomial_by_inversion(std::int64_t trials, double p) {
  const double n = static_cast<double>(trials), q = 1 - p, none = std::exp(n * std::log(q));
  const double bound = std::floor(std::min(n, n * p + 10 * std::sqrt(n * p * q + 1)));
  double x = 0, here = none, u = next_double();
  while (u > here) {
    if (++x > bound) {
      x = 0;
      here = none;
      u = next_double();
    } else {
      u -= here;
      here = ((n - x + 1) * p * here) / (x * q);
    }
  }
  return static_cast<std::int64_t>(x);
}

std::int64_t RandomState::binomial_by_rejection(std::int64_t trials, double p) {
  const Hull hull(trials, p);
  while (true) {
    const double u = next_double() * hull.p4;
    double v = next_double(), y = 0;
    if (u <= hull.half)
      return static_cast<std::int64_t>(std::floor(hull.centre - hull.half * v + u));
    if (u <= hull.p2) {
      const double x = hull.left + (u - hull.half) / hull.slope;
      v = v * hull.slope + 1.0 - std::abs(hull.mode - x + 0.5) / hull.half;
      if (v > 1) continue;
      y = std::floor(x);
    } else if (v == 0) {
      continue;
    } else if (u <= hull.p3) {
      y = std::floor(hull.left + std::log(v) / hull.left_rate);
      if (y < 0) continue;
      v = v * (u - hull.p2) * hull.left_rate;
    } else {
      y = std::floor(hull.right - std::log(v) / hull.right_rate);
      if (y > hull.n) continue;
      v = v * (u - hull.p3) * hull.right_rate;
    }
    if (hull.accepts(y, v)) return static_cast<std::int64_t>(y);
  }
}

std::int64_t RandomState::next_binomial(std::int64_t trials, double probability) {
  const bool flipped = probability > 0.5;
  const double p = flipped ? 1 - probability : probability;
  const bool few = p * static_cast<double>(trials) <= 30;
  const std::int64_t y = few ? binomial_by_inversion(trials, p) : binomial_by_rejection(trials, p);
  return flipped ? trials - y : y;
}

Array RandomState::gamma(double shape, double scale, const Dims& dims) {
  check(shape >= 0, "gamma wants a shape of 0 or more", shape);
  check(scale >= 0, "gamma wants a scale of 0 or more", scale);
  return filled(dims, [&] { return scale * next_gamma(shape); });
}

Array RandomState::beta(double a, double b, const Dims& dims) {
  check(a > 0, "beta wants a > 0", a);
  check(b > 0, "beta wants b > 0", b);
  return filled(dims, [&] { return next_beta(a, b); });
}

Array RandomState::poisson(double mean, const Dims& dims) {
  check(mean >= 0 && mean < 9.2e18, "poisson wants a mean of 0 to 9.2e18", mean);
  return filled(dims, [&] { return next_poisson(mean); });
}

Array RandomState::binomial(std::int64_t trials, double probability, const Dims& dims) {
  check(trials >= 0, "binomial wants 0 trials or more", static_cast<double>(trials));
  check_probability(probability);
  return filled(dims, [&] { return next_binomial(trials, probability); });
}

Array RandomState::multinomial(
    std::int64_t trials, std::span<const double> probabilities, const Dims& dims) {
  check(trials >= 0, "multinomial wants 0 trials or more", static_cast<double>(trials));
  double sum = 0;
  for (double p : probabilities) {
    check_probability(p);
    sum += p;
  }
  check(std::abs(sum - 1) < 1e-8, "probabilities sum to 1", sum);
  Dims all = dims;
  all.push_back(static_cast<std::int64_t>(probabilities.size()));
  Array counts = Array::zeros(DType::int64, all);
  const std::span<std::int64_t> out = counts.span<std::int64_t>();
  for (std::size_t row = 0; row < out.size(); row += probabilities.size()) {
    std::int64_t left = trials;
    double rest = 1;
    for (std::size_t j = 0; left > 0 && j + 1 < probabilities.size(); ++j) {
      const double p = probabilities[j] / rest;
      // No draw for the impossible: NumPy has none there either, unlike in binomial().
      out[row + j] = p == 0 ? 0 : next_binomial(left, std::min(p, 1.0));
      left -= out[row + j];
      rest -= probabilities[j];
    }
    out[row + probabilities.size() - 1] = left;
  }
  return counts;
}

}  // namespace hypatia
