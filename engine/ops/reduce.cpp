#include "engine/ops/reduce.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

DType sum_dtype(DType in) {
  if (is_float(in)) return in;
  return is_unsigned(in) ? DType::uint64 : DType::int64;
}

DType result_dtype(const Op& op, DType in) {
  switch (std::get<ReduceLowering>(op.lowering).kind) {
    case Reduction::sum:
    case Reduction::prod:
      return sum_dtype(in);
    case Reduction::any:
    case Reduction::all:
      return DType::boolean;
    default:
      return in;
  }
}

DType accumulator_of(const Op& op, DType in) {
  const DType result = result_dtype(op, in);
  const Reduction kind = std::get<ReduceLowering>(op.lowering).kind;
  const bool adds = kind == Reduction::sum || kind == Reduction::prod;
  return adds && result == DType::float32 ? DType::float64 : result;
}

void infer_reduce(const TypeCall& call, Types& out) {
  const ReduceAttrs& attrs = call.attrs.as<ReduceAttrs>();
  const Type& x = call.in[0];
  Type result = Type(result_dtype(call.op, x.dtype()), 0).with_place(x.place());
  for (int axis : kept_axes(attrs, x.rank())) {
    result.push_axis(x.dims()[axis], x.broadcastable(axis));
  }
  const Reduction kind = std::get<ReduceLowering>(call.op.lowering).kind;
  if (kind == Reduction::max || kind == Reduction::min) {
    for (int axis : attrs.axes) {
      if (x.dims()[axis] != 0) continue;
      throw Error(
          Error::Kind::shape,
          std::string(call.op.name) + " of no elements: axis " + std::to_string(axis) +
              " has size 0");
    }
  }
  out.push_back(result);
}

template <class T>
T combine(Reduction kind, T a, T b) {
  switch (kind) {
    case Reduction::sum:
      return static_cast<T>(wrapping(a) + wrapping(b));
    case Reduction::prod:
      return static_cast<T>(wrapping(a) * wrapping(b));
    case Reduction::max:
      return a > b || a != a ? a : b;
    case Reduction::min:
      return a < b || a != a ? a : b;
    case Reduction::any:
      return static_cast<T>(a != 0 || b != 0);
    case Reduction::all:
      break;
  }
  return static_cast<T>(a != 0 && b != 0);
}

template <class T>
T identity_of(Reduction kind) {
  switch (kind) {
    case Reduction::prod:
    case Reduction::all:
      return T{1};
    case Reduction::max:
      return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                  : std::numeric_limits<T>::lowest();
    case Reduction::min:
      return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                  : std::numeric_limits<T>::max();
    default:
      return T{0};
  }
}

/// `x` with its kept axes first, as contiguous accumulator values.
Array arranged(const Array& x, const ReduceAttrs& attrs, DType accumulator) {
  Dims dims, strides;
  std::vector<int> order = kept_axes(attrs, x.rank());
  order.insert(order.end(), attrs.axes.begin(), attrs.axes.end());
  for (int axis : order) {
    dims.push_back(x.dims()[axis]);
    strides.push_back(x.strides()[axis]);
  }
  Array flat(accumulator, dims);
  copy_elements(Array(x.storage(), x.dtype(), dims, strides, x.offset()), flat);
  return flat;
}

std::vector<Array> eval_reduce(const EvalCall& call) {
  const ReduceAttrs& attrs = call.attrs.as<ReduceAttrs>();
  const Reduction kind = std::get<ReduceLowering>(call.op.lowering).kind;
  const Array in = arranged(call.in[0], attrs, attrs.accumulator);
  Array out(attrs.accumulator, call.out_types[0].dims());
  const std::int64_t results = out.elements();
  visit(attrs.accumulator, [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(in.address());
    T* to = static_cast<T*>(out.address());
    const std::int64_t length = results ? in.elements() / results : 0;
    for (std::int64_t r = 0; r < results; ++r) {
      T value = identity_of<T>(kind);
      for (std::int64_t i = 0; i < length; ++i)
        value = combine(kind, value, *from++);
      to[r] = value;
    }
  });
  return {out.astype(call.out_types[0].dtype())};
}

/// A reduced value stretched over the axes it lost, so that it broadcasts against `x`.
Variable restored(const Operand& reduced, const Variable& x, const ReduceAttrs& attrs) {
  std::vector<int> pattern(static_cast<std::size_t>(x.ndim()), -1);
  const std::vector<int> kept = kept_axes(attrs, x.ndim());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    pattern[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
  }
  return dimshuffle(reduced, pattern);
}

Vars sum_pullback(const Adjoint& a) {
  const Variable bar = restored(a.out_bar[0], a.in[0], a.node.attrs().as<ReduceAttrs>());
  return {fill(a.in[0], cast(bar, a.in[0].dtype()))};
}

