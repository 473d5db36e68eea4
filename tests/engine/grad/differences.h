#pragma once
// Gradients against central differences, along random directions.

#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/function_ref.h"

#include "hypatia/hypatia.h"

namespace hypatia {

/// Compares the gradient of a random projection of `build`'s result with its central difference
/// along random directions, at float64 points.
inline void expect_gradients_match(
    FunctionRef<Variable(const Vars&)> build,
    const std::vector<Array>& points,
    double tolerance = 1e-5,
    std::uint32_t seed = 7) {
  RandomState random(seed);
  Vars inputs;
  for (const Array& p : points) {
    Type type(DType::float64, 0);
    for (std::int64_t d : p.dims())
      type.push_axis(d == 1 ? 1 : unknown_dim, d == 1);
    inputs.push_back(input(type));
  }
  const Variable y = build(inputs);
  const std::vector<In> arguments(inputs.begin(), inputs.end());
  const Function value = function(arguments, y, {.on_unused_input = "ignore"});
  const Array at_point = value.call(points);
  const Array weights = random.uniform(0.5, 1.5, at_point.dims());
  const Variable cost = sum(y * constant_of_type(weights, y.type().with_dims(weights.dims()), {}));
  const Vars gradients = grad(cost, inputs, {.disconnected_inputs = "ignore"});
  const Results analytic =
      function(arguments, Outputs(gradients), {.on_unused_input = "ignore"}).call(points);
  const auto projected = [&](const std::vector<Array>& at) {
    const Array result = value.call(at);
    const std::vector<double> a = result.to_vector(), w = weights.to_vector();
    double total = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      total += a[i] * w[i];
    return total;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    constexpr double step = 1e-5;
    const Array direction = random.uniform(-1, 1, points[i].dims());
    const auto moved = [&](double by) {
      std::vector<Array> at = points;
      at[i] = points[i].copy();
      for (std::int64_t k = 0; k < direction.elements(); ++k)
        at[i].data<double>()[k] += by * direction.data<double>()[k];
      return projected(at);
    };
    const double difference = (moved(step) - moved(-step)) / (2 * step);
    const std::vector<double> g = analytic[i].to_vector(), d = direction.to_vector();
    double along = 0;
    for (std::size_t k = 0; k < g.size(); ++k)
      along += g[k] * d[k];
    EXPECT_NEAR(along, difference, tolerance * (1 + std::fabs(difference))) << "by input " << i;
  }
}

}  // namespace hypatia
