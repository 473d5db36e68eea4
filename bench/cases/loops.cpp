// Loops over time as compiled functions, beside the same loops written by hand.
#include <cmath>
#include <hypatia/hypatia.h>
#include <memory>

#include "bench/work.h"

namespace hypatia::bench {

namespace {

Work engine_loop(const std::string& group, std::function<void()> run) {
  run();  // compiles
  return {group, "engine", 0, 0, std::move(run)};
}

// A**k: a loop over k with the product of two vectors in it.
std::vector<Work> powers() {
  const std::int64_t n = 1000;
  constexpr int k = 1000;
  const std::string group = "scan/power/float64/1000x1000";
  const Array a = Array::full(DType::float64, {n}, 1.0001);
  const auto hand = [a, n, out = std::vector<double>(1000)]() mutable {
    const double* x = a.data<double>();
    std::fill(out.begin(), out.end(), 1.0);
    // Blocks that stay in registers and the first-level cache while the steps go by.
    constexpr std::int64_t block = 64;
    for (std::int64_t begin = 0; begin < n; begin += block) {
      const std::int64_t end = std::min(begin + block, n);
      for (int t = 0; t < k; ++t) {
        for (std::int64_t i = begin; i < end; ++i)
          out[static_cast<std::size_t>(i)] *= x[i];
      }
    }
  };
  const Variable v = vector("A", DType::float64), steps = iscalar("k");
  const ScanResult all = scan(
      [](Variable before, Variable x) { return before * x; },
      {.outputs_info = {ones_like(v)}, .non_sequences = {v}, .n_steps = steps});
  const Function f = function({v, steps}, all[0][-1]);
  return {{group, "hand", 0, 0, hand}, engine_loop(group, [=] { f(a, k); })};
}

// A polynomial, summed term after term, each with a power.
std::vector<Work> polynomial() {
  constexpr std::int64_t terms = 10000;
  const std::string group = "scan/polynomial/float64/10000";
  const Array c = Array::ones(DType::float64, {terms});
  const auto hand = [c, sum = 0.0]() mutable {
    sum = 0;
    for (std::int64_t i = 0; i < terms; ++i)
      sum += c.data<double>()[i] * std::pow(0.999, static_cast<double>(i));
  };
  const Variable v = vector("c", DType::float64), x = scalar("x", DType::float64);
  const ScanResult sums = scan(
      [](Variable coefficient, Variable power, Variable before, Variable free) {
        return before + coefficient * pow(free, power);
      },
      {.sequences = {v, arange(terms)}, .outputs_info = {0.0}, .non_sequences = {x}});
  const Function f = function({v, x}, sums[0][-1]);
  return {{group, "hand", 0, 0, hand}, engine_loop(group, [=] { f(c, 0.999); })};
}

// One number that depends on itself, a million times: as fast as its chain of operations.
std::vector<Work> logistic_map() {
  constexpr int steps = 1'000'000;
  const std::string group = "scan/logistic map/float64/1000000";
  const auto hand = [x = 0.3]() mutable {
    x = 0.3;
    for (int t = 0; t < steps; ++t)
      x = 3.7 * x * (1 - x);
  };
  const Variable start = scalar("x", DType::float64);
  const ScanResult orbit = scan(
      [](Variable x) { return 3.7 * x * (1 - x); }, {.outputs_info = {start}, .n_steps = steps});
  const Function f = function({start}, orbit[0][-1]);
  return {{group, "hand", 0, 0, hand}, engine_loop(group, [=] { f(0.3); })};
}

// tanh(x w + h u) for 100 steps of 64 rows of 128, and its gradient by both weights.
struct Recurrent {
  Array x = drawn({100, 64, 128}, 1), h = Array::zeros(DType::float32, {64, 128});
  Array w = drawn({128, 128}, 2), u = drawn({128, 128}, 3);

  static Array drawn(const Dims& dims, std::uint32_t seed) {
    return RandomState(seed).uniform(-0.1, 0.1, dims).astype(DType::float32);
  }

  Function compiled(bool gradient) const {
    const Variable rows = ftensor3("x"), start = fmatrix("h");
    const Variable by_rows = fmatrix("w"), by_state = fmatrix("u");
    const Variable states = scan(
        [&](Variable row, Variable state) {
          return tanh(dot(row, by_rows) + dot(state, by_state));
        },
        {.sequences = {rows}, .outputs_info = {start}});
    const Variable last = states[-1];
    const std::vector<In> in{rows, start, by_rows, by_state};
    if (!gradient) return function(in, last);
    return function(in, grad(sum(sqr(last)), {by_rows, by_state}));
  }
};

std::vector<Work> recurrent(bool gradient) {
  const std::string group =
      std::string("scan/rnn ") + (gradient ? "gradient" : "forward") + "/float32/100x64x128";
  const auto net = std::make_shared<Recurrent>();
  const Function f = net->compiled(gradient);
  return {engine_loop(group, [=] { f(net->x, net->h, net->w, net->u).sync(); })};
}

std::vector<Work> recurrent_forward() {
  return recurrent(false);
}

std::vector<Work> recurrent_gradient() {
  return recurrent(true);
}

const bool added = [] {
  families().push_back({"scan/rnn forward/float32/100x64x128", recurrent_forward});
  families().push_back({"scan/rnn gradient/float32/100x64x128", recurrent_gradient});
  families().push_back({"scan/power/float64/1000x1000", powers});
  families().push_back({"scan/polynomial/float64/10000", polynomial});
  families().push_back({"scan/logistic map/float64/1000000", logistic_map});
  return true;
}();

}  // namespace

}  // namespace hypatia::bench