Vars sum_pushforward(const Tangent& t) {
  return {apply(t.node.op(), {t.in_dot[0]}, t.node.attrs())};
}

Vars prod_pullback(const Adjoint& a) {
  // Product of the others = product / element, but for zeros: one zero leaves its own share.
  const ReduceAttrs& attrs = a.node.attrs().as<ReduceAttrs>();
  const Variable &x = a.in[0], zero = eq(x, 0);
  const Variable zeros = restored(apply(sum_op, {cast(zero, x.dtype())}, attrs), x, attrs);
  const Variable filled = switch_(zero, 1, x);
  const Variable others = restored(apply(prod_op, {filled}, attrs), x, attrs);
  const Variable share =
      switch_(zero, switch_(eq(zeros, 1), others, 0), switch_(eq(zeros, 0), others / filled, 0));
  return {restored(a.out_bar[0], x, attrs) * cast(share, x.dtype())};
}

// As NumPy's peers do it, every element that equals the extreme gets the whole gradient.
Vars extreme_pullback(const Adjoint& a) {
  const ReduceAttrs& attrs = a.node.attrs().as<ReduceAttrs>();
  const Variable chosen = eq(a.in[0], restored(a.out[0], a.in[0], attrs));
  return {restored(a.out_bar[0], a.in[0], attrs) * cast(chosen, a.in[0].dtype())};
}

std::string print_reduce(const Apply& node) {
  const ReduceAttrs& attrs = node.attrs().as<ReduceAttrs>();
  const Reduction kind = std::get<ReduceLowering>(node.op().lowering).kind;
  std::string text;
  if (static_cast<int>(attrs.axes.size()) != node.input(0).ndim()) {
    text = "axis=[";
    for (std::size_t i = 0; i < attrs.axes.size(); ++i) {
      text += (i ? ", " : "") + std::to_string(attrs.axes[i]);
    }
    text += "]";
  }
  if (kind == Reduction::sum || kind == Reduction::prod) {
    text += (text.empty() ? "acc_dtype=" : ", acc_dtype=") + std::string(name(attrs.accumulator));
  }
  return std::string(node.op().name) + (text.empty() ? "" : "{" + text + "}");
}

Cost cost_reduce(const CostCall& call) {
  const double n = static_cast<double>(elements(call.in[0].dims()));
  const double bytes =
      n * size_of(call.in[0].dtype()) +
      static_cast<double>(elements(call.out[0].dims())) * size_of(call.out[0].dtype());
  return {n, bytes};
}

constexpr Op reduction(
    std::string_view name,
    std::string_view doc,
    Reduction kind,
    Vars (*pullback)(const Adjoint&),
    Vars (*pushforward)(const Tangent&) = nullptr) {
  return Op{
      .name = name,
      .doc = doc,
      .arity = 1,
      .infer = infer_reduce,
      .lowering = ReduceLowering{kind},
      .eval = eval_reduce,
      .pullback = pullback,
      .pushforward = pushforward,
      .cost = cost_reduce,
      .print_name = print_reduce,
  };
}

/// The axes that go, counted from 0.
std::vector<int> axes_of(const Operand& x, const Axes& axes, std::string_view op) {
  const int rank = x.variable.ndim();
  std::vector<int> reduced;
  for (int axis : axes.axes)
    reduced.push_back(normal_axis(axis, x, op));
  if (reduced.empty()) {
    reduced.resize(static_cast<std::size_t>(rank));
    std::iota(reduced.begin(), reduced.end(), 0);
  }
  return reduced;
}

Variable reduce(const Op& op, const Operand& x, const Axes& axes, const ReduceDTypes& dtypes = {}) {
  std::vector<int> reduced = axes_of(x, axes, op.name);
  std::sort(reduced.begin(), reduced.end());
  if (std::adjacent_find(reduced.begin(), reduced.end()) != reduced.end()) {
    throw Error(Error::Kind::shape, std::string(op.name) + " names an axis twice").at(x.at);
  }
  const DType usual = accumulator_of(op, x.variable.dtype());
  const ReduceAttrs attrs{reduced, dtypes.acc_dtype.given ? dtypes.acc_dtype.dtype : usual};
  if (is_float(attrs.accumulator) != is_float(usual)) {
    throw Error(
        Error::Kind::dtype,
        std::string(op.name) + " of " + std::string(name(x.variable.dtype())) +
            " can't accumulate in " + std::string(name(attrs.accumulator)),
        "give dtype instead, or convert with astype first")
        .at(x.at);
  }
  const Variable result = apply(op, {x.variable}, attrs, x.at);
  return axes.keepdims ? restored({result, x.at}, x.variable, attrs) : result;
}

