// canonicalize: one spelling for each meaning, so that later rules need to know only one.
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/ops/compare.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/reductions.h"
#include "engine/rewrite/rule.h"

namespace hypatia {

namespace {

/// DimShuffle of DimShuffle is one; one that changes nothing is none.
Variable join_dimshuffles(const Match& m) {
  const auto& outer = m.node.attrs().as<DimShuffleAttrs>().pattern;
  const Variable& x = m.node.input(0);
  bool nothing = static_cast<int>(outer.size()) == x.ndim();
  for (std::size_t i = 0; i < outer.size(); ++i)
    nothing &= outer[i] == static_cast<int>(i);
  if (nothing) return x;
  if (&x.node().op() != &dimshuffle_op) return {};
  const auto& inner = x.node().attrs().as<DimShuffleAttrs>().pattern;
  std::vector<int> joined;
  for (int axis : outer)
    joined.push_back(axis < 0 ? -1 : inner[static_cast<std::size_t>(axis)]);
  return dimshuffle(x.node().input(0), joined);
}

/// A cast to the dtype that the value has, or the second of two casts.
Variable join_casts(const Match& m) {
  const Variable& x = m.node.input(0);
  const DType to = m.node.type(0).dtype();
  if (x.dtype() == to) return x;
  if (&x.node().op() != &cast_op) return {};
  const Variable& inner = x.node().input(0);
  // The middle dtype must hold every value of the first one, else it would round or wrap.
  return promote(inner.dtype(), x.dtype()) == x.dtype() ? cast(inner, to) : Variable();
}

/// fill(model, value) as an operand whose shape another operand gives anyway: they could not meet
/// in one elementwise node if their sizes differed.
Variable without_fill(const Variable& operand, const Apply& node) {
  if (&operand.node().op() != &fill_op) return {};
  const Variable& value = operand.node().input(1);
  for (const Variable& other : node.inputs()) {
    if (other == operand || is_constant(other)) continue;
    if (other.broadcastable() == operand.broadcastable()) return value;
  }
  return {};
}

Variable cut_fill(const Match& m) {
  for (int i = 0; i < static_cast<int>(m.node.inputs().size()); ++i) {
    const Variable value = without_fill(m.node.input(i), m.node);
    if (!value) continue;
    Vars inputs = m.node.inputs();
    inputs[static_cast<std::size_t>(i)] = value;
    return apply(m.node.op(), std::move(inputs), m.node.attrs(), m.node.origin());
  }
  return {};
}

/// A number filled into the shape of a number.
Variable fill_of_number(const Match& m) {
  const Variable& value = m.node.input(1);
  return value.type().with_dtype(m.node.type(0).dtype()).same(m.node.type(0)) &&
                 m.node.type(0).rank() == 0
             ? value
             : Variable();
}

/// An elementwise function of filled values is the function of the value, filled.
Variable lift_fill(const Match& m) {
  const Variable& x = m.node.input(0);
  if (&x.node().op() != &fill_op) return {};
  const Variable& value = x.node().input(1);
  return fill(x.node().input(0), apply(m.node.op(), {value}, m.node.attrs(), m.node.origin()));
}

/// shape_i of elementwise work is a size of one of its operands.
Variable lift_shape(const Match& m) {
  const Variable& x = m.node.input(0);
  const int axis = m.node.attrs().as<AxisAttrs>().axis;
  if (x.type().dims()[axis] != unknown_dim) {
    return constant_of_type(Array(x.type().dims()[axis]), m.node.type(0), m.node.origin());
  }
  if (!x.node().op().is_scalar()) return {};
  for (const Variable& operand : x.node().inputs()) {
    if (!operand.type().broadcastable(axis)) return shape_i(operand, axis);
  }
  return {};
}

/// A choice that is made already, where the value chosen has the shape of both.
Variable switch_of_number(const Match& m) {
  double condition = 0;
  if (!constant_number(m.node.input(0), &condition)) return {};
  return m.node.input(condition != 0 ? 1 : 2);
}

/// Ops that only say something to grad() have said it.
Variable first_input(const Match& m) {
  return m.node.input(0);
}

}  // namespace

const Rules& canonical_rules() {
  static const Variable x = hole(0);
  static const Variable y = hole(1);
  static const Rules rules{
      {"add_zero", x + 0, x},
      {"subtract_zero", x - 0, x},
      {"multiply_one", x * 1, x},
      {"divide_one", x / 1, x},
      {"negate_twice", -(-x), x},
      {"power_one", pow(x, 1), x},
      {"reciprocal_twice", 1 / (1 / x), x, Domain::nonzero},
      {"sinh_of_arcsinh", sinh(arcsinh(x)), x},
      {"deg2rad_of_rad2deg", deg2rad(rad2deg(x)), x},
      {"rad2deg_of_deg2rad", rad2deg(deg2rad(x)), x},
      {"switch_of_number", {}, {}, Domain::all, true, switch_of_number, &switch_op},
      {"subtract_negative", x - (-y), x + y},
      {"add_negative", x + (-y), x - y},
      {"negative_minus", (-x) - y, -(x + y)},
      {"negate_difference", -(x - y), y - x},
      {"multiply_negative", (-x) * y, -(x * y)},
      {"divide_negative", (-x) / y, -(x / y)},
      {"divide_by_negative", x / (-y), -(x / y)},
      {"join_dimshuffles", {}, {}, Domain::all, true, join_dimshuffles, &dimshuffle_op},
      {"join_casts", {}, {}, Domain::all, true, join_casts, &cast_op},
      {"cut_fill_in_mul", {}, {}, Domain::all, true, cut_fill, &mul_op},
      {"cut_fill_in_add", {}, {}, Domain::all, true, cut_fill, &add_op},
      {"cut_fill_in_sub", {}, {}, Domain::all, true, cut_fill, &sub_op},
      {"cut_fill_in_div", {}, {}, Domain::all, true, cut_fill, &true_div_op},
      {"fill_of_number", {}, {}, Domain::all, true, fill_of_number, &fill_op},
      {"lift_fill_through_neg", {}, {}, Domain::all, true, lift_fill, &neg_op},
      {"lift_fill_through_cast", {}, {}, Domain::all, true, lift_fill, &cast_op},
      {"drop_zero_grad", {}, {}, Domain::all, true, first_input, &zero_grad_op},
      {"drop_disconnected_grad", {}, {}, Domain::all, true, first_input, &disconnected_grad_op},
      {"drop_grad_clip", {}, {}, Domain::all, true, first_input, &grad_clip_op},
      {"drop_grad_scale", {}, {}, Domain::all, true, first_input, &grad_scale_op},
      {"drop_undefined_grad", {}, {}, Domain::all, true, first_input, &undefined_grad_op},
      {"sum_of_scaled", {}, {}, Domain::all, true, sum_of_scaled, &sum_op},
      {"lift_shape", {}, {}, Domain::all, true, lift_shape, &shape_i_op},
  };
  return rules;
}

Graph canonicalize(const Graph& graph, const PassContext& context) {
  return apply_rules(graph, canonical_rules(), "canonicalize", context);
}

}  // namespace hypatia
