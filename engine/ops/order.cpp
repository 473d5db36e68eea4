#include "engine/ops/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/order_text.h"
#include "engine/ops/reduce.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

template <class T>
bool sorts_before(T a, T b) {
  if (b != b) return a == a;
  return a < b;
}

/// Calls f(first element, distance, count) for every line along an axis.
template <class F>
void each_line(const Dims& dims, int axis, F f) {
  std::int64_t inner = 1, outer = 1;
  for (int a = 0; a < dims.rank(); ++a)
    (a < axis ? outer : inner) *= a == axis ? 1 : dims[a];
  const std::int64_t count = dims[axis];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i)
      f(o * count * inner + i, inner, count);
  }
}

template <bool places>
std::vector<Array> eval_sort(const EvalCall& call) {
  const Array x = call.in[0].contiguous_on_host();
  const Array out(call.out_types[0].dtype(), x.dims());
  visit(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = static_cast<const T*>(x.address());
    std::vector<std::int64_t> order;
    const int axis = call.attrs.as<AxisAttrs>().axis;
    each_line(x.dims(), axis, [&](std::int64_t first, std::int64_t step, std::int64_t n) {
      order.resize(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return sorts_before(from[first + a * step], from[first + b * step]);
      });
      std::int64_t place = first;
      for (std::int64_t i : order) {
        if constexpr (places) {
          static_cast<std::int64_t*>(out.address())[place] = i;
        } else {
          static_cast<T*>(out.address())[place] = from[first + i * step];
        }
        place += step;
      }
    });
  });
  return {out};
}

template <bool product>
std::vector<Array> eval_running(const EvalCall& call) {
  const DType dtype = call.out_types[0].dtype();
  const Array out = call.in[0].astype(dtype).copy();
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    T* at = static_cast<T*>(out.address());
    const int axis = call.attrs.as<AxisAttrs>().axis;
    each_line(out.dims(), axis, [&](std::int64_t first, std::int64_t step, std::int64_t n) {
      for (std::int64_t i = 1; i < n; ++i) {
        const T before = at[first + (i - 1) * step], own = at[first + i * step];
        at[first + i * step] = static_cast<T>(product ? before * own : before + own);
      }
    });
  });
  return {out};
}

DType running_dtype(DType d) {
  if (is_float(d)) return d;
  return is_unsigned(d) ? DType::uint64 : DType::int64;
}

void infer_running(const TypeCall& call, Types& out) {
  out.push_back(call.in[0].with_dtype(running_dtype(call.in[0].dtype())).with_place(host));
}

template <bool right>
std::vector<Array> eval_searched(const Array& sorted, const Array& values) {
  const DType dtype = promote(sorted.dtype(), values.dtype());
  const Array line = sorted.astype(dtype).contiguous_on_host();
  const Array wanted = values.astype(dtype).contiguous_on_host();
  const Array out(DType::int64, values.dims());
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* begin = static_cast<const T*>(line.address());
    const T* end = begin + line.elements();
    const T* v = static_cast<const T*>(wanted.address());
    for (std::int64_t i = 0; i < wanted.elements(); ++i) {
      const T* at = right ? std::upper_bound(begin, end, v[i], sorts_before<T>)
                          : std::lower_bound(begin, end, v[i], sorts_before<T>);
      static_cast<std::int64_t*>(out.address())[i] = at - begin;
    }
  });
  return {out};
}

/// The lines of a value along the axis of the attributes.
struct Lines {
  std::int64_t inner = 1, count = 1, length = 1;
};

Lines lines_of(const CostCall& call) {
  const Dims& dims = call.in[0].dims();
  const int axis = call.attrs.as<AxisAttrs>().axis;
  Lines lines;
  for (int a = 0; a < dims.rank(); ++a) {
    if (a > axis) lines.inner *= dims[a];
    (a == axis ? lines.length : lines.count) *= dims[a];
  }
  return lines;
}

/// A block a line: as many threads as find work, in whole warps.
std::int64_t threads_of(const CostCall& call) {
  constexpr std::int64_t warp = 32, most = 512;
  std::int64_t threads = warp;
  while (threads < most && threads < lines_of(call).length)
    threads *= 2;
  return threads;
}