/// A wider result is asked of a wider operand; a narrower one is made of the usual result.
Variable reduce_to(const Op& op, const Operand& x, const Axes& axes, const ReduceDTypes& dtypes) {
  if (!dtypes.dtype.given) return reduce(op, x, axes, dtypes);
  const DType wanted = dtypes.dtype.dtype;
  const bool widens = promote(x.variable.dtype(), wanted) == wanted;
  const Operand from(widens ? cast(x, wanted) : x.variable, x.at);
  return cast({reduce(op, from, axes, dtypes), x.at}, wanted);
}

}  // namespace

constinit const Op sum_op =
    reduction("Sum", "sum of elements", Reduction::sum, sum_pullback, sum_pushforward);
constinit const Op prod_op =
    reduction("Prod", "product of elements", Reduction::prod, prod_pullback);
constinit const Op max_op =
    reduction("Max", "largest element; NaN if any is", Reduction::max, extreme_pullback);
constinit const Op min_op =
    reduction("Min", "smallest element; NaN if any is", Reduction::min, extreme_pullback);
constinit const Op any_op = reduction("Any", "true if an element is", Reduction::any, nullptr);
constinit const Op all_op = reduction("All", "true if every element is", Reduction::all, nullptr);

void start_fold(Reduction kind, DType accumulator, void* at) {
  visit(accumulator, [&](auto zero) {
    using T = decltype(zero);
    *static_cast<T*>(at) = identity_of<T>(kind);
  });
}

void fold_values(Reduction kind, DType accumulator, const void* values, std::int64_t n, void* at) {
  visit(accumulator, [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(values);
    T value = *static_cast<T*>(at);
    for (std::int64_t i = 0; i < n; ++i)
      value = combine(kind, value, from[i]);
    *static_cast<T*>(at) = value;
  });
}

std::vector<int> kept_axes(const ReduceAttrs& attrs, int rank) {
  std::vector<int> kept;
  for (int axis = 0; axis < rank; ++axis) {
    if (!std::binary_search(attrs.axes.begin(), attrs.axes.end(), axis)) kept.push_back(axis);
  }
  return kept;
}

Variable sum(Operand x, const Axes& axes, const ReduceDTypes& dtypes) {
  return reduce_to(sum_op, x, axes, dtypes);
}

Variable prod(Operand x, const Axes& axes, const ReduceDTypes& dtypes) {
  return reduce_to(prod_op, x, axes, dtypes);
}

Variable max(Operand x, const Axes& axes) {
  return reduce(max_op, x, axes);
}

Variable min(Operand x, const Axes& axes) {
  return reduce(min_op, x, axes);
}

Variable any(Operand x, const Axes& axes) {
  return reduce(any_op, {cast(x, DType::boolean), x.at}, axes);
}

Variable all(Operand x, const Axes& axes) {
  return reduce(all_op, {cast(x, DType::boolean), x.at}, axes);
}

Variable mean(Operand x, const Axes& axes, const ReduceDTypes& dtypes) {
  if (dtypes.dtype.given && !is_float(dtypes.dtype.dtype)) {
    throw Error(
        Error::Kind::dtype,
        "a mean is a float, and " + std::string(name(dtypes.dtype.dtype)) + " was asked for",
        "take the mean, then cast it")
        .at(x.at);
  }
  // As NumPy does it: a sum of integers would wrap where its mean does not.
  const bool widens = !is_float(x.variable.dtype()) &&
                      (!dtypes.acc_dtype.given || is_float(dtypes.acc_dtype.dtype));
  const Operand from = widens ? Operand(cast(x, DType::float64), x.at) : x;
  const Variable total = sum(from, axes, dtypes);
  const DType dtype = total.dtype() == DType::float32 ? DType::float32 : DType::float64;
  Variable result = cast({total, x.at}, dtype);
  for (int axis : axes_of(x, axes, "mean")) {
    const Variable count = shape_i(x, axis);
    result = Operand(result, x.at) / Operand(cast(Operand(count, x.at), dtype), x.at);
  }
  return result;
}

Variable var(Operand x, const Axes& axes, int ddof) {
  const Operand centre(mean(x, Axes(axes.axes, true)), x.at);
  const Operand squares(sqr({x - centre, x.at}), x.at);
  if (ddof == 0) return mean(squares, axes);
  Operand count(1, x.at);
  for (int axis : axes_of(x, axes, "var"))
    count = Operand(count * Operand(shape_i(x, axis), x.at), x.at);
  const Operand freedom(cast({count - Operand(ddof, x.at), x.at}, squares.variable.dtype()), x.at);
  return Operand(sum(squares, axes), x.at) / freedom;
}

Variable std(Operand x, const Axes& axes, int ddof) {
  return sqrt({var(x, axes, ddof), x.at});
}

}  // namespace hypatia
