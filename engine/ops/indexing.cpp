// From what stands between the brackets to ops: slices and numbers, arrays, masks, new axes.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// False of new axes, and of an ellipsis that stands for none.
bool takes_axis(const Index& i) {
  return i.kind != Index::Kind::new_axis && i.kind != Index::Kind::rest;
}

std::vector<Index> expanded(const Operand& x, const std::vector<Index>& indices) {
  int used = 0, rests = 0;
  std::vector<Index> out;
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::number && i.variable.dtype() == DType::boolean) {
      throw Error(
          Error::Kind::dtype,
          "a single bool is no index",
          "use switch_ to choose between values, or a mask with the axes it picks from")
          .at(i.at);
    }
    if (i.kind == Index::Kind::rest) ++rests;
    if (i.kind == Index::Kind::new_axis || i.kind == Index::Kind::rest) continue;
    const bool mask = i.kind == Index::Kind::array && i.variable.dtype() == DType::boolean;
    used += mask ? i.variable.ndim() : 1;
  }
  if (rests > 1 || used > x.variable.ndim()) {
    throw Error(
        Error::Kind::shape,
        rests > 1 ? std::string("more than one ellipsis between the brackets")
                  : std::to_string(used) + " indices of a value with " +
                        std::to_string(x.variable.ndim()) + " axes",
        "one index an axis; newaxis adds axes")
        .with({"value", brief(x.variable.type()), x.variable.name(), x.variable.node().origin()})
        .at(x.at);
  }
  int axis = 0;
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::rest) {
      // An ellipsis of no axes stays: it parts the index arrays beside it, as NumPy's does.
      if (used == x.variable.ndim()) out.push_back(i);
      for (int k = used; k < x.variable.ndim(); ++k, ++axis)
        out.emplace_back(every, i.at);
    } else if (i.kind == Index::Kind::array && i.variable.dtype() == DType::boolean) {
      // The sizes that the mask must have come behind it.
      Vars inputs{i.variable};
      for (int k = 0; k < i.variable.ndim(); ++k)
        inputs.push_back(shape_i(x, axis++));
      for (const Variable& v : apply_all(nonzero_op, std::move(inputs), {}, i.at))
        out.emplace_back(v, i.at);
    } else {
      axis += i.kind == Index::Kind::new_axis ? 0 : 1;
      out.push_back(i);
    }
  }
  return out;
}

void add_bound(const Bound& bound, int bit, int* kind, Vars* inputs, Origin at) {
  if (!bound.variable) return;
  *kind |= bit;
  inputs->push_back(as_size(bound.variable, at));
}

/// The slices and numbers; arrays keep their whole axes. Slices of everything make a part only
/// where nothing else stands beside them, for set_subtensor(x[every], y).
Variable sliced(const Operand& x, const std::vector<Index>& indices) {
  SubtensorAttrs attrs;
  Vars inputs{x.variable};
  bool nothing = false, whole = true;
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::new_axis || i.kind == Index::Kind::array) nothing = true;
    if (!takes_axis(i)) continue;
    int kind = i.kind == Index::Kind::number ? 0 : is_slice;
    std::int64_t step = 1;
    if (i.kind == Index::Kind::number) inputs.push_back(as_size(i.variable, i.at));
    if (i.kind == Index::Kind::range) {
      step = i.range.step;
      if (step == 0) throw Error(Error::Kind::value, "a slice with step 0").at(i.at);
      add_bound(i.range.start, has_start, &kind, &inputs, i.at);
      add_bound(i.range.stop, has_stop, &kind, &inputs, i.at);
    }
    whole &= kind == is_slice && step == 1;
    attrs.kinds.push_back(kind);
    attrs.steps.push_back(step);
  }
  nothing |= attrs.kinds.empty();
  return nothing && whole ? x.variable : apply(subtensor_op, std::move(inputs), attrs, x.at);
}

}  // namespace

namespace {

bool is_advanced(const Index& i) {
  return i.kind == Index::Kind::number || i.kind == Index::Kind::array;
}

/// Where index arrays stand among the axes that slices and numbers left.
struct Arrays {
  Operands operands;
  std::vector<int> axes;
  bool together = true;  // nothing parts them, so that their axes stay in place
};

Arrays arrays_of(const std::vector<Index>& entries) {
  Arrays arrays;
  int axis = 0, first = -1, last = -1, advanced = 0;
  for (int k = 0; k < static_cast<int>(entries.size()); ++k) {
    const Index& i = entries[static_cast<std::size_t>(k)];
    if (is_advanced(i)) {
      if (first < 0) first = k;
      last = k;
      ++advanced;
    }
    if (i.kind == Index::Kind::array) {
      arrays.operands.emplace_back(i.variable, i.at);
      arrays.axes.push_back(axis);
    }
    axis += i.kind == Index::Kind::number || !takes_axis(i) ? 0 : 1;
  }
  arrays.together = last - first + 1 == advanced;
  return arrays;
}

/// The axes of the arrays, then the others.
std::vector<int> arrays_first(const std::vector<int>& axes, int rank) {
  std::vector<int> order = axes;
  for (int a = 0; a < rank; ++a) {
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) order.push_back(a);
  }
  return order;
}

