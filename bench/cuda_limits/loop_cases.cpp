// Loops over time as compiled functions on the GPU, their data resident and results left there.
// The same loops in other libraries are in bench/peers/gpu.py.
#include <hypatia/hypatia.h>

#include "bench/cuda_limits/engine_cases.h"

namespace hypatia::limits {

namespace {

Shared drawn(const Dims& dims, std::uint32_t seed) {
  return shared(RandomState(seed).uniform(-0.1, 0.1, dims).astype(DType::float32));
}

Case power() {
  const Shared a = shared(Array::full(DType::float64, {1000}, 1.0001), "A");
  const ScanResult all = scan(
      [](Variable before, Variable x) { return before * x; },
      {.outputs_info = {ones_like(a)}, .non_sequences = {a}, .n_steps = 1000});
  return looped(
      "A**k, 1000 elements f64, 1000 steps", 50, function({}, transfer(all[0][-1], Place{0})));
}

Case polynomial() {
  constexpr std::int64_t terms = 10000;
  const Shared c = shared(Array::ones(DType::float64, {terms}), "c");
  const ScanResult sums = scan(
      [](Variable coefficient, Variable power, Variable before) {
        return before + coefficient * pow(constant(Array(0.999)), power);
      },
      {.sequences = {c, arange(terms)}, .outputs_info = {constant(Array(0.0))}});
  return looped(
      "polynomial of 10000 coefficients f64", 20, function({}, transfer(sums[0][-1], Place{0})));
}

// tanh(x w + h u) for 100 steps of 64 rows of 128; its gradient by both weights.
Case recurrent(bool gradient) {
  const Shared rows = drawn({100, 64, 128}, 1), w = drawn({128, 128}, 2), u = drawn({128, 128}, 3);
  const Shared start = shared(Array::zeros(DType::float32, {64, 128}), "h");
  const Variable states = scan(
      [&](Variable row, Variable state) { return tanh(dot(row, w) + dot(state, u)); },
      {.sequences = {rows}, .outputs_info = {start}});
  const Variable last = states[-1];
  if (!gradient)
    return looped("RNN 100x64x128 f32, forward", 20, function({}, transfer(last, Place{0})));
  const Vars slopes = grad(sum(sqr(last)), {w, u});
  const Outputs results{transfer(slopes[0], Place{0}), transfer(slopes[1], Place{0})};
  return looped("RNN 100x64x128 f32, forward and gradient", 20, function({}, results));
}

}  // namespace

void add_loop_cases(Raw&, std::vector<Case>& cases) {
  cases.push_back(power());
  cases.push_back(polynomial());
  cases.push_back(recurrent(false));
  cases.push_back(recurrent(true));
}

}  // namespace hypatia::limits
