// Functions compiled once; what is timed is a call, with its result allocated and given back.
#include "bench/cases/engine.h"

#include <hypatia/hypatia.h>

#include "bench/cases/limits.h"

namespace hypatia::bench {

namespace {

template <class T>
Array numbers(const Dims& dims) {
  Array values(dtype_of<T>, dims);
  T* to = values.data<T>();
  for (std::int64_t i = 0; i < values.elements(); ++i)
    to[i] = static_cast<T>(static_cast<double>(i * 7919 % 10007 + 1) / 10009.0);
  return values;
}

/// What is timed is compiled code from the first call on.
Work engine_way(std::string group, double bytes, std::function<void()> run) {
  config().set("compile.background", false);
  run();
  return {std::move(group), "engine", bytes, 0, std::move(run)};
}

Variable expression(Formula formula, const Variable& a, const Variable& b) {
  switch (formula) {
    case Formula::a_plus_1:
      return a + 1;
    case Formula::linear:
      return 2 * a + 3 * b;
    case Formula::square:
      return sqr(a) + sqr(b) + 2 * a * b;
    case Formula::tenth_power:
      break;
  }
  return 2 * a + pow(b, 10);
}

}  // namespace

template <class T>
Work exp_by_engine(std::int64_t n) {
  const Shared x = shared(numbers<T>({n}), "x");
  const Function f = function({}, exp(x));
  return engine_way(
      group_of_exp(dtype_name<T>(), n), 2.0 * static_cast<double>(n) * sizeof(T), [f] { f(); });
}

template Work exp_by_engine<float>(std::int64_t n);
template Work exp_by_engine<double>(std::int64_t n);

template <class T>
Work formula_by_engine(Formula formula, std::int64_t n) {
  const Variable a = vector("a", dtype_of<T>), b = vector("b", dtype_of<T>);
  const Array a_values = numbers<T>({n}), b_values = numbers<T>({n});
  const bool one = formula == Formula::a_plus_1;
  const Variable y = expression(formula, a, b);
  const Function f = one ? function({a}, y) : function({a, b}, y);
  const double bytes = static_cast<double>(n) * (one ? 2 : 3) * sizeof(T);
  const std::string group = group_of(formula, dtype_name<T>(), n);
  if (one) return engine_way(group, bytes, [=] { f(a_values); });
  return engine_way(group, bytes, [=] { f(a_values, b_values); });
}

template Work formula_by_engine<float>(Formula formula, std::int64_t n);
template Work formula_by_engine<double>(Formula formula, std::int64_t n);

Work logistic_by_engine() {
  const DType f32 = DType::float32;
  const Shared x = shared(numbers<float>({logistic_rows, logistic_columns}), "x");
  Array labels(f32, {logistic_rows});
  for (std::int64_t i = 0; i < logistic_rows; ++i)
    labels.data<float>()[i] = i % 2 ? 1.0F : 0.0F;
  const Shared y = shared(labels, "y");
  const Shared w = shared(Array::zeros(f32, {logistic_columns}), "w");
  const Shared b = shared(Array::zeros(f32, {}), "b");
  const Variable p_1 = 1 / (1 + exp(-dot(x, w) - b));
  const Variable prediction = p_1 > 0.5;
  const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  const Variable cost = mean(cast(xent, f32)) + 0.01F * sum(sqr(w));
  const Vars gradients = grad(cost, {w, b});
  const Function train = function(
      {},
      {prediction, xent},
      {
          .updates = {{w, w - 0.1F * gradients[0]}, {b, b - 0.1F * gradients[1]}},
          .name = "train",
      });
  const double bytes = 4.0 * logistic_rows * logistic_columns;
  return engine_way("logistic/float32/400x784", bytes, [train] { train(); });
}

Work call_by_engine(int nodes) {
  const Variable x = vector("x");
  Variable y = x;
  for (int node = 0; node < nodes; ++node)
    y = y + (node + 1);
  const Array one = Array::ones(DType::float64, {1});
  const Function f = function({x}, y, {.optimizer = nodes > 1 ? "None" : ""});
  return engine_way(
      "call/" + std::to_string(nodes) + (nodes > 1 ? " nodes" : " node"), 16, [=] { f(one); });
}

}  // namespace hypatia::bench
