// The user's functions on shapes: each is an application or two of the ops in reshape.cpp.
#include <algorithm>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/order.h"
#include "engine/ops/reduce.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// Which sizes are the constant 1, now and for ever.
std::vector<bool> pattern_of(const Vars& sizes) {
  std::vector<bool> pattern;
  for (const Variable& v : sizes) {
    const Array* value = constant_value(v);
    pattern.push_back(value && whole_number(*value) == 1);
  }
  return pattern;
}

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

bool is_zero(const Variable& v) {
  double number = 1;
  return constant_number(v, &number) && number == 0;
}

/// Each place of an axis of that size as often as its count says; one count is for all.
Variable repeated_places(const Operand& counts, const Operand& size) {
  const Origin at = counts.at;
  if (is_float(counts.variable.dtype())) {
    throw Error(
        Error::Kind::dtype,
        "repeat counts in integers, and " + brief(counts.variable.type()) + " came",
        "convert with astype(DType::int64)")
        .at(at);
  }
  const Operand given(shape_i(counts, 0), at), one(1, at);
  const RequireAttrs each{
      "repeat of {1} elements by {0} counts", "give a count for each element, or one for all"};
  const Variable length =
      require(given, eq(given, size) | eq(given, one), each, at, {size.variable});
  // Of one count every element takes the first.
  const Variable last = Operand(length, at) - one;
  const Variable own = minimum({iota(size), at}, {last, at});
  const Operand n(take({cast(counts, DType::int64), at}, {own, at}, 0), at);
  const RequireAttrs signs{"repeat by counts below 0", "counts are 0 or more"};
  const Variable total = require(sum(n), all({n >= Operand(0, at), at}), signs, at);
  return searchsorted({cumsum(n), at}, {iota({total, at}), at}, true);
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

Variable reshape(Operand x, Operand shape, int ndim) {
  Operands dims;
  for (int axis = 0; axis < ndim; ++axis)
    dims.emplace_back(indexed(shape, {Index(axis, x.at)}), x.at);
  return reshape(x, dims);
}

Variable flatten(Operand x, int ndim) {
  const int rank = x.variable.ndim();
  if (ndim < 1 || ndim > std::max(rank, 1)) {
    throw Error(
        Error::Kind::shape,
        "flatten to " + std::to_string(ndim) + " axes of a value with " + std::to_string(rank),
        "flatten keeps from 1 axis to all of them")
        .at(x.at);
  }
  if (ndim == 1) return reshape(x, {Operand(-1, x.at)});
  const Operands sizes = operands_of(sizes_of(x, x.at), x.at);
  Operands dims(sizes.begin(), sizes.begin() + ndim);
  for (int axis = ndim; axis < rank; ++axis)
    dims.back() = Operand(dims.back() * sizes[static_cast<std::size_t>(axis)], x.at);
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

Variable full_like(Operand x, Operand value) {
  return fill(x, {cast(value, x.variable.dtype()), x.at});
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
    pattern[static_cast<std::size_t>(normal_axis(axis, x, "addbroadcast"))] = true;
  return patternbroadcast(x, pattern);
}

Variable unbroadcast(Operand x, const std::vector<int>& axes) {
  std::vector<bool> pattern = x.variable.type().broadcastable();
  for (int axis : axes)
    pattern[static_cast<std::size_t>(normal_axis(axis, x, "unbroadcast"))] = false;
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
  const int rank = x.variable.ndim(), gone = normal_axis(axis, x, "squeeze");
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

Variable shape_padleft(Operand x, int n) {
  return pad_left(x, x.variable.ndim() + n, x.at);
}

Variable shape_padright(Operand x, int n) {
  std::vector<int> pattern = counted(x.variable.ndim());
  pattern.insert(pattern.end(), static_cast<std::size_t>(n), -1);
  return dimshuffle(x, pattern);
}

Variable swapaxes(Operand x, int a, int b) {
  const int rank = x.variable.ndim();
  std::vector<int> axes = counted(rank);
  const int first = normal_axis(a, x, "swapaxes"), second = normal_axis(b, x, "swapaxes");
  std::swap(axes[static_cast<std::size_t>(first)], axes[static_cast<std::size_t>(second)]);
  return dimshuffle(x, axes);
}

Variable moveaxis(Operand x, int from, int to) {
  const int rank = x.variable.ndim();
  std::vector<int> axes = counted(rank);
  const int source = normal_axis(from, x, "moveaxis");
  axes.erase(axes.begin() + source);
  axes.insert(axes.begin() + normal_axis(to, x, "moveaxis"), source);
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
  const int rank = x.variable.ndim(), along = normal_axis(axis, x, "repeat");
  if (times.variable.ndim() == 1) {
    return gather(x, {{repeated_places(times, {shape_i(x, along), x.at}), times.at}}, along);
  }
  std::vector<int> pattern = counted(rank);
  pattern.insert(pattern.begin() + along + 1, -1);
  Operands between = operands_of(sizes_of(x, x.at), x.at), after = between;
  const Operand n(as_size(times, x.at), x.at);
  between.insert(between.begin() + along + 1, n);
  Operand& grown = after[static_cast<std::size_t>(along)];
  grown = Operand(grown * n, x.at);
  return reshape({broadcast_to({dimshuffle(x, pattern), x.at}, between), x.at}, after);
}

Variable arange(Operand stop) {
  return arange({Operand(0, stop.at)}, stop, {Operand(1, stop.at)});
}

Variable arange(Operand start, Operand stop, Operand step) {
  const Origin at = start.at;
  const RequireAttrs words{
      "arange counts by steps that are not 0 between finite bounds", "give a step of 1, say"};
  const DType dtype =
      promote(promote(start.variable.dtype(), stop.variable.dtype()), step.variable.dtype());
  const DType result = is_float(dtype) ? dtype : DType::int64;
  const Operand first(cast(start, result), at), by(cast(step, result), at);
  const Operand length(cast(stop, result) - first, at);
  const Operand ratio(length / by, at);  // neither inf nor NaN of what can be counted
  const Variable some = is_float(result) ? cast({ceil(ratio), at}, DType::int64)
                                         : -Operand(int_div({-length, at}, by), at);
  const Variable counts =
      is_float(result) ? eq({ratio - ratio, at}, Operand(0, at)) : neq(by, Operand(0, at));
  const bool sure = !is_float(result) && is_constant(step.variable) && !is_zero(step.variable);
  const Variable count = sure ? some : require(some, counts, words, at);
  const Variable n = maximum({count, at}, Operand(0, at));
  const Variable steps = cast({iota({n, at}), at}, result);
  return first + Operand(Operand(steps, at) * by, at);
}

Variable linspace(Operand first, Operand last, Operand n) {
  const Origin at = first.at;
  const Operand count(as_size(n, at), at);
  const Variable gaps = maximum({count - Operand(1, at), at}, Operand(1, at));
  const DType given = promote(first.variable.dtype(), last.variable.dtype());
  const DType dtype = promote(given, DTypeChoice().dtype);
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
  const int along = normal_axis(axis, parts[0], "join");
  if (inputs.size() == 1) return inputs[0];
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

Variable as_tensor_variable(Operand x) {
  return x;
}

Variable as_tensor_variable(const Operands& parts) {
  return stack(parts);
}

}  // namespace hypatia
