// From what stands between the brackets to ops: slices and numbers, arrays, masks, new axes.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

constexpr int is_slice = 1, has_start = 2, has_stop = 4;

std::vector<Index> expanded(const Operand& x, const std::vector<Index>& indices) {
  int used = 0, rests = 0;
  std::vector<Index> out;
  for (const Index& i : indices) {
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
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::rest) {
      for (int k = used; k < x.variable.ndim(); ++k)
        out.emplace_back(every, i.at);
    } else if (i.kind == Index::Kind::array && i.variable.dtype() == DType::boolean) {
      for (const Variable& v : nonzero({i.variable, i.at}))
        out.emplace_back(v, i.at);
    } else {
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

/// The slices and numbers; arrays keep their whole axes.
Variable sliced(const Operand& x, const std::vector<Index>& indices) {
  SubtensorAttrs attrs;
  Vars inputs{x.variable};
  bool nothing = true;
  for (const Index& i : indices) {
    if (i.kind == Index::Kind::new_axis) continue;
    int kind = i.kind == Index::Kind::number ? 0 : is_slice;
    std::int64_t step = 1;
    if (i.kind == Index::Kind::number) inputs.push_back(as_size(i.variable, i.at));
    if (i.kind == Index::Kind::range) {
      step = i.range.step;
      if (step == 0) throw Error(Error::Kind::value, "a slice with step 0").at(i.at);
      add_bound(i.range.start, has_start, &kind, &inputs, i.at);
      add_bound(i.range.stop, has_stop, &kind, &inputs, i.at);
    }
    nothing &= kind == is_slice && step == 1;
    attrs.kinds.push_back(kind);
    attrs.steps.push_back(step);
  }
  return nothing ? x.variable : apply(subtensor_op, std::move(inputs), attrs, x.at);
}

}  // namespace

Variable indexed(Operand x, const std::vector<Index>& indices) {
  const std::vector<Index> axes = expanded(x, indices);
  Variable value = sliced(x, axes);
  Operands arrays;
  std::vector<int> array_axes, order;
  int axis = 0;
  for (const Index& i : axes) {
    if (i.kind == Index::Kind::number || i.kind == Index::Kind::new_axis) continue;
    if (i.kind == Index::Kind::array) {
      arrays.emplace_back(i.variable, i.at);
      array_axes.push_back(axis);
    }
    ++axis;
  }
  if (!arrays.empty()) {
    // Arrays with slices between them: their axes come first, as in NumPy.
    const bool together =
        array_axes.back() - array_axes.front() + 1 == static_cast<int>(array_axes.size());
    if (!together) {
      order = array_axes;
      for (int a = 0; a < value.ndim(); ++a) {
        if (std::find(array_axes.begin(), array_axes.end(), a) == array_axes.end())
          order.push_back(a);
      }
      value = dimshuffle({value, x.at}, order);
    }
    return gather({value, x.at}, arrays, together ? array_axes.front() : 0);
  }
  std::vector<int> pattern;
  int kept = 0;
  bool adds = false;
  for (const Index& i : axes) {
    if (i.kind == Index::Kind::number) continue;
    adds |= i.kind == Index::Kind::new_axis;
    pattern.push_back(i.kind == Index::Kind::new_axis ? -1 : kept++);
  }
  while (kept < value.ndim())
    pattern.push_back(kept++);
  return adds ? dimshuffle({value, x.at}, pattern) : value;
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
  const int along = normal_axis(axis, x.variable.ndim(), "split");
  Variable start = as_size(Operand(0, x.at), x.at);
  Vars parts;
  for (const Operand& size : sizes) {
    const Variable stop = Operand(start, x.at) + Operand(as_size(size, x.at), x.at);
    std::vector<Index> indices(static_cast<std::size_t>(along), Index(every, x.at));
    indices.emplace_back(slice(start, stop), x.at);
    parts.push_back(indexed(x, indices));
    start = stop;
  }
  return parts;
}

Variable flip(Operand x, int axis) {
  const int along = normal_axis(axis, x.variable.ndim(), "flip");
  std::vector<Index> indices(static_cast<std::size_t>(along), Index(every, x.at));
  indices.emplace_back(slice(none, none, -1), x.at);
  return indexed(x, indices);
}

Variable roll(Operand x, Operand shift, int axis) {
  const int along = normal_axis(axis, x.variable.ndim(), "roll");
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
