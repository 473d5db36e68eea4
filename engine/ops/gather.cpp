// Elements by arrays of indices: gather, its checked indices, scatter, and nonzero.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// The type of index arrays together. As NumPy's, they stretch wherever their size is 1, whatever
/// their patterns say.
Type index_type(std::span<const Type> indices) {
  std::vector<Type> wide(indices.size(), Type(DType::int64, 0));
  for (int a = 0; a < indices[0].rank(); ++a) {
    const auto is_one = [&](const Type& t) { return t.dims()[a] == 1; };
    const bool stretches = !std::all_of(indices.begin(), indices.end(), is_one);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const bool one = stretches && is_one(indices[i]);
      wide[i].push_axis(indices[i].dims()[a], one || indices[i].broadcastable(a));
    }
  }
  return broadcast(wide, DType::int64);
}

void infer_gather_from(const Type& x, std::span<const Type> indices, int axis, Types& out) {
  const Type index = index_type(indices);
  const int count = static_cast<int>(indices.size());
  Type result = Type(x.dtype(), 0).with_place(x.place());
  for (int a = 0; a < axis; ++a)
    result.push_axis(x.dims()[a], x.broadcastable(a));
  for (int a = 0; a < index.rank(); ++a)
    result.push_axis(index.dims()[a], index.broadcastable(a));
  for (int a = axis + count; a < x.rank(); ++a)
    result.push_axis(x.dims()[a], x.broadcastable(a));
  out.push_back(result);
}

/// Calls f(offset in x, offset in the picked elements) for every picked element, in order.
template <class F>
void each_picked(const Dims& x, std::span<const Array> indices, const Dims& picked, int axis, F f) {
  const int count = static_cast<int>(indices.size());
  const int index_rank = picked.rank() - x.rank() + count;
  const Dims strides = row_major(x);
  std::vector<Array> wide;
  Dims index_dims;
  for (int a = 0; a < index_rank; ++a)
    index_dims.push_back(picked[axis + a]);
  for (const Array& i : indices) {
    Dims steps = i.strides();
    for (int a = 0; a < index_rank; ++a)
      steps[a] = i.dims()[a] == 1 && index_dims[a] != 1 ? 0 : steps[a];
    wide.push_back(Array(i.storage(), i.dtype(), index_dims, steps, i.offset()).copy());
  }
  std::int64_t before = 1, inside = elements(index_dims), after = 1;
  for (int a = 0; a < axis; ++a)
    before *= x[a];
  for (int a = axis + count; a < x.rank(); ++a)
    after *= x[a];
  std::int64_t block = after;
  for (int a = axis; a < axis + count; ++a)
    block *= x[a];
  std::int64_t place = 0;
  for (std::int64_t b = 0; b < before; ++b) {
    for (std::int64_t i = 0; i < inside; ++i) {
      std::int64_t at = b * block;
      for (int k = 0; k < count; ++k) {
        at += static_cast<const std::int64_t*>(wide[static_cast<std::size_t>(k)].address())[i] *
              strides[axis + k];
      }
      for (std::int64_t c = 0; c < after; ++c)
        f(at + c, place++);
    }
  }
}

std::vector<Array> eval_gather(const EvalCall& call) {
  const Array x = call.in[0].contiguous_on_host();
  const Array out(x.dtype(), call.out_types[0].dims());
  const auto size = static_cast<std::size_t>(size_of(x.dtype()));
  const char* from = static_cast<const char*>(x.address());
  char* to = static_cast<char*>(out.address());
  each_picked(
      x.dims(),
      call.in.subspan(1),
      out.dims(),
      call.attrs.as<GatherAttrs>().axis,
      [&](std::int64_t a, std::int64_t b) {
        std::memcpy(
            to + static_cast<std::size_t>(b) * size,
            from + static_cast<std::size_t>(a) * size,
            size);
      });
  return {out};
}

/// Types of an assignment: x, the new values, indices. The values have the shape of the part.
void infer_scatter(const TypeCall& call, Types& out) {
  const Type &x = call.in[0], &values = call.in[1];
  Types part;
  infer_gather_from(x, call.in.subspan(2), call.attrs.as<GatherAttrs>().axis, part);
  bool fits = values.rank() == part[0].rank();
  for (int axis = 0; fits && axis < values.rank(); ++axis) {
    const std::int64_t a = part[0].dims()[axis], b = values.dims()[axis];
    fits = a == b || a == unknown_dim || b == unknown_dim;
  }
  if (!fits) {
    throw Error(
        Error::Kind::shape,
        "a part of type " + brief(part[0]) + " can't take values of type " + brief(values),
        "give one value, or values in the shape of the part");
  }
  out.push_back(x.with_place(host));
}

