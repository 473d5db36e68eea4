#include "engine/ops/reshape.h"

#include <algorithm>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

constexpr std::uint32_t all_but_first = ~1U;

/// Sizes given as inputs 1, 2, …; unknown_dim where a value is not known yet.
Dims given_sizes(const TypeCall& call) {
  Dims dims;
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    const Array* value = call.value(static_cast<int>(i));
    dims.push_back(value ? whole_number(*value) : unknown_dim);
  }
  return dims;
}

Type typed(const Type& x, const Dims& dims, const std::vector<bool>& pattern) {
  Type out = Type(x.dtype(), 0).with_place(x.place());
  for (int axis = 0; axis < dims.rank(); ++axis) {
    const bool one = pattern[static_cast<std::size_t>(axis)];
    out.push_axis(one ? 1 : dims[axis], one);
  }
  return out;
}

/// Sizes as they were asked for: (3, -1); "?" where they are not known yet.
std::string asked(const TypeCall& call) {
  std::string text;
  const int count = static_cast<int>(call.in.size());
  for (int i = 1; i < count; ++i) {
    const Array* size = call.value(i);
    text += (i > 1 ? ", " : "") + (size ? std::to_string(whole_number(*size)) : "?");
  }
  return "(" + text + (count == 2 ? ",)" : ")");
}

void infer_reshape(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  Dims dims = given_sizes(call);
  bool all_given = true;
  int open = -1;
  std::int64_t known = 1;
  for (int axis = 0; axis < dims.rank(); ++axis) {
    const bool given = call.value(axis + 1) != nullptr;
    all_given &= given;
    if (given && dims[axis] < 0) {
      if (open >= 0 || dims[axis] != -1) {
        throw Error(
            Error::Kind::shape, "reshape to " + asked(call), "one size may be -1, to be found");
      }
      open = axis;
    } else {
      known *= dims[axis];
    }
  }
  if (all_given && x.known()) {
    const std::int64_t count = elements(x.dims());
    if (open >= 0 && known > 0 && count % known == 0) dims[open] = count / known;
    if (open >= 0 && known == 0) {
      throw Error(
          Error::Kind::shape,
          "reshape to " + asked(call) + ": beside a size of 0 any size would do for -1",
          "give every size");
    }
    if (elements(dims) != count) {
      throw Error(
          Error::Kind::shape,
          "reshape of " + std::to_string(count) + " elements to " + asked(call),
          "the sizes must multiply to the number of elements");
    }
  } else if (open >= 0) {
    dims[open] = unknown_dim;
  }
  out.push_back(typed(x, dims, call.attrs.as<PatternAttrs>().broadcastable));
}

bool view_reshape(const CostCall& call, const Layout& in, Layout* out) {
  std::int64_t step = 1;
  const bool any = elements(in.dims) > 0;  // no elements lie without gaps
  for (int axis = in.dims.rank() - 1; any && axis >= 0; --axis) {
    if (in.dims[axis] != 1 && in.strides[axis] != step) return false;
    step *= in.dims[axis];
  }
  *out = {call.out[0].dims(), row_major(call.out[0].dims()), in.offset};
  return true;
}

void infer_broadcast_to(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  Dims dims = given_sizes(call);
  const int lead = dims.rank() - x.rank();
  if (lead < 0) {
    throw Error(
        Error::Kind::shape,
        "broadcast_to " + std::to_string(dims.rank()) + " axes of a value with " +
            std::to_string(x.rank()));
  }
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (call.value(axis + 1) && dims[axis] < 0) {
      throw Error(Error::Kind::shape, "a size of " + std::to_string(dims[axis]));
    }
    if (axis < lead || x.broadcastable(axis - lead)) continue;
    const std::int64_t own = x.dims()[axis - lead];
    if (own != unknown_dim && dims[axis] != unknown_dim && own != dims[axis]) {
      throw Error(
          Error::Kind::shape,
          "broadcast_to: axis " + std::to_string(axis) + " has size " + std::to_string(own) +
              " and is asked for " + std::to_string(dims[axis]),
          "only broadcastable axes stretch (use addbroadcast, expand_dims or dimshuffle)");
    }
    if (dims[axis] == unknown_dim) dims[axis] = own;
  }
  out.push_back(typed(x, dims, call.attrs.as<PatternAttrs>().broadcastable));
}

bool view_broadcast_to(const CostCall& call, const Layout& in, Layout* out) {
  const Dims& dims = call.out[0].dims();
  *out = {dims, Dims::filled(dims.rank(), 0), in.offset};
  const int lead = dims.rank() - in.dims.rank();
  for (int axis = lead; axis < dims.rank(); ++axis) {
    if (in.dims[axis - lead] == dims[axis]) out->strides[axis] = in.strides[axis - lead];
  }
  return true;
}

/// One gradient for x, none for the sizes.
Vars first_of(const Adjoint& a, const Variable& gradient) {
  Vars result(a.in.size());
  result[0] = gradient;
  return result;
}