KernelGrid block_a_line(const CostCall& call) {
  const auto count = static_cast<std::uint32_t>(lines_of(call).count);
  return {.grid = {count, 1, 1}, .block = {static_cast<std::uint32_t>(threads_of(call)), 1, 1}};
}

std::vector<KernelConstant> line_constants(const CostCall& call) {
  constexpr std::int64_t most_shared = 32768;  // bytes, of the 48 KiB that every card has
  const Lines lines = lines_of(call);
  const bool fits = lines.length * size_of(call.out[0].dtype()) <= most_shared;
  return {
      {"length", lines.length},
      {"inner", lines.inner},
      {"threads", threads_of(call)},
      {"in_shared", fits && lines.length > 0 ? 1 : 0},
      {"multiplies", &call.op == &cumprod_op ? 1 : 0},
  };
}

/// Reading and writing once, with so many operations for each element.
Cost cost_of_lines(const CostCall& call, double operations) {
  const double count = static_cast<double>(elements(call.in[0].dims()));
  const int bytes = size_of(call.in[0].dtype()) + size_of(call.out[0].dtype());
  return {count * operations, count * bytes};
}

Cost cost_sort(const CostCall& call) {
  const auto length = static_cast<double>(std::max<std::int64_t>(lines_of(call).length, 1));
  return cost_of_lines(call, std::ceil(std::log2(length)));
}

constexpr KernelLowering along_lines(std::string_view text) {
  return {.cuda_c = text, .constants = line_constants, .grid = block_a_line};
}

Variable backwards_sum(const Variable& x, int axis) {
  return flip(cumsum(flip(x, axis), axis), axis);
}

int axis_of(const Adjoint& a) {
  return a.node.attrs().as<AxisAttrs>().axis;
}

Variable along_axis(const Op& op, const Operand& x, int axis) {
  return apply(op, {x.variable}, AxisAttrs{normal_axis(axis, x, op.name)}, x.at);
}

/// The first place along an axis where x is its extreme, or NaN.
Variable first_place(const Operand& x, int axis, bool keepdims, bool largest) {
  const int rank = x.variable.ndim(),
            along = normal_axis(axis, rank, largest ? "argmax" : "argmin");
  const Axes whole({along}, true);
  const Operand extreme(largest ? max(x, whole) : min(x, whole), x.at);
  Operand found(eq(x, extreme), x.at);
  if (is_float(x.variable.dtype())) found = Operand(found | Operand(isnan(x), x.at), x.at);
  std::vector<int> pattern(static_cast<std::size_t>(rank), -1);
  pattern[static_cast<std::size_t>(along)] = 0;
  const Operand size(shape_i(x, along), x.at);
  const Operand places(dimshuffle({iota(size), x.at}, pattern), x.at);
  const Operand beyond(size.variable, x.at);
  return min({switch_(found, places, beyond), x.at}, Axes({along}, keepdims));
}

Variable last_of_sorted(const Operand& x, const Variable& sorted, int k, int axis) {
  const int along = normal_axis(axis, x, "topk");
  const Operand wanted(as_size(Operand(k, x.at), x.at), x.at), size(shape_i(x, along), x.at);
  const Variable fits = Operand(Operand(0, x.at) <= wanted, x.at) & Operand(wanted <= size, x.at);
  const RequireAttrs words{
      "topk of {0} elements along an axis with {1}", "k runs from 0 to the axis' size"};
  const Variable stop = require(wanted.variable, fits, words, x.at, {size.variable});
  std::vector<Index> indices(static_cast<std::size_t>(along), Index(every, x.at));
  indices.emplace_back(slice(none, stop, 1), x.at);
  return indexed({flip({sorted, x.at}, along), x.at}, indices);
}

}  // namespace

constinit const Op sort_op{
    .name = "Sort",
    .doc = "ascending along an axis",
    .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0].with_place(host)); },
    .lowering = along_lines(sort_cuda),
    .eval = eval_sort<false>,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable back = argsort(argsort(a.in[0], axis_of(a)), axis_of(a));
      return {take_along_axis(a.out_bar[0], back, axis_of(a))};
    },
    .cost = cost_sort,
};