std::vector<Array> eval_scatter(const EvalCall& call) {
  const auto& attrs = call.attrs.as<GatherAttrs>();
  Types types, checked;
  for (const Array& a : call.in)
    types.push_back(a.type());
  infer_scatter(TypeCall{call.op, call.attrs, types, {}}, checked);
  const Array out = call.in[0].copy();
  const Array values = call.in[1].astype(out.dtype()).copy();
  visit(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(out.address());
    const T* from = static_cast<const T*>(values.address());
    each_picked(
        out.dims(),
        call.in.subspan(2),
        values.dims(),
        attrs.axis,
        [&](std::int64_t a, std::int64_t b) {
          to[a] = attrs.add ? static_cast<T>(to[a] + from[b]) : from[b];
        });
  });
  return {out};
}

std::vector<Array> eval_check_index(const EvalCall& call) {
  const Array out = call.in[0].astype(DType::int64).copy();
  const std::int64_t size = whole_number(call.in[1]);
  std::int64_t* index = static_cast<std::int64_t*>(out.address());
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    const std::int64_t given = index[i];
    index[i] = given < 0 ? given + size : given;
    if (index[i] >= 0 && index[i] < size) continue;
    throw Error(
        Error::Kind::value,
        "index " + std::to_string(given) + " is out of bounds for an axis of size " +
            std::to_string(size),
        "indices run from " + std::to_string(-size) + " to " + std::to_string(size - 1) +
            "; element " + std::to_string(i) + " of the index array is the first beyond");
  }
  return {out};
}

std::vector<std::int64_t> places_of_nonzero(const Array& value) {
  const Array x = value.contiguous_on_host();
  std::vector<std::int64_t> places;
  visit(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* at = static_cast<const T*>(x.address());
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      if (at[i] != T{0}) places.push_back(i);
    }
  });
  return places;
}

/// A mask must have the sizes of what it picks from, which come as further inputs.
void check_mask(const Dims& mask, std::span<const Array* const> sizes) {
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::int64_t size = mask[static_cast<int>(axis)];
    if (!sizes[axis] || size == unknown_dim || size == whole_number(*sizes[axis])) continue;
    throw Error(
        Error::Kind::shape,
        "a mask of size " + std::to_string(size) + " along its axis " + std::to_string(axis) +
            " for an axis of size " + std::to_string(whole_number(*sizes[axis])),
        "a mask has the sizes of the axes it picks from");
  }
}

void infer_nonzero(const TypeCall& call, Types& out) {
  if (!call.values.empty()) check_mask(call.in[0].dims(), call.values.subspan(1));
  const Array* x = call.value(0);
  const std::int64_t count =
      x ? static_cast<std::int64_t>(places_of_nonzero(*x).size()) : unknown_dim;
  for (int axis = 0; axis < call.in[0].rank(); ++axis)
    out.push_back(Type(DType::int64, Dims{count}));
}

std::vector<Array> eval_nonzero(const EvalCall& call) {
  std::vector<const Array*> sizes;
  for (const Array& size : call.in.subspan(1))
    sizes.push_back(&size);
  check_mask(call.in[0].dims(), sizes);
  const std::vector<std::int64_t> places = places_of_nonzero(call.in[0]);
  const Dims& dims = call.in[0].dims();
  const Dims strides = row_major(dims);
  std::vector<Array> out;
  for (int axis = 0; axis < dims.rank(); ++axis) {
    out.emplace_back(DType::int64, Dims{static_cast<std::int64_t>(places.size())});
    std::int64_t* to = out.back().data<std::int64_t>();
    for (std::int64_t place : places)
      *to++ = place / strides[axis] % dims[axis];
  }
  return out;
}

Variable zeros_as(const Variable& x, const Variable& bar, Origin at) {
  const Vars sizes = sizes_of(x, at);
  return zeros(Operands(sizes.begin(), sizes.end()), bar.dtype());
}

Vars gather_pullback(const Adjoint& a) {
  Vars inputs{zeros_as(a.in[0], a.out_bar[0], a.node.origin()), a.out_bar[0]};
  inputs.insert(inputs.end(), a.in.begin() + 1, a.in.end());
  Vars result(a.in.size());
  const GatherAttrs attrs{a.node.attrs().as<GatherAttrs>().axis, true, 0};
  result[0] = apply(scatter_op, std::move(inputs), attrs, a.node.origin());
  return result;
}

/// True of the places that one mask names, none of them twice.
bool of_a_mask(const Vars& indices) {
  return std::all_of(indices.begin(), indices.end(), [&](const Variable& i) {
    return &i.node().op() == &nonzero_op && i.ref() == indices[0].ref();
  });
}

/// 1 where a new value stays, 0 where a later one of the same place replaces it.
Variable written_last(const Adjoint& a, const GatherAttrs& attrs, const Vars& indices) {
  const Origin at = a.node.origin();
  const Vars sizes = sizes_of(a.in[1], at);
  Operand count(as_size(Operand(1, at), at), at);
  for (const Variable& size : sizes)
    count = Operand(count * Operand(size, at), at);
  const Operands dims(sizes.begin(), sizes.end());
  const Operand numbers(reshape({iota(count), at}, dims), at);
  const Vars places = sizes_of(a.in[0], at);
  Vars into{zeros(Operands(places.begin(), places.end()), DType::int64), numbers.variable};
  into.insert(into.end(), indices.begin(), indices.end());
  Vars from{apply(scatter_op, std::move(into), attrs, at)};
  from.insert(from.end(), indices.begin(), indices.end());
  const Variable kept = apply(gather_op, std::move(from), attrs, at);
  return cast({eq({kept, at}, numbers), at}, a.out_bar[0].dtype());
}

