#include "engine/run/verify_grad.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/random_state.h"
#include "engine/core/text.h"
#include "engine/expr/leaves.h"
#include "engine/grad/grad.h"
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/run/function.h"

namespace hypatia {

namespace {

Vars inputs_like(const std::vector<Array>& points) {
  Vars inputs;
  for (const Array& p : points) {
    if (!is_float(p.dtype())) {
      throw Error(Error::Kind::dtype, "verify_grad takes points of floats", "use astype");
    }
    Type type(p.dtype(), 0);
    for (std::int64_t d : p.dims())
      type.push_axis(d == 1 ? 1 : unknown_dim, d == 1);
    inputs.push_back(input(type, "point " + std::to_string(inputs.size())));
  }
  return inputs;
}

/// The points with one entry moved.
std::vector<Array> moved(
    const std::vector<Array>& points, std::size_t which, std::int64_t entry, double by) {
  std::vector<Array> at = points;
  Array& p = at[which] = points[which].copy();
  if (p.dtype() == DType::float32) {
    p.data<float>()[entry] += static_cast<float>(by);
  } else {
    p.data<double>()[entry] += by;
  }
  return at;
}

struct Worst {
  double off = -1, gradient = 0, difference = 0;
  std::size_t point = 0;
  std::int64_t entry = 0;
};

}  // namespace

void verify_grad(
    FunctionRef<Variable(const Vars& inputs)> build,
    const std::vector<Array>& points,
    const VerifyGradOptions& options) {
  const Vars inputs = inputs_like(points);
  const std::vector<In> arguments(inputs.begin(), inputs.end());
  const FunctionOptions quiet{.on_unused_input = "ignore"};
  const Variable result = build(inputs);
  const Dims dims = Array(function(arguments, result, quiet).call(points)).dims();
  RandomState random(options.seed);
  const Array weights = random.uniform(0.5, 1.5, dims).astype(result.dtype());
  const Variable cost =
      sum(result * constant_of_type(weights, result.type().with_dims(dims), Origin::here()));
  const Vars gradients = grad(cost, inputs, {.disconnected_inputs = "ignore"});
  const Results found = function(arguments, Outputs(gradients), quiet).call(points);
  const Function value = function(arguments, cost, quiet);
  Worst worst;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::vector<double> gradient = found[p].to_vector();
    for (std::int64_t e = 0; e < points[p].elements(); ++e) {
      const double ahead = value.call(moved(points, p, e, options.step)).only().item();
      const double behind = value.call(moved(points, p, e, -options.step)).only().item();
      const double difference = (ahead - behind) / (2 * options.step);
      const double g = gradient[static_cast<std::size_t>(e)];
      const double size = std::max({1.0, std::fabs(g), std::fabs(difference)});
      const double off =
          std::isfinite(g) ? std::fabs(g - difference) / size : static_cast<double>(INFINITY);
      if (off > worst.off) worst = {off, g, difference, p, e};
    }
  }
  if (worst.off <= options.tolerance) return;
  throw Error(
      Error::Kind::value,
      "the gradient by point " + std::to_string(worst.point) + " at entry " +
          std::to_string(worst.entry) + " is " + std::to_string(worst.gradient) +
          ", and finite differences say " + std::to_string(worst.difference),
      "check the op's pullback, or move the points away from kinks");
}

}  // namespace hypatia
