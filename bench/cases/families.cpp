// What hypatia-bench knows: each job with its limits and the engine's way beside them.
#include "bench/cases/engine.h"
#include "bench/cases/limits.h"

namespace hypatia::bench {

namespace {

/// The limits and the engine's way.
std::vector<Work> with(std::vector<Work> limits, Work engine) {
  limits.push_back(std::move(engine));
  return limits;
}

template <class T>
void add_exp(std::int64_t n) {
  families().push_back({
      group_of_exp(dtype_name<T>(), n),
      [n] { return with(exp_limits<T>(n), exp_by_engine<T>(n)); },
  });
}

template <class T>
void add_formula(Formula formula, std::int64_t n) {
  families().push_back({
      group_of(formula, dtype_name<T>(), n),
      [=] { return with(formula_limits<T>(formula, n), formula_by_engine<T>(formula, n)); },
  });
}

const bool added = [] {
  add_exp<float>(230'400);
  add_exp<double>(230'400);
  for (const Formula formula :
       {Formula::a_plus_1, Formula::linear, Formula::square, Formula::tenth_power}) {
    for (const std::int64_t n : {1'000, 10'000, 100'000, 1'000'000, 10'000'000}) {
      add_formula<float>(formula, n);
      add_formula<double>(formula, n);
    }
  }
  families().push_back({
      "logistic/float32/400x784",
      [] { return with(logistic_limits(), logistic_by_engine()); },
  });
  for (const int nodes : {1, 10}) {
    families().push_back({
        "call/" + std::to_string(nodes) + (nodes > 1 ? " nodes" : " node"),
        [nodes] { return std::vector<Work>{call_by_engine(nodes)}; },
    });
  }
  return true;
}();

}  // namespace

}  // namespace hypatia::bench