/// The new axes put between those of a result, of which index arrays made `picked`.
Variable with_new_axes(
    const Variable& result,
    const std::vector<Index>& entries,
    int picked,
    bool together,
    Origin at) {
  std::vector<int> pattern;
  int next = 0;
  bool adds = false, placed = picked == 0;
  const auto place_picked = [&] {
    for (int k = 0; k < picked && !placed; ++k)
      pattern.push_back(next++);
    placed = true;
  };
  if (!together) place_picked();
  for (const Index& i : entries) {
    adds |= i.kind == Index::Kind::new_axis;
    if (i.kind == Index::Kind::new_axis) {
      pattern.push_back(-1);
    } else if (is_advanced(i)) {
      place_picked();
    } else if (takes_axis(i)) {
      pattern.push_back(next++);
    }
  }
  while (next < result.ndim())
    pattern.push_back(next++);
  return adds ? dimshuffle({result, at}, pattern) : result;
}

}  // namespace

Variable indexed(Operand x, const std::vector<Index>& indices) {
  const std::vector<Index> entries = expanded(x, indices);
  Variable value = sliced(x, entries);
  const Arrays arrays = arrays_of(entries);
  if (arrays.operands.empty()) return with_new_axes(value, entries, 0, true, x.at);
  int layers = value == x.variable ? 0 : 1, first = arrays.axes.front();
  if (!arrays.together) {
    const std::vector<int> order = arrays_first(arrays.axes, value.ndim());
    value = dimshuffle({value, x.at}, order);
    first = 0;
    ++layers;
  }
  const int others = value.ndim() - static_cast<int>(arrays.axes.size());
  const Variable result = gather({value, x.at}, arrays.operands, first, layers);
  return with_new_axes(result, entries, result.ndim() - others, arrays.together, x.at);
}

Variable Variable::operator[](const Index& index) const {
  return indexed({*this, index.at}, {index});
}

Variable Variable::operator()(const Index& first) const {
  return indexed({*this, first.at}, {first});
}

Variable Variable::operator()(const Index& first, const Index& second) const {
  return indexed({*this, first.at}, {first, second});
}

Variable Variable::operator()(const Index& first, const Index& second, const Index& third) const {
  return indexed({*this, first.at}, {first, second, third});
}

Variable Variable::operator()(
    const Index& first, const Index& second, const Index& third, const Index& fourth) const {
  return indexed({*this, first.at}, {first, second, third, fourth});
}

Vars split(Operand x, const Operands& sizes, int axis) {
  const int along = normal_axis(axis, x, "split");
  const Operand zero(as_size(Operand(0, x.at), x.at), x.at), length(shape_i(x, along), x.at);
  const std::string help = "sizes are 0 or more, and sum to the size of the axis";
  Vars widths;
  Operand total = zero;
  for (const Operand& size : sizes) {
    const Operand width(as_size(size, x.at), x.at);
    widths.push_back(require(
        width.variable, width >= zero, {"split: a part is to have a size of {0}", help}, x.at));
    total = Operand(total + Operand(widths.back(), x.at), x.at);
  }
  const RequireAttrs words{"split: sizes that sum to {1}, of an axis with a size of {2}", help};
  Variable start =
      require(zero.variable, eq(total, length), words, x.at, {total.variable, length.variable});
  Vars parts;
  for (const Variable& width : widths) {
    const Variable stop = Operand(start, x.at) + Operand(width, x.at);
    std::vector<Index> indices(static_cast<std::size_t>(along), Index(every, x.at));
    indices.emplace_back(slice(start, stop), x.at);
    parts.push_back(indexed(x, indices));
    start = stop;
  }
  return parts;
}

Variable flip(Operand x, int axis) {
  const int along = normal_axis(axis, x, "flip");
  std::vector<Index> indices(static_cast<std::size_t>(along), Index(every, x.at));
  indices.emplace_back(slice(none, none, -1), x.at);
  return indexed(x, indices);
}

Variable roll(Operand x, Operand shift, int axis) {
  const int along = normal_axis(axis, x, "roll");
  const Operand size(shape_i(x, along), x.at);
  const Operand some(maximum(size, Operand(1, x.at)), x.at);
  const Operand by(Operand(as_size(shift, x.at), x.at) % some, x.at);
  const Variable cut = size - by;
  std::vector<Index> front(static_cast<std::size_t>(along), Index(every, x.at)), back = front;
  front.emplace_back(slice(cut, none), x.at);
  back.emplace_back(slice(none, cut), x.at);
  return join(along, {Operand(indexed(x, front), x.at), Operand(indexed(x, back), x.at)});
}

}  // namespace hypatia