Vars scatter_pullback(const Adjoint& a) {
  const auto& attrs = a.node.attrs().as<GatherAttrs>();
  const Variable& bar = a.out_bar[0];
  const Origin at = a.node.origin();
  Vars indices(a.in.begin() + 2, a.in.end()), picked{bar};
  picked.insert(picked.end(), indices.begin(), indices.end());
  Vars result(a.in.size());
  result[1] = apply(gather_op, std::move(picked), GatherAttrs{attrs.axis, false, 0}, at);
  result[0] = bar;
  if (!attrs.add) {
    if (!of_a_mask(indices)) result[1] = result[1] * written_last(a, attrs, indices);
    Vars cleared{bar, zeros_as(a.in[1], bar, at)};
    cleared.insert(cleared.end(), indices.begin(), indices.end());
    result[0] = apply(scatter_op, std::move(cleared), attrs, at);
  }
  return result;
}

}  // namespace

constinit const Op gather_op{
    .name = "AdvancedSubtensor",
    .doc = "elements by arrays of indices",
    .arity = -1,
    .infer =
        [](const TypeCall& call, Types& out) {
          infer_gather_from(call.in[0], call.in.subspan(1), call.attrs.as<GatherAttrs>().axis, out);
        },
    .lowering = GatherLowering{},
    .eval = eval_gather,
    .pullback = gather_pullback,
};

constinit const Op scatter_op{
    .name = "AdvancedIncSubtensor",
    .doc = "elements by arrays of indices replaced, or added to in order",
    .arity = -1,
    .infer = infer_scatter,
    .lowering = HostLowering{.why = "a place may be named twice, and new values go there in order"},
    .eval = eval_scatter,
    .pullback = scatter_pullback,
};

constinit const Op check_index_op{
    .name = "CheckIndex",
    .doc = "indices from 0 on; an error beyond the size",
    .arity = 2,
    .infer =
        [](const TypeCall& call, Types& out) {
          out.push_back(call.in[0].with_dtype(DType::int64).with_place(host));
        },
    .lowering = HostLowering{.why = "only the host can throw its error"},
    .eval = eval_check_index,
    .pullback = [](const Adjoint&) -> Vars { return Vars(2); },
};

constinit const Op nonzero_op{
    .name = "Nonzero",
    .doc = "indices of the elements that are not zero, of a value of given sizes",
    .arity = -1,
    .infer = infer_nonzero,
    .lowering = HostLowering{.why = "how many it finds decides sizes, which the host must know"},
    .eval = eval_nonzero,
    .pullback = [](const Adjoint& a) -> Vars { return Vars(a.in.size()); },
    .size_inputs = ~0U,
};

Variable gather(Operand x, const Operands& indices, int axis, int layers) {
  const int first = normal_axis(axis, x, "take");
  int rank = 0, number = first;
  for (const Operand& i : indices)
    rank = std::max(rank, i.variable.ndim());
  Vars inputs{x.variable};
  for (const Operand& i : indices) {
    if (is_float(i.variable.dtype())) {
      throw Error(
          Error::Kind::dtype,
          "indices are integers, and " + brief(i.variable.type()) + " came",
          "convert with astype(DType::int64)")
          .at(i.at);
    }
    // What nonzero finds in a mask of x's own sizes lies inside.
    const Apply& from = i.variable.node();
    const bool inside = &from.op() == &nonzero_op && from.inputs().size() > 1;
    const Variable size = shape_i(x, number++);
    const Variable index =
        inside ? i.variable : apply(check_index_op, {i.variable, size}, {}, i.at);
    inputs.push_back(pad_left(index, rank, i.at));
  }
  return apply(gather_op, std::move(inputs), GatherAttrs{first, false, layers}, x.at);
}

Variable take(Operand x, Operand indices, int axis) {
  return gather(x, {indices}, axis);
}

Variable take(Operand x, Operand indices) {
  return gather({flatten(x), x.at}, {indices}, 0);
}

Variable take_along_axis(Operand x, Operand index, int axis) {
  const int rank = x.variable.ndim(), along = normal_axis(axis, rank, "take_along_axis");
  Operands indices;
  for (int a = 0; a < rank; ++a) {
    if (a == along) {
      indices.push_back(index);
      continue;
    }
    std::vector<int> pattern(static_cast<std::size_t>(rank), -1);
    pattern[static_cast<std::size_t>(a)] = 0;
    indices.emplace_back(dimshuffle({iota({shape_i(index, a), x.at}), x.at}, pattern), x.at);
  }
  return gather(x, indices, 0);
}

Vars nonzero(Operand x) {
  return apply_all(nonzero_op, {x.variable}, {}, x.at);
}

}  // namespace hypatia
