#include "engine/ops/subtensor.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// One indexed axis, resolved as far as sizes and values are known.
struct Part {
  std::int64_t start = 0, length = unknown_dim, step = 1;
  bool dropped = false, whole = false;
};

std::int64_t clamped(std::int64_t bound, std::int64_t size, std::int64_t step) {
  if (bound < 0) bound += size;
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  return std::clamp(bound, low, high);
}

Part number_part(const Array* value, std::int64_t size, int axis) {
  Part part{0, 1, 1, true, false};
  if (!value || size == unknown_dim) return part;
  const std::int64_t index = whole_number(*value);
  part.start = index < 0 ? index + size : index;
  if (part.start >= 0 && part.start < size) return part;
  throw Error(
      Error::Kind::value,
      "index " + std::to_string(index) + " is out of bounds for axis " + std::to_string(axis) +
          " with size " + std::to_string(size),
      "indices run from " + std::to_string(-size) + " to " + std::to_string(size - 1));
}

/// The parts of the axes of input 0; bounds are the inputs from `first` on.
std::vector<Part> parts_of(const TypeCall& call, int first) {
  const auto& attrs = call.attrs.as<SubtensorAttrs>();
  const Dims& dims = call.in[0].dims();
  if (static_cast<int>(attrs.kinds.size()) > dims.rank()) {
    throw Error(
        Error::Kind::shape,
        std::to_string(attrs.kinds.size()) + " indices of a value with " +
            std::to_string(dims.rank()) + " axes");
  }
  std::vector<Part> parts;
  for (std::size_t k = 0; k < attrs.kinds.size(); ++k) {
    const int kind = attrs.kinds[k], axis = static_cast<int>(k);
    const std::int64_t size = dims[axis], step = attrs.steps[k];
    if (!(kind & is_slice)) {
      parts.push_back(number_part(call.value(first++), size, axis));
      continue;
    }
    const bool starts = kind & has_start, stops = kind & has_stop;
    const Array* low = starts ? call.value(first++) : nullptr;
    const Array* high = stops ? call.value(first++) : nullptr;
    Part part{0, unknown_dim, step, false, !starts && !stops && (step == 1 || step == -1)};
    if (size != unknown_dim && (low || !starts) && (high || !stops)) {
      part.start = low ? clamped(whole_number(*low), size, step) : (step > 0 ? 0 : size - 1);
      const std::int64_t stop =
          high ? clamped(whole_number(*high), size, step) : (step > 0 ? size : -1);
      const std::int64_t distance = step > 0 ? stop - part.start : part.start - stop;
      const std::int64_t width = step > 0 ? step : -step;
      part.length = distance > 0 ? (distance + width - 1) / width : 0;
    }
    parts.push_back(part);
  }
  return parts;
}

std::int64_t start_of(const TypeCall& call, const Layout& base, int first) {
  const std::vector<Part> parts = parts_of(call, first);
  std::int64_t start = 0;
  for (std::size_t k = 0; k < parts.size(); ++k)
    start += parts[k].start * base.strides[static_cast<int>(k)];
  return start;
}

/// Strides of the kept axes, a step at a time.
Dims strides_of(const SubtensorAttrs& attrs, const Dims& strides) {
  Dims out;
  for (int axis = 0; axis < strides.rank(); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (k >= attrs.kinds.size()) {
      out.push_back(strides[axis]);
    } else if (attrs.kinds[k] & is_slice) {
      out.push_back(strides[axis] * attrs.steps[k]);
    }
  }
  return out;
}

void infer_subtensor(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  const std::vector<Part> parts = parts_of(call, 1);
  Type result = Type(x.dtype(), 0).with_place(x.place());
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    if (k >= parts.size() || parts[k].whole) {
      result.push_axis(x.dims()[axis], x.broadcastable(axis));
    } else if (!parts[k].dropped) {
      result.push_axis(parts[k].length, false);
    }
  }
  out.push_back(result);
}

bool view_subtensor(const CostCall& call, const Layout& in, Layout* out) {
  const auto& attrs = call.attrs.as<SubtensorAttrs>();
  *out = {call.out[0].dims(), strides_of(attrs, in.strides), in.offset};
  return true;
}

