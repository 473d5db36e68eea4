// Orders and samples: shuffle, permutation and choice.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/random_state.h"

namespace hypatia {

namespace {

Error choice_error(std::string summary, std::string help = "") {
  return Error(Error::Kind::value, std::move(summary), std::move(help));
}

void check_probabilities(std::span<const double> probabilities, std::int64_t n) {
  if (static_cast<std::int64_t>(probabilities.size()) != n) {
    throw choice_error(
        "choice wants a probability for each of " + std::to_string(n) + " entries, and " +
        std::to_string(probabilities.size()) + " came");
  }
  double sum = 0;
  for (double p : probabilities) {
    if (!(p >= 0)) throw choice_error("a probability lies between 0 and 1");
    sum += p;
  }
  if (std::abs(sum - 1) > 1.5e-8)
    throw choice_error("probabilities sum to 1, and these sum to " + to_text(Array(sum)));
}

/// Running sums, scaled so that the last is 1.
std::vector<double> cumulated(std::span<const double> probabilities) {
  std::vector<double> sums;
  double sum = 0;
  for (double p : probabilities)
    sums.push_back(sum += p);
  for (double& s : sums)
    s /= sum;
  return sums;
}

std::int64_t find(const std::vector<double>& sums, double u) {
  return std::upper_bound(sums.begin(), sums.end(), u) - sums.begin();
}

/// The rows of `values` named by `indices`, in the shape `dims` + a row's.
Array gathered(const Array& values, const Array& indices) {
  Dims dims = indices.dims();
  for (int i = 1; i < values.rank(); ++i)
    dims.push_back(values.dims()[i]);
  const Array source = values.contiguous_on_host();
  Array result(values.dtype(), dims);
  const std::size_t row =
      source.dims()[0] ? source.bytes() / static_cast<std::size_t>(source.dims()[0]) : 0;
  char* to = static_cast<char*>(result.address());
  for (std::int64_t i : indices.span<std::int64_t>()) {
    std::memcpy(
        to, static_cast<const char*>(source.address()) + static_cast<std::size_t>(i) * row, row);
    to += row;
  }
  return result;
}

void check_rows(const Array& values, const char* what) {
  if (values.rank() > 0) return;
  throw Error(
      Error::Kind::shape, std::string(what) + " wants a vector or more, and a 0-d array came");
}

}  // namespace

void RandomState::shuffle_indices(std::span<std::int64_t> indices) {
  for (std::size_t i = indices.size(); i-- > 1;)
    std::swap(indices[i], indices[below(i)]);
}

Array RandomState::permutation(std::int64_t n) {
  Array order = Array::arange(n);
  shuffle_indices(order.span<std::int64_t>());
  return order;
}

Array RandomState::permutation(const Array& values) {
  check_rows(values, "permutation");
  return gathered(values, permutation(values.dims()[0]));
}

void RandomState::shuffle(Array& values) {
  check_rows(values, "shuffle");
  copy_elements(permutation(values), values);
}

void RandomState::draw_distinct(
    std::span<std::int64_t> found, std::span<const double> probabilities) {
  std::vector<double> open(probabilities.begin(), probabilities.end());
  std::size_t count = 0;
  while (count < found.size()) {
    const std::vector<double> sums = cumulated(open);
    for (std::size_t draws = found.size() - count; draws > 0; --draws) {
      const std::int64_t drawn = find(sums, next_double());
      double& chance = open[static_cast<std::size_t>(drawn)];
      if (chance > 0) found[count++] = drawn;
      chance = 0;
    }
  }
}

Array RandomState::choice(
    std::int64_t n, const Dims& dims, bool replace, std::span<const double> probabilities) {
  if (n <= 0 && elements(dims) > 0) throw choice_error("there is nothing to choose from");
  if (!probabilities.empty()) check_probabilities(probabilities, n);
  if (elements(dims) == 0) return Array(DType::int64, dims);
  if (replace && probabilities.empty()) return randint(0, n, dims);
  Array result(DType::int64, dims);
  const std::span<std::int64_t> out = result.span<std::int64_t>();
  if (replace) {
    const std::vector<double> sums = cumulated(probabilities);
    for (std::int64_t& v : out)
      v = find(sums, next_double());
    return result;
  }
  const auto open = probabilities.empty()
                        ? n
                        : std::count_if(probabilities.begin(), probabilities.end(), [](double p) {
                            return p > 0;
                          });
  if (result.elements() > open) {
    throw choice_error(
        "choice without replacement wants " + std::to_string(result.elements()) +
            " different entries, and there are " + std::to_string(open),
        "draw fewer, or pass replace = true");
  }
  if (!probabilities.empty()) {
    draw_distinct(out, probabilities);
  } else {
    const Array order = permutation(n);
    std::copy_n(order.data<std::int64_t>(), out.size(), out.begin());
  }
  return result;
}

Array RandomState::choice(
    const Array& values, const Dims& dims, bool replace, std::span<const double> probabilities) {
  if (values.rank() != 1) {
    throw Error(
        Error::Kind::shape,
        "choice wants a vector, and an array of shape " + to_text(values.dims()) + " came");
  }
  return gathered(values, choice(values.dims()[0], dims, replace, probabilities));
}

}  // namespace hypatia
