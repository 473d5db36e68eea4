#include "engine/ops/shape.h"

#include <algorithm>
#include <numeric>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/ops/layouts.h"

namespace hypatia {

namespace {

void infer_dimshuffle(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  Type result = Type(x.dtype(), 0).with_place(x.place());
  std::vector<bool> kept(static_cast<std::size_t>(x.rank()));
  for (int axis : call.attrs.as<DimShuffleAttrs>().pattern) {
    if (axis < 0) {
      result.push_axis(1, true);
      continue;
    }
    if (axis >= x.rank()) {
      throw Error(
          Error::Kind::shape,
          "dimshuffle names axis " + std::to_string(axis) + " of a value with " +
              std::to_string(x.rank()) + " axes");
    }
    if (kept[static_cast<std::size_t>(axis)]) {
      throw Error(Error::Kind::shape, "dimshuffle names axis " + std::to_string(axis) + " twice");
    }
    kept[static_cast<std::size_t>(axis)] = true;
    result.push_axis(x.dims()[axis], x.broadcastable(axis));
  }
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (kept[static_cast<std::size_t>(axis)] || x.broadcastable(axis)) continue;
    throw Error(
        Error::Kind::shape,
        "dimshuffle drops axis " + std::to_string(axis) + ", which is not broadcastable",
        "only axes that promise size 1 can be dropped; reduce or index the axis instead");
  }
  out.push_back(result);
}

bool view_dimshuffle(const CostCall& call, const Layout& in, Layout* out) {
  *out = Layout{};
  out->offset = in.offset;
  for (int axis : call.attrs.as<DimShuffleAttrs>().pattern) {
    out->dims.push_back(axis < 0 ? 1 : in.dims[axis]);
    out->strides.push_back(axis < 0 ? 0 : in.strides[axis]);
  }
  return true;
}

std::vector<Array> eval_dimshuffle(const EvalCall& call) {
  const Array& x = call.in[0];
  Dims dims, strides;
  for (int axis : call.attrs.as<DimShuffleAttrs>().pattern) {
    dims.push_back(axis < 0 ? 1 : x.dims()[axis]);
    strides.push_back(axis < 0 ? 0 : x.strides()[axis]);
  }
  return {Array(x.storage(), x.dtype(), dims, strides, x.offset())};
}

/// The pattern that undoes this one: inserted axes dropped, dropped ones inserted.
std::vector<int> undo(const std::vector<int>& pattern, int rank) {
  std::vector<int> back(static_cast<std::size_t>(rank), -1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] >= 0) back[static_cast<std::size_t>(pattern[i])] = static_cast<int>(i);
  }
  return back;
}

std::string pattern_text(const std::vector<int>& pattern) {
  std::string text;
  for (int axis : pattern) {
    if (!text.empty()) text += ",";
    text += axis < 0 ? "x" : std::to_string(axis);
  }
  return text;
}

void infer_shape_i(const TypeCall& call, Types& out) {
  normal_axis(call.attrs.as<AxisAttrs>().axis, call.in[0].rank(), "shape");
  out.push_back(Type(DType::int64, 0));
}

void check_same_size(const Array* a, const Array* b) {
  if (!a || !b || whole_number(*a) == whole_number(*b)) return;
  throw Error(
      Error::Kind::shape,
      "sizes of joined axes differ: " + std::to_string(whole_number(*a)) + " and " +
          std::to_string(whole_number(*b)));
}

void infer_same_size(const TypeCall& call, Types& out) {
  check_same_size(call.value(0), call.value(1));
  out.push_back(Type(DType::int64, 0));
}

}  // namespace

constinit const Op dimshuffle_op{
    .name = "DimShuffle",
    .doc = "axes kept, permuted, inserted or (if broadcastable) dropped; a view",
    .arity = 1,
    .infer = infer_dimshuffle,
    .lowering = ViewLowering{view_dimshuffle},
    .eval = eval_dimshuffle,
    .pullback = [](const Adjoint& a) -> Vars {
      const auto& pattern = a.node.attrs().as<DimShuffleAttrs>().pattern;
      return {dimshuffle(a.out_bar[0], undo(pattern, a.in[0].ndim()))};
    },
    .pushforward = [](const Tangent& t) -> Vars {
      return {dimshuffle(t.in_dot[0], t.node.attrs().as<DimShuffleAttrs>().pattern)};
    },
    .print_name = [](const Apply& node) -> std::string {
      return "DimShuffle{" + pattern_text(node.attrs().as<DimShuffleAttrs>().pattern) + "}";
    },
};

constinit const Op shape_i_op{
    .name = "Shape_i",
    .doc = "the size of one axis",
    .arity = 1,
    .infer = infer_shape_i,
    .lowering = ShapeLowering{},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      return {Array(call.in[0].dims()[call.attrs.as<AxisAttrs>().axis])};
    },
    .print_name = [](const Apply& node) -> std::string {
      return "Shape_i{" + std::to_string(node.attrs().as<AxisAttrs>().axis) + "}";
    },
};

constinit const Op same_size_op{
    .name = "SameSize",
    .doc = "the first of two sizes, which must be equal",
    .arity = 2,
    .infer = infer_same_size,
    .lowering = HostLowering{.why = "sizes are the host's"},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      check_same_size(&call.in[0], &call.in[1]);
      return {call.in[0].copy()};
    },
    .pullback = [](const Adjoint&) -> Vars { return Vars(2); },
    .size_inputs = 3,
};

Variable same_size(Operand a, Operand b) {
  if (a.variable == b.variable) return a;
  return apply(same_size_op, {as_size(a, a.at), as_size(b, b.at)}, {}, a.at);
}

int normal_axis(int axis, int rank, std::string_view op) {
  const int normal = axis < 0 ? axis + rank : axis;
  if (normal >= 0 && normal < rank) return normal;
  throw Error(
      Error::Kind::shape,
      std::string(op) + ": axis " + std::to_string(axis) + " of a value with " +
          std::to_string(rank) + " axes");
}

int normal_axis(int axis, const Operand& x, std::string_view op) {
  try {
    return normal_axis(axis, x.variable.ndim(), op);
  } catch (Error& error) {
    error.with(describe(x.variable, x.variable.type(), "value")).at(x.at);
    throw;
  }
}

Variable dimshuffle(Operand x, const std::vector<int>& pattern) {
  return apply(dimshuffle_op, {x.variable}, DimShuffleAttrs{pattern}, x.at);
}

Variable transpose(Operand x) {
  std::vector<int> axes(static_cast<std::size_t>(x.variable.ndim()));
  std::iota(axes.rbegin(), axes.rend(), 0);
  return dimshuffle(x, axes);
}

Variable transpose(Operand x, const std::vector<int>& axes) {
  std::vector<int> normal;
  for (int axis : axes)
    normal.push_back(normal_axis(axis, x, "transpose"));
  return dimshuffle(x, normal);
}

Variable pad_left(const Variable& x, int rank, Origin at) {
  if (x.ndim() == rank) return x;
  std::vector<int> pattern(static_cast<std::size_t>(rank), -1);
  std::iota(pattern.end() - x.ndim(), pattern.end(), 0);
  return dimshuffle(Operand(x, at), pattern);
}

Variable shape_i(Operand x, int axis) {
  const int normal = normal_axis(axis, x, "shape");
  return apply(shape_i_op, {x.variable}, AxisAttrs{normal}, x.at);
}

}  // namespace hypatia
