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

/// Which sizes are the constant 1, now and for ever.
std::vector<bool> pattern_of(const Vars& sizes) {
  std::vector<bool> pattern;
  for (const Variable& v : sizes) {
    const Array* value = constant_value(v);
    pattern.push_back(value && whole_number(*value) == 1);
  }
  return pattern;
}

Type typed(const Type& x, const Dims& dims, const std::vector<bool>& pattern) {
  Type out = Type(x.dtype(), 0).with_place(x.place());
  for (int axis = 0; axis < dims.rank(); ++axis) {
    const bool one = pattern[static_cast<std::size_t>(axis)];
    out.push_axis(one ? 1 : dims[axis], one);
  }
  return out;
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
            Error::Kind::shape, "reshape to " + to_text(dims), "one size may be -1, to be found");
      }
      open = axis;
    } else {
      known *= dims[axis];
    }
  }
  if (all_given && x.known()) {
    const std::int64_t count = elements(x.dims());
    if (open >= 0 && known > 0 && count % known == 0) dims[open] = count / known;
    if (open >= 0 && known == 0) dims[open] = 0;
    if (elements(dims) != count) {
      throw Error(
          Error::Kind::shape,
          "reshape of " + std::to_string(count) + " elements to " + to_text(dims),
          "the sizes must multiply to the number of elements");
    }
  } else if (open >= 0) {
    dims[open] = unknown_dim;
  }
  out.push_back(typed(x, dims, call.attrs.as<PatternAttrs>().broadcastable));
}

