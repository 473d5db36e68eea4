#include "engine/ops/nnet.h"

#include <numeric>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/ops/compare.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/iota.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

Variable as_float(const Operand& x) {
  return cast(x, at_least_float(x.variable.dtype()));
}

/// A number in x's dtype, so that no constant widens float32.
Variable number(double value, const Variable& x) {
  return constant(Array(value).astype(x.dtype()));
}

/// The largest element along some axes, to be subtracted: the result does not depend on it, so
/// that no gradient needs to flow through it. Infinite ones are 0, since inf - inf is no number.
Variable offset(const Variable& x, const Axes& axes) {
  const Variable largest = disconnected_grad(max(x, Axes(axes.axes, true)));
  return switch_(isinf(largest), number(0, x), largest);
}

Axes last(int axis, const Variable& x, std::string_view op) {
  return Axes({normal_axis(axis, x.ndim(), op)}, true);
}

/// True in the row's class and false elsewhere, for integer classes.
Variable is_class(const Variable& x, const Operand& targets) {
  const int rank = x.ndim();
  if (targets.variable.ndim() != rank - 1 || is_float(targets.variable.dtype())) {
    throw Error(
        Error::Kind::shape,
        "targets of a cross-entropy are distributions with the axes of the probabilities, or "
        "integer classes with one axis less")
        .with({"probabilities", brief(x.type()), x.name(), x.node().origin()})
        .with({"targets", brief(targets.variable.type()), targets.variable.name(), targets.at});
  }
  std::vector<int> rows(static_cast<std::size_t>(rank), -1);
  std::iota(rows.begin(), rows.end() - 1, 0);
  const Variable classes = pad_left(iota(shape_i(x, rank - 1)), rank, targets.at);
  const Variable inside =
      apply(check_class_op, {targets.variable, shape_i(x, rank - 1)}, {}, targets.at);
  return eq(dimshuffle(inside, rows), classes);
}

std::vector<Array> eval_check_class(const EvalCall& call) {
  const Array labels = call.in[0].astype(DType::int64).copy();
  const std::int64_t classes = whole_number(call.in[1]);
  auto* label = static_cast<std::int64_t*>(labels.address());
  for (std::int64_t i = 0; i < labels.elements(); ++i) {
    const std::int64_t given = label[i];
    label[i] = given < 0 ? given + classes : given;
    if (label[i] >= 0 && label[i] < classes) continue;
    throw Error(
        Error::Kind::value,
        "the label " + std::to_string(given) + " is none of " + std::to_string(classes) +
            " classes",
        "labels run from 0 to " + std::to_string(classes - 1) + " (-1 is the last class); row " +
            std::to_string(i) + " is the first beyond");
  }
  return {labels};
}

Variable chosen_log(const Variable& log_probability, const Operand& targets) {
  const Axes classes(log_probability.ndim() - 1);
  if (targets.variable.ndim() == log_probability.ndim()) {
    return -sum(targets * log_probability, classes);
  }
  const Variable zero = number(0, log_probability);
  return -sum(switch_(is_class(log_probability, targets), log_probability, zero), classes);
}

}  // namespace

constinit const Op check_class_op{
    .name = "CheckClass",
    .doc = "labels from 0 on; an error for one beyond the number of classes",
    .arity = 2,
    .infer =
        [](const TypeCall& call, Types& out) {
          out.push_back(call.in[0].with_dtype(DType::int64).with_place(host));
        },
    .lowering = HostLowering{.why = "only the host can throw its error"},
    .eval = eval_check_class,
    .pullback = [](const Adjoint&) -> Vars { return Vars(2); },
};

Variable logsumexp(Operand x, const Axes& axes) {
  const Variable v = as_float(x);
  const Variable m = offset(v, axes);
  const Variable kept = m + log(sum(exp(v - m), Axes(axes.axes, true)));
  // The axes that stayed have size 1: a sum over them drops them.
  return axes.keepdims ? kept : sum(kept, axes);
}

Variable softmax(Operand x, int axis) {
  const Variable v = as_float(x);
  const Axes along = last(axis, v, "softmax");
  const Variable e = exp(v - offset(v, along));
  return e / sum(e, along);
}

Variable log_softmax(Operand x, int axis) {
  const Variable v = as_float(x);
  const Axes along = last(axis, v, "log_softmax");
  const Variable z = v - offset(v, along);
  return z - log(sum(exp(z), along));
}

Variable relu(Operand x, double alpha) {
  // `<= 0` is false of NaN, which comes through.
  const Variable& v = x.variable;
  const Variable low = alpha == 0 ? zeros_like(x) : v * number(alpha, as_float(x));
  return switch_(v <= number(0, v), low, v);
}

Variable elu(Operand x, double alpha) {
  const Variable v = as_float(x);
  const Variable zero = number(0, v);
  // The branch that is not chosen must not overflow: its gradient would be 0 times infinity.
  const Variable low = expm1(switch_(v > zero, zero, v)) * number(alpha, v);
  return switch_(v > zero, v, low);
}

Variable hard_sigmoid(Operand x) {
  const Variable v = as_float(x);
  return clip(v * number(0.2, v) + number(0.5, v), number(0, v), number(1, v));
}

Variable ultra_fast_sigmoid(Operand x) {
  const Variable v = as_float(x);
  const auto n = [&](double value) { return number(value, v); };
  // tanh of half of |x|: a hyperbola, a line, a constant.
  const Variable half = abs(v) * n(0.5);
  const Variable line = n(0.935409070603099) + n(0.0458812946797165) * (half - n(1.7));
  const Variable tail = switch_(half < n(3), line, n(0.99505475368673));
  const Variable curve = switch_(half < n(1.7), n(1.5) * half / (n(1) + half), tail);
  return n(0.5) * (switch_(v < n(0), -curve, curve) + n(1));
}

Variable binary_crossentropy(Operand probability, Operand target) {
  return -(target * log(probability) + (1 - target) * log(1 - probability));
}

Variable sigmoid_binary_crossentropy(Operand x, Operand target) {
  return softplus(x) - x * target;
}

Variable categorical_crossentropy(Operand probabilities, Operand targets) {
  return chosen_log(log(probabilities), targets);
}

Variable crossentropy_softmax(Operand x, Operand targets) {
  return chosen_log(log_softmax(x), targets);
}

Variable batch_normalization(
    Operand x, Operand gamma, Operand beta, Operand mean, Operand deviation) {
  return (x - mean) * (gamma / deviation) + beta;
}

}  // namespace hypatia