constinit const Op argsort_op{
    .name = "ArgSort",
    .doc = "the indices that sort along an axis",
    .infer =
        [](const TypeCall& call, Types& out) {
          out.push_back(call.in[0].with_dtype(DType::int64).with_place(host));
        },
    .lowering = along_lines(argsort_cuda),
    .eval = eval_sort<true>,
    .pullback = [](const Adjoint&) -> Vars { return Vars(1); },
    .cost = cost_sort,
};

constinit const Op cumsum_op{
    .name = "CumSum",
    .doc = "running sums along an axis",
    .infer = infer_running,
    .lowering = along_lines(running_cuda),
    .eval = eval_running<false>,
    .pullback = [](const Adjoint& a) -> Vars { return {backwards_sum(a.out_bar[0], axis_of(a))}; },
    .cost = [](const CostCall& call) { return cost_of_lines(call, 1); },
};

constinit const Op cumprod_op{
    .name = "CumProd",
    .doc = "running products along an axis",
    .infer = infer_running,
    .lowering = along_lines(running_cuda),
    .eval = eval_running<true>,
    .pullback = [](const Adjoint& a) -> Vars {
      return {backwards_sum(a.out_bar[0] * a.out[0], axis_of(a)) / a.in[0]};
    },
    .cost = [](const CostCall& call) { return cost_of_lines(call, 1); },
};

constinit const Op searchsorted_op{
    .name = "SearchSorted",
    .doc = "where values belong in a sorted vector",
    .arity = 2,
    .infer =
        [](const TypeCall& call, Types& out) {
          if (call.in[0].rank() != 1) {
            throw Error(Error::Kind::shape, "searchsorted looks into a vector");
          }
          out.push_back(call.in[1].with_dtype(DType::int64).with_place(host));
        },
    .lowering =
        KernelLowering{
            .cuda_c = searchsorted_cuda,
            .constants = [](const CostCall& call) -> std::vector<KernelConstant> {
              return {{"right", call.attrs.as<SideAttrs>().right ? 1 : 0}};
            },
        },
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      return call.attrs.as<SideAttrs>().right ? eval_searched<true>(call.in[0], call.in[1])
                                              : eval_searched<false>(call.in[0], call.in[1]);
    },
    .pullback = [](const Adjoint&) -> Vars { return Vars(2); },
    .cost = [](const CostCall& call) -> Cost {
      const auto sorted = static_cast<double>(elements(call.in[0].dims()));
      const auto values = static_cast<double>(elements(call.in[1].dims()));
      return {
          values * std::ceil(std::log2(sorted + 1)),
          sorted * size_of(call.in[0].dtype()) +
              values * (size_of(call.in[1].dtype()) + size_of(DType::int64)),
      };
    },
};

Variable sort(Operand x, int axis) {
  return along_axis(sort_op, x, axis);
}

Variable argsort(Operand x, int axis) {
  return along_axis(argsort_op, x, axis);
}

Variable topk(Operand x, int k, int axis) {
  return last_of_sorted(x, sort(x, axis), k, axis);
}

Variable argtopk(Operand x, int k, int axis) {
  return last_of_sorted(x, argsort(x, axis), k, axis);
}

Variable cumsum(Operand x, int axis) {
  return along_axis(cumsum_op, x, axis);
}

Variable cumprod(Operand x, int axis) {
  return along_axis(cumprod_op, x, axis);
}

Variable argmax(Operand x) {
  return first_place({flatten(x), x.at}, 0, false, true);
}

Variable argmax(Operand x, int axis, bool keepdims) {
  return first_place(x, axis, keepdims, true);
}

Variable argmin(Operand x) {
  return first_place({flatten(x), x.at}, 0, false, false);
}

Variable argmin(Operand x, int axis, bool keepdims) {
  return first_place(x, axis, keepdims, false);
}

Vars max_and_argmax(Operand x, int axis) {
  return {max(x, axis), argmax(x, axis)};
}

Variable searchsorted(Operand sorted, Operand values, bool right) {
  const DType dtype = promote(sorted.variable.dtype(), values.variable.dtype());
  const Variable line = cast(sorted, dtype), wanted = cast(values, dtype);
  return apply(searchsorted_op, {line, wanted}, SideAttrs{right}, values.at);
}

}  // namespace hypatia