void infer_set_subtensor(const TypeCall& call, Types& out) {
  Types region;
  const Type x = call.in[0];
  std::vector<Type> types(call.in.begin(), call.in.end());
  std::vector<const Array*> values(call.values.begin(), call.values.end());
  types.erase(types.begin() + 1);
  if (!values.empty()) values.erase(values.begin() + 1);
  infer_subtensor(TypeCall{call.op, call.attrs, types, values}, region);
  const Type& y = call.in[1];
  if (y.rank() != region[0].rank()) {
    throw Error(Error::Kind::shape, "the new values have another rank than the part they are for");
  }
  for (int axis = 0; axis < y.rank(); ++axis) {
    const std::int64_t a = region[0].dims()[axis], b = y.dims()[axis];
    if (a == unknown_dim || b == unknown_dim || a == b) continue;
    throw Error(
        Error::Kind::shape,
        "a part of size " + std::to_string(a) + " along axis " + std::to_string(axis) +
            " can't take " + std::to_string(b) + " values");
  }
  out.push_back(x);
}

void pieces_of_set(const CostCall& call, std::vector<Piece>* out) {
  const auto& attrs = call.attrs.as<SubtensorAttrs>();
  const Dims& dims = call.out[0].dims();
  out->push_back({0, {dims, row_major(dims), 0}});
  const Dims strides = strides_of(attrs, row_major(dims));
  out->push_back({1, {call.in[1].dims(), strides, 0}, attrs.add, true});
}

/// The inputs that say which part, after those before them.
Vars bounds_of(const Vars& in, std::size_t first) {
  return Vars(in.begin() + static_cast<std::ptrdiff_t>(first), in.end());
}

Variable part_like(const Apply& node, const Variable& x, const Vars& bounds) {
  Vars inputs{x};
  inputs.insert(inputs.end(), bounds.begin(), bounds.end());
  SubtensorAttrs attrs = node.attrs().as<SubtensorAttrs>();
  attrs.add = false;
  return apply(subtensor_op, std::move(inputs), attrs, node.origin());
}

Variable assigned(
    const Apply& node, const Variable& x, const Variable& y, const Vars& bounds, bool add) {
  Vars inputs{x, y};
  inputs.insert(inputs.end(), bounds.begin(), bounds.end());
  SubtensorAttrs attrs = node.attrs().as<SubtensorAttrs>();
  attrs.add = add;
  return apply(set_subtensor_op, std::move(inputs), attrs, node.origin());
}

Variable zeros_of(const Variable& x, Origin at) {
  const Vars sizes = sizes_of(x, at);
  return zeros(Operands(sizes.begin(), sizes.end()), x.dtype());
}

Variable zeros_for(const Variable& x, const Variable& bar, Origin at) {
  return patternbroadcast({cast({zeros_of(x, at), at}, bar.dtype()), at}, x.type().broadcastable());
}

Vars subtensor_pullback(const Adjoint& a) {
  Vars result(a.in.size());
  const Variable zero = zeros_for(a.in[0], a.out_bar[0], a.node.origin());
  result[0] = assigned(a.node, zero, a.out_bar[0], bounds_of(a.in, 1), true);
  return result;
}

Vars set_pullback(const Adjoint& a) {
  Vars result(a.in.size());
  const Vars bounds = bounds_of(a.in, 2);
  const Variable& bar = a.out_bar[0];
  result[0] = bar;
  if (!a.node.attrs().as<SubtensorAttrs>().add) {
    result[0] = assigned(a.node, bar, zeros_for(a.in[1], bar, a.node.origin()), bounds, false);
  }
  result[1] = patternbroadcast(part_like(a.node, bar, bounds), a.in[1].type().broadcastable());
  return result;
}

/// True of a number that the part's dtype holds: a float for floats, else the same value.
bool number_fits(const Variable& y, DType dtype) {
  const Array* value = constant_value(y);
  if (!value || value->rank() > 0) return false;
  if (is_float(dtype)) return true;
  return !is_float(y.dtype()) && dtype != DType::boolean &&
         same_elements(value->astype(dtype).astype(value->dtype()), *value) &&
         (value->item() < 0) == (value->astype(dtype).item() < 0);
}

/// y in the dtype and shape of the part.
Variable fitted(const Variable& part, const Operand& y) {
  const DType dtype = part.dtype();
  if (promote(dtype, y.variable.dtype()) != dtype && !number_fits(y, dtype)) {
    throw Error(
        Error::Kind::dtype,
        "values of " + std::string(name(y.variable.dtype())) + " don't fit into a part of " +
            std::string(name(dtype)),
        "convert them with astype, or the value they go into")
        .with(describe(y.variable, y.variable.type(), "values"))
        .at(y.at);
  }
  const Variable value = cast(y, dtype);
  if (value.ndim() > part.ndim()) {
    throw Error(
        Error::Kind::shape,
        "values with " + std::to_string(value.ndim()) + " axes for a part with " +
            std::to_string(part.ndim()))
        .at(y.at);
  }
  const Variable wide = pad_left(value, part.ndim(), y.at);
  bool stretches = false;
  for (int axis = 0; axis < part.ndim(); ++axis)
    stretches |= wide.type().broadcastable(axis) && !part.type().broadcastable(axis);
  if (!stretches) return wide;
  const Vars sizes = sizes_of(part, y.at);
  return broadcast_to({wide, y.at}, Operands(sizes.begin(), sizes.end()));
}

