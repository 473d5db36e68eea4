#include "engine/ops/ifelse.h"

#include "engine/core/error.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"

namespace hypatia {

namespace {

void infer_ifelse(const TypeCall& call, Types& out) {
  const std::size_t count = call.in.size() / 2;
  if (call.in[0].rank() != 0) {
    throw Error(
        Error::Kind::shape,
        "the condition of ifelse is one number, and " + brief(call.in[0]) + " came",
        "use switch_ to choose element by element");
  }
  infer_branches(call.value(0), call.in.subspan(1, count), call.in.subspan(1 + count), out);
}

std::vector<Array> eval_ifelse(const EvalCall& call) {
  const std::size_t count = call.in.size() / 2;
  const auto first = call.in.begin() + (call.in[0].item() != 0 ? 1 : 1 + static_cast<long>(count));
  return {first, first + static_cast<long>(count)};
}

/// The gradient by a branch that is not taken: x's sizes, of which the gradient's may differ.
Variable zeros_of_branch(const Variable& x, const Variable& bar, Origin at) {
  const Vars sizes = sizes_of(x, at);
  const Variable none = zeros(Operands(sizes.begin(), sizes.end()), bar.dtype());
  return patternbroadcast({none, at}, x.type().broadcastable());
}

Vars ifelse_pullback(const Adjoint& a) {
  const Operand condition(a.in[0], a.node.origin());
  Vars result(a.in.size());
  const std::size_t count = a.out.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!a.out_bar[i]) continue;
    const Operand bar(a.out_bar[i], a.node.origin());
    const auto zero = [&](std::size_t input) {
      return Operand(zeros_of_branch(a.in[input], a.out_bar[i], a.node.origin()), a.node.origin());
    };
    result[1 + i] = ifelse(condition, bar, zero(1 + i));
    result[1 + count + i] = ifelse(condition, zero(1 + count + i), bar);
  }
  return result;
}

}  // namespace

void infer_branches(
    const Array* condition,
    std::span<const Type> then,
    std::span<const Type> otherwise,
    Types& out) {
  for (std::size_t i = 0; i < then.size(); ++i) {
    const Type &a = then[i], &b = otherwise[i];
    if (a.rank() != b.rank() || a.dtype() != b.dtype()) {
      throw Error(
          Error::Kind::shape,
          "the branches of ifelse have other ranks: " + brief(a) + " and " + brief(b),
          "both must have as many axes; reshape one of them");
    }
    Type both = Type(a.dtype(), 0);
    for (int axis = 0; axis < a.rank(); ++axis) {
      const std::int64_t n = a.dims()[axis], m = b.dims()[axis];
      const std::int64_t taken = !condition ? unknown_dim : condition->item() != 0 ? n : m;
      both.push_axis(n == m ? n : taken, a.broadcastable(axis) && b.broadcastable(axis));
    }
    out.push_back(both);
  }
}

constinit const Op ifelse_op{
    .name = "IfElse",
    .doc = "the values of one branch or the other; only that branch runs",
    .arity = -1,
    .infer = infer_ifelse,
    .lowering = HostLowering{.why = "the host decides which branch runs"},
    .eval = eval_ifelse,
    .pullback = ifelse_pullback,
};

Vars ifelse(Operand condition, const Operands& then, const Operands& otherwise) {
  if (then.size() != otherwise.size() || then.empty()) {
    throw Error(
        Error::Kind::graph,
        "ifelse takes as many values for one branch as for the other: " +
            std::to_string(then.size()) + " and " + std::to_string(otherwise.size()) + " came")
        .at(condition.at);
  }
  Vars inputs{cast(condition, DType::boolean)}, others;
  for (std::size_t i = 0; i < then.size(); ++i) {
    const DType dtype = promote(then[i].variable.dtype(), otherwise[i].variable.dtype());
    inputs.push_back(cast(then[i], dtype));
    others.push_back(cast(otherwise[i], dtype));
  }
  inputs.insert(inputs.end(), others.begin(), others.end());
  return apply_all(ifelse_op, std::move(inputs), {}, condition.at);
}

Variable ifelse(Operand condition, Operand then, Operand otherwise) {
  return ifelse(condition, Operands{then}, Operands{otherwise})[0];
}

}  // namespace hypatia