/// The sum over the axes along which broadcast_to repeated.
Variable unstretched(const Adjoint& a) {
  const Variable &x = a.in[0], &out = a.out[0];
  const int lead = out.ndim() - x.ndim();
  std::vector<int> axes, back;
  for (int axis = 0; axis < out.ndim(); ++axis) {
    const bool stretched = axis >= lead && x.type().broadcastable(axis - lead);
    if (axis < lead || (stretched && !out.type().broadcastable(axis))) axes.push_back(axis);
    if (axis >= lead) back.push_back(axis);
  }
  if (axes.empty()) return a.out_bar[0];
  const Variable total = cast(sum(a.out_bar[0], Axes(axes, true)), a.out_bar[0].dtype());
  return dimshuffle(total, back);
}

void infer_rebroadcast(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  const auto& pattern = call.attrs.as<PatternAttrs>().broadcastable;
  Type result = Type(x.dtype(), 0).with_place(x.place());
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool one = pattern[static_cast<std::size_t>(axis)];
    const std::int64_t size = x.dims()[axis];
    if (one && size != unknown_dim && size != 1) {
      throw Error(
          Error::Kind::shape,
          "axis " + std::to_string(axis) + " is to be broadcastable and has size " +
              std::to_string(size),
          "only an axis of size 1 can promise to stay so");
    }
    result.push_axis(one ? 1 : size, one);
  }
  out.push_back(result);
}

std::int64_t diagonal_length(const Dims& d, int k) {
  return std::max<std::int64_t>(0, std::min(d[0] - std::max(-k, 0), d[1] - std::max(k, 0)));
}

void infer_diagonal(const TypeCall& call, Types& out) {
  const Type& x = call.in[0];
  if (x.rank() != 2) throw Error(Error::Kind::shape, "diag takes a vector or a matrix");
  const bool known = x.known();
  const std::int64_t n =
      known ? diagonal_length(x.dims(), call.attrs.as<DiagonalAttrs>().k) : unknown_dim;
  out.push_back(Type(x.dtype(), Dims{n}).with_place(x.place()));
}

bool view_diagonal(const CostCall& call, const Layout& in, Layout* out) {
  const int k = call.attrs.as<DiagonalAttrs>().k;
  const std::int64_t start = k > 0 ? k * in.strides[1] : -k * in.strides[0];
  const bool some = call.out[0].dims()[0] > 0;
  *out = {call.out[0].dims(), Dims{in.strides[0] + in.strides[1]}, in.offset + (some ? start : 0)};
  return true;
}

void infer_diagonal_matrix(const TypeCall& call, Types& out) {
  const Type& v = call.in[0];
  const std::int64_t n = v.dims()[0], k = std::abs(call.attrs.as<DiagonalAttrs>().k);
  const std::int64_t size = n == unknown_dim ? n : n + k;
  out.push_back(Type(v.dtype(), Dims{size, size}).with_place(v.place()));
}

void pieces_of_diagonal(const CostCall& call, std::vector<Piece>* out) {
  const Dims& dims = call.out[0].dims();
  const int k = call.attrs.as<DiagonalAttrs>().k;
  out->push_back({1, {dims, row_major(dims), 0}});
  const std::int64_t start = k > 0 ? k : -k * dims[1];
  out->push_back({0, {call.in[0].dims(), Dims{dims[1] + 1}, start}});
}

void infer_join(const TypeCall& call, Types& out) {
  const int axis = call.attrs.as<AxisAttrs>().axis;
  const Type& first = call.in[0];
  Type result = Type(first.dtype(), 0);
  for (const Type& t : call.in) {
    if (t.rank() != first.rank() || t.dtype() != first.dtype()) {
      throw Error(Error::Kind::shape, "join takes parts of one rank and dtype");
    }
    if (!t.place().on_host()) result = result.with_place(t.place());
  }
  for (int a = 0; a < first.rank(); ++a) {
    std::int64_t total = 0, same = unknown_dim;
    bool one = true, known = true;
    for (const Type& t : call.in) {
      const std::int64_t size = t.dims()[a];
      one &= t.broadcastable(a);
      known &= size != unknown_dim;
      total += size;
      if (size == unknown_dim) continue;
      if (a != axis && same != unknown_dim && same != size) {
        throw Error(
            Error::Kind::shape,
            "join along axis " + std::to_string(axis) + ": sizes differ along axis " +
                std::to_string(a) + ", " + std::to_string(same) + " and " + std::to_string(size));
      }
      same = size;
    }
    if (a == axis) {
      result.push_axis(known ? total : unknown_dim, false);
    } else {
      result.push_axis(same, one);
    }
  }
  out.push_back(result);
}

void pieces_of_join(const CostCall& call, std::vector<Piece>* out) {
  const int axis = call.attrs.as<AxisAttrs>().axis;
  const Dims strides = row_major(call.out[0].dims());
  std::int64_t start = 0;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    out->push_back({static_cast<int>(i), {call.in[i].dims(), strides, start * strides[axis]}});
    start += call.in[i].dims()[axis];
  }
}