std::vector<int> inverse(const std::vector<int>& pattern, int rank) {
  std::vector<int> back(static_cast<std::size_t>(rank), -1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] >= 0) back[static_cast<std::size_t>(pattern[i])] = static_cast<int>(i);
  }
  return back;
}

/// x with the elements that index arrays name assigned to, through the slices and moved axes that
/// the same brackets put between x and the gathering.
Variable assign_gathered(const Apply& node, const Variable& value, bool add, Origin at) {
  Vars inputs{node.input(0), value};
  inputs.insert(inputs.end(), node.inputs().begin() + 1, node.inputs().end());
  const auto& attrs = node.attrs().as<GatherAttrs>();
  Variable whole = apply(scatter_op, std::move(inputs), GatherAttrs{attrs.axis, add, 0}, at);
  const Apply* layer = &node;
  for (int i = 0; i < attrs.layers; ++i) {
    layer = &layer->input(0).node();
    const Variable& x = layer->input(0);
    if (&layer->op() == &subtensor_op) {
      whole = assigned(*layer, x, whole, bounds_of(layer->inputs(), 1), false);
    } else {
      const auto& pattern = layer->attrs().as<DimShuffleAttrs>().pattern;
      whole = dimshuffle({whole, at}, inverse(pattern, x.ndim()));
    }
  }
  return whole;
}

bool is_part(const Variable& v) {
  const Op& op = v.node().op();
  return &op == &gather_op || &op == &subtensor_op || &op == &dimshuffle_op;
}

Variable assign(const Operand& part, const Operand& y, bool add) {
  const Apply& node = part.variable.node();
  const Variable value = fitted(part.variable, y);
  if (&node.op() == &gather_op) return assign_gathered(node, value, add, part.at);
  if (&node.op() == &subtensor_op) {
    return assigned(node, node.input(0), value, bounds_of(node.inputs(), 1), add);
  }
  if (&node.op() == &dimshuffle_op) {
    const auto& pattern = node.attrs().as<DimShuffleAttrs>().pattern;
    // The part's new axes go again; a call finds whether the values have size 1 there.
    std::vector<int> added;
    for (int axis = 0; axis < part.variable.ndim(); ++axis) {
      if (pattern[static_cast<std::size_t>(axis)] < 0) added.push_back(axis);
    }
    const Operand narrow(addbroadcast({value, y.at}, added), y.at);
    const auto back = inverse(pattern, node.input(0).ndim());
    const Operand inner(node.input(0), part.at), flat(dimshuffle(narrow, back), part.at);
    // Brackets of new axes alone name the whole value.
    if (!added.empty() && !is_part(inner)) return add ? inner + flat : fill(inner, flat);
    return assign(inner, flat, add);
  }
  throw Error(
      Error::Kind::graph,
      "set_subtensor and inc_subtensor take an indexed value, as x[0], and got " + print_name(node),
      "write set_subtensor(x[slice(1, 5)], y)")
      .at(part.at);
}

}  // namespace

Variable set_subtensor(Operand part, Operand y) {
  return assign(part, y, false);
}

Variable inc_subtensor(Operand part, Operand y) {
  return assign(part, y, true);
}

constinit const Op subtensor_op{
    .name = "Subtensor",
    .doc = "a part by slices and numbers; a view",
    .arity = -1,
    .infer = infer_subtensor,
    .lowering =
        ViewLowering{
            view_subtensor,
            [](const TypeCall& call, const Layout& in) { return start_of(call, in, 1); },
        },
    .eval = eval_view,
    .pullback = subtensor_pullback,
    .size_inputs = ~1U,
};

constinit const Op set_subtensor_op{
    .name = "SetSubtensor",
    .doc = "a value with a part replaced, or added to",
    .arity = -1,
    .infer = infer_set_subtensor,
    .lowering =
        AssembleLowering{
            pieces_of_set,
            [](const TypeCall& call, const Layout& out) { return start_of(call, out, 2); },
        },
    .eval = eval_assembly,
    .pullback = set_pullback,
    .print_name = [](const Apply& node) -> std::string {
      return node.attrs().as<SubtensorAttrs>().add ? "IncSubtensor" : "SetSubtensor";
    },
    .size_inputs = ~3U,
};

}  // namespace hypatia