bool view_reshape(const CostCall& call, const Layout& in, Layout* out) {
  std::int64_t step = 1;
  for (int axis = in.dims.rank() - 1; axis >= 0; --axis) {
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

void infer_iota(const TypeCall& call, Types& out) {
  const Array* n = call.value(0);
  if (n && whole_number(*n) < 0) {
    throw Error(Error::Kind::shape, "a size of " + std::to_string(whole_number(*n)));
  }
  out.push_back(Type(DType::int64, Dims{n ? whole_number(*n) : unknown_dim}));
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
    result.push_back(patternbroadcast(
        {indexed({a.out_bar[0], at}, indices), at}, part.type().broadcastable()));
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

std::vector<Array> eval_iota(const EvalCall& call) {
  return {Array::arange(whole_number(call.in[0]))};
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

constinit const Op iota_op{
    .name = "Iota",
    .doc = "0, 1, … n-1",
    .infer = infer_iota,
    .lowering = CoordinateLowering{},
    .eval = eval_iota,
    .pullback = [](const Adjoint&) -> Vars { return {Variable()}; },
    .foldable = false,
    .size_inputs = 1,
};

constinit const Op make_vector_op{
    .name = "MakeVector",
    .doc = "numbers as an int64 vector",
    .arity = -1,
    .infer = infer_make_vector,
    .lowering = HostLowering{},
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

namespace {

/// x, then the sizes as int64 numbers.
Vars with_sizes(const Operand& x, const Operands& dims) {
  Vars inputs{x.variable};
  for (const Operand& d : dims)
    inputs.push_back(as_size(d, x.at));
  return inputs;
}

Variable with_pattern(const Op& op, const Operand& x, const Operands& dims) {
  Vars inputs = with_sizes(x, dims);
  const PatternAttrs attrs{pattern_of(Vars(inputs.begin() + 1, inputs.end()))};
  return apply(op, std::move(inputs), attrs, x.at);
}

std::vector<int> counted(int n) {
  std::vector<int> axes(static_cast<std::size_t>(n));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Operands operands_of(const Vars& variables, Origin at) {
  Operands out;
  for (const Variable& v : variables)
    out.emplace_back(v, at);
  return out;
}

Variable triangle(const Operand& x, int k, bool lower) {
  const int rank = x.variable.ndim();
  if (rank < 2) throw Error(Error::Kind::shape, "a triangle of a value without two axes").at(x.at);
  const Variable rows = iota({shape_i(x, rank - 2), x.at});
  const Variable columns = iota({shape_i(x, rank - 1), x.at});
  const Variable distance = Operand(dimshuffle({columns, x.at}, {-1, 0}), x.at) -
                            Operand(dimshuffle({rows, x.at}, {0, -1}), x.at);
  const Operand d{distance, x.at}, limit(k, x.at);
  const Variable inside = lower ? d <= limit : d >= limit;
  const Operand zero(Array(0.0).astype(x.variable.dtype()), x.at);
  return switch_({inside, x.at}, x, zero);
}

}  // namespace

Variable reshape(Operand x, const Operands& dims) {
  return with_pattern(reshape_op, x, dims);
}

Variable flatten(Operand x, int ndim) {
  Operands dims;
  for (int axis = 0; axis + 1 < ndim; ++axis)
    dims.emplace_back(shape_i(x, axis), x.at);
  dims.emplace_back(-1, x.at);
  return reshape(x, dims);
}

Variable make_vector(const Operands& numbers) {
  Vars inputs;
  for (const Operand& n : numbers)
    inputs.push_back(as_size(n, n.at));
  return apply(make_vector_op, std::move(inputs), {}, numbers.empty() ? Origin{} : numbers[0].at);
}

Variable shape(Operand x) {
  return make_vector(operands_of(sizes_of(x, x.at), x.at));
}

Variable broadcast_to(Operand x, const Operands& dims) {
  return with_pattern(broadcast_to_op, x, dims);
}

Variable alloc(Operand value, const Operands& dims) {
  return broadcast_to(value, dims);
}

Variable full(const Operands& dims, Operand value) {
  return broadcast_to(value, dims);
}

Variable zeros(const Operands& dims, DTypeChoice dtype) {
  return full(dims, Operand(Array(0.0).astype(dtype.dtype), dims.empty() ? Origin{} : dims[0].at));
}

Variable ones(const Operands& dims, DTypeChoice dtype) {
  return full(dims, Operand(Array(1.0).astype(dtype.dtype), dims.empty() ? Origin{} : dims[0].at));
}

Variable patternbroadcast(Operand x, const std::vector<bool>& broadcastable) {
  if (x.variable.type().broadcastable() == broadcastable) return x;
  if (static_cast<int>(broadcastable.size()) != x.variable.ndim()) {
    throw Error(Error::Kind::shape, "a pattern of another rank than the value's").at(x.at);
  }
  return apply(rebroadcast_op, {x.variable}, PatternAttrs{broadcastable}, x.at);
}

Variable addbroadcast(Operand x, const std::vector<int>& axes) {
  std::vector<bool> pattern = x.variable.type().broadcastable();
  for (int axis : axes)
    pattern[static_cast<std::size_t>(normal_axis(axis, x.variable.ndim(), "addbroadcast"))] = true;
  return patternbroadcast(x, pattern);
}

Variable unbroadcast(Operand x, const std::vector<int>& axes) {
  std::vector<bool> pattern = x.variable.type().broadcastable();
  for (int axis : axes)
    pattern[static_cast<std::size_t>(normal_axis(axis, x.variable.ndim(), "unbroadcast"))] = false;
  return patternbroadcast(x, pattern);
}

Variable squeeze(Operand x) {
  std::vector<int> kept;
  for (int axis = 0; axis < x.variable.ndim(); ++axis) {
    if (!x.variable.type().broadcastable(axis)) kept.push_back(axis);
  }
  return dimshuffle(x, kept);
}

Variable squeeze(Operand x, int axis) {
  const int rank = x.variable.ndim(), gone = normal_axis(axis, rank, "squeeze");
  std::vector<int> kept = counted(rank);
  kept.erase(kept.begin() + gone);
  return dimshuffle({addbroadcast(x, {gone}), x.at}, kept);
}

Variable expand_dims(Operand x, int axis) {
  const int rank = x.variable.ndim(), place = normal_axis(axis, rank + 1, "expand_dims");
  std::vector<int> pattern = counted(rank);
  pattern.insert(pattern.begin() + place, -1);
  return dimshuffle(x, pattern);
}

Variable swapaxes(Operand x, int a, int b) {
  const int rank = x.variable.ndim();
  std::vector<int> axes = counted(rank);
  const int first = normal_axis(a, rank, "swapaxes"), second = normal_axis(b, rank, "swapaxes");
  std::swap(axes[static_cast<std::size_t>(first)], axes[static_cast<std::size_t>(second)]);
  return dimshuffle(x, axes);
}

Variable moveaxis(Operand x, int from, int to) {
  const int rank = x.variable.ndim();
  std::vector<int> axes = counted(rank);
  const int source = normal_axis(from, rank, "moveaxis");
  axes.erase(axes.begin() + source);
  axes.insert(axes.begin() + normal_axis(to, rank, "moveaxis"), source);
  return dimshuffle(x, axes);
}

Variable tile(Operand x, const Operands& repeats) {
  const int rank = std::max(x.variable.ndim(), static_cast<int>(repeats.size()));
  const Variable wide = pad_left(x, rank, x.at);
  std::vector<int> pattern;
  Operands between, after;
  for (int axis = 0; axis < rank; ++axis) {
    const int lead = rank - static_cast<int>(repeats.size());
    const bool repeated = axis >= lead;
    const Operand times = repeated ? repeats[static_cast<std::size_t>(axis - lead)] : Operand(1);
    const Operand size(as_size(sizes_of(wide, x.at)[static_cast<std::size_t>(axis)], x.at), x.at);
    pattern.insert(pattern.end(), {-1, axis});
    between.push_back(times);
    between.push_back(size);
    after.emplace_back(Operand(as_size(times, x.at), x.at) * size, x.at);
  }
  return reshape({broadcast_to({dimshuffle({wide, x.at}, pattern), x.at}, between), x.at}, after);
}

Variable repeat(Operand x, Operand times, int axis) {
  const int rank = x.variable.ndim(), along = normal_axis(axis, rank, "repeat");
  std::vector<int> pattern = counted(rank);
  pattern.insert(pattern.begin() + along + 1, -1);
  Operands between = operands_of(sizes_of(x, x.at), x.at), after = between;
  const Operand n(as_size(times, x.at), x.at);
  between.insert(between.begin() + along + 1, n);
  Operand& grown = after[static_cast<std::size_t>(along)];
  grown = Operand(grown * n, x.at);
  return reshape({broadcast_to({dimshuffle(x, pattern), x.at}, between), x.at}, after);
}

Variable iota(Operand n) {
  return apply(iota_op, {as_size(n, n.at)}, {}, n.at);
}

Variable arange(Operand stop) {
  return arange({Operand(0, stop.at)}, stop, {Operand(1, stop.at)});
}

Variable arange(Operand start, Operand stop, Operand step) {
  const Origin at = start.at;
  const DType dtype = promote(promote(start.variable.dtype(), stop.variable.dtype()),
                              step.variable.dtype());
  const DType result = is_float(dtype) ? dtype : DType::int64;
  const Operand first(cast(start, result), at), by(cast(step, result), at);
  const Operand length(cast(stop, result) - first, at);
  const Variable count =
      is_float(result) ? cast({ceil({length / by, at}), at}, DType::int64)
                       : -Operand(int_div({-length, at}, by), at);
  const Variable n = maximum({count, at}, Operand(0, at));
  const Variable steps = cast({iota({n, at}), at}, result);
  return first + Operand(Operand(steps, at) * by, at);
}

Variable linspace(Operand first, Operand last, Operand n) {
  const Origin at = first.at;
  const Operand count(as_size(n, at), at);
  const Variable gaps = maximum({count - Operand(1, at), at}, Operand(1, at));
  const DType dtype = at_least_float(promote(first.variable.dtype(), last.variable.dtype()));
  const Operand step(
      Operand(cast(last, dtype) - cast(first, dtype), at) / Operand(cast({gaps, at}, dtype), at),
      at);
  const Variable steps = cast({iota(count), at}, dtype);
  return Operand(cast(first, dtype), at) + Operand(Operand(steps, at) * step, at);
}

Variable eye(Operand rows, Operand columns, int k, DTypeChoice dtype) {
  const Origin at = rows.at;
  const Variable i = dimshuffle({iota(rows) + Operand(k, at), at}, {0, -1});
  const Variable j = dimshuffle({iota(columns), at}, {-1, 0});
  return cast({eq({i, at}, {j, at}), at}, dtype.dtype);
}

Variable eye(Operand n) {
  return eye(n, n);
}

Variable tril(Operand x, int k) {
  return triangle(x, k, true);
}

Variable triu(Operand x, int k) {
  return triangle(x, k, false);
}

Variable diag(Operand x, int k) {
  if (x.variable.ndim() != 1) return apply(diagonal_op, {x.variable}, DiagonalAttrs{k}, x.at);
  const Operand zero(Array(0.0).astype(x.variable.dtype()), x.at);
  const Variable corner = dimshuffle(zero, {-1, -1});
  return apply(diagonal_matrix_op, {x.variable, corner}, DiagonalAttrs{k}, x.at);
}

Variable join(int axis, const Operands& parts) {
  if (parts.empty()) throw Error(Error::Kind::value, "join of no arrays");
  const Origin at = parts[0].at;
  DType dtype = parts[0].variable.dtype();
  for (const Operand& p : parts)
    dtype = promote(dtype, p.variable.dtype());
  Vars inputs;
  for (const Operand& p : parts)
    inputs.push_back(cast(p, dtype));
  if (inputs.size() == 1) return inputs[0];
  const int along = normal_axis(axis, inputs[0].ndim(), "join");
  return apply(join_op, std::move(inputs), AxisAttrs{along}, at);
}

Variable concatenate(const Operands& parts, int axis) {
  return join(axis, parts);
}

Variable stack(const Operands& parts, int axis) {
  Operands wide;
  for (const Operand& p : parts)
    wide.emplace_back(expand_dims(p, axis), p.at);
  return join(axis, wide);
}

}  // namespace hypatia