Vars join_pullback(const Adjoint& a) {
  const int axis = a.node.attrs().as<AxisAttrs>().axis;
  const Origin at = a.node.origin();
  Variable start = as_size(Operand(0, at).variable, at);
  Vars result;
  for (const Variable& part : a.in) {
    const Variable stop = start + shape_i({part, at}, axis);
    std::vector<Index> indices(static_cast<std::size_t>(axis), Index(every, at));
    indices.emplace_back(slice(start, stop), at);
    result.push_back(
        patternbroadcast({indexed({a.out_bar[0], at}, indices), at}, part.type().broadcastable()));
    start = stop;
  }
  return result;
}

void infer_make_vector(const TypeCall& call, Types& out) {
  out.push_back(Type(DType::int64, Dims{static_cast<std::int64_t>(call.in.size())}));
}

std::vector<Array> eval_make_vector(const EvalCall& call) {
  Array out(DType::int64, call.out_types[0].dims());
  std::int64_t* to = out.data<std::int64_t>();
  for (const Array& a : call.in)
    *to++ = whole_number(a);
  return {out};
}

}  // namespace

constinit const Op reshape_op{
    .name = "Reshape",
    .doc = "the same elements in another shape",
    .arity = -1,
    .infer = infer_reshape,
    .lowering = ViewLowering{view_reshape},
    .eval = eval_view,
    .pullback = [](const Adjoint& a) -> Vars {
      const Vars sizes = sizes_of(a.in[0], a.node.origin());
      return first_of(a, reshape(a.out_bar[0], Operands(sizes.begin(), sizes.end())));
    },
    .size_inputs = all_but_first,
};

constinit const Op broadcast_to_op{
    .name = "BroadcastTo",
    .doc = "repeated along broadcastable and new axes, without memory",
    .arity = -1,
    .infer = infer_broadcast_to,
    .lowering = ViewLowering{view_broadcast_to},
    .eval = eval_view,
    .pullback = [](const Adjoint& a) -> Vars { return first_of(a, unstretched(a)); },
    .foldable = false,
    .size_inputs = all_but_first,
};

constinit const Op rebroadcast_op{
    .name = "Rebroadcast",
    .doc = "the same value with other promises of size 1",
    .infer = infer_rebroadcast,
    .lowering = ViewLowering{[](const CostCall& call, const Layout& in, Layout* out) {
      *out = in;
      out->dims = call.out[0].dims();
      return true;
    }},
    .eval = eval_view,
    .pullback = [](const Adjoint& a) -> Vars {
      return {patternbroadcast(a.out_bar[0], a.in[0].type().broadcastable())};
    },
};

constinit const Op make_vector_op{
    .name = "MakeVector",
    .doc = "numbers as an int64 vector",
    .arity = -1,
    .infer = infer_make_vector,
    .lowering = HostLowering{.why = "numbers of the host are put together"},
    .eval = eval_make_vector,
    .pullback = [](const Adjoint& a) -> Vars { return Vars(a.in.size()); },
};

constinit const Op diagonal_op{
    .name = "ExtractDiag",
    .doc = "the k-th diagonal of a matrix, a view",
    .infer = infer_diagonal,
    .lowering = ViewLowering{view_diagonal},
    .eval = eval_view,
    .pullback = [](const Adjoint& a) -> Vars {
      const Origin at = a.node.origin();
      const int k = a.node.attrs().as<DiagonalAttrs>().k;
      const Vars sizes = sizes_of(a.in[0], at);
      const Variable zero = zeros({sizes[0], sizes[1]}, a.in[0].dtype());
      const Variable line = full({shape_i(a.out_bar[0], 0)}, 1);
      const Variable rows = iota(shape_i(a.out_bar[0], 0)) + std::max(-k, 0);
      const Variable columns = iota(shape_i(line, 0)) + std::max(k, 0);
      return {inc_subtensor(indexed(zero, {rows, columns}), a.out_bar[0])};
    },
};

constinit const Op diagonal_matrix_op{
    .name = "AllocDiag",
    .doc = "a vector as the k-th diagonal of a matrix of zeros",
    .arity = 2,
    .infer = infer_diagonal_matrix,
    .lowering = AssembleLowering{pieces_of_diagonal},
    .eval = eval_assembly,
    .pullback = [](const Adjoint& a) -> Vars {
      return {diag(a.out_bar[0], a.node.attrs().as<DiagonalAttrs>().k), Variable()};
    },
};

constinit const Op join_op{
    .name = "Join",
    .doc = "arrays one after another along an axis",
    .arity = -1,
    .infer = infer_join,
    .lowering = AssembleLowering{pieces_of_join},
    .eval = eval_assembly,
    .pullback = join_pullback,
};

}  // namespace hypatia
