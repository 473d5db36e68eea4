#include "engine/ops/pool.h"

#include "engine/core/error.h"
#include "engine/ops/pool_text.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

struct Windows {
  PoolAttrs attrs;
  std::int64_t images = 0, rows = 0, columns = 0, out_rows = 0, out_columns = 0;
};

std::int64_t window_count(std::int64_t size, int window, int stride) {
  return size < window ? 0 : (size - window) / stride + 1;
}

Windows windows_of(const PoolAttrs& attrs, const Dims& image) {
  return {
      attrs,
      image[0] * image[1],
      image[2],
      image[3],
      window_count(image[2], attrs.rows, attrs.row_stride),
      window_count(image[3], attrs.columns, attrs.column_stride),
  };
}

/// f(number of the window, its first element) for every window, in order.
template <class F>
void for_each_window(const Windows& w, F&& f) {
  std::int64_t window = 0;
  for (std::int64_t i = 0; i < w.images; ++i) {
    for (std::int64_t r = 0; r < w.out_rows; ++r) {
      for (std::int64_t c = 0; c < w.out_columns; ++c) {
        f(window++, (i * w.rows + r * w.attrs.row_stride) * w.columns + c * w.attrs.column_stride);
      }
    }
  }
}

/// f(element) for the elements of a window.
template <class F>
void for_each_element(const Windows& w, std::int64_t first, F&& f) {
  for (int r = 0; r < w.attrs.rows; ++r) {
    for (int c = 0; c < w.attrs.columns; ++c)
      f(first + r * w.columns + c);
  }
}

/// The first largest element of a window; the first NaN, if there is one.
template <class T>
std::int64_t largest(const Windows& w, const T* x, std::int64_t first) {
  std::int64_t best = first;
  for_each_element(w, first, [&](std::int64_t at) {
    if (x[best] == x[best] && (x[at] > x[best] || x[at] != x[at])) best = at;
  });
  return best;
}

void check_images(const Type& t) {
  if (t.rank() == 4 && is_float(t.dtype())) return;
  throw Error(
      Error::Kind::shape,
      "pool_2d takes images of 4 axes and a float dtype",
      "they are (batch, channels, rows, columns)");
}

Type pooled(const Type& image, const PoolAttrs& attrs) {
  Type type(image.dtype(), 0);
  type.push_axis(image.dims()[0], image.broadcastable(0));
  type.push_axis(image.dims()[1], image.broadcastable(1));
  const auto count = [](std::int64_t size, int window, int stride) {
    return size == unknown_dim ? unknown_dim : window_count(size, window, stride);
  };
  type.push_axis(count(image.dims()[2], attrs.rows, attrs.row_stride), false);
  type.push_axis(count(image.dims()[3], attrs.columns, attrs.column_stride), false);
  return type;
}

/// What belongs to images or to their windows has their dims, as far as those are known.
void check_dims(const TypeCall& call, const Type& got, const Type& wanted) {
  bool same = got.rank() == wanted.rank();
  for (int axis = 0; same && axis < got.rank(); ++axis) {
    const std::int64_t a = got.dims()[axis], b = wanted.dims()[axis];
    same = a == b || a == unknown_dim || b == unknown_dim;
  }
  if (same) return;
  throw Error(
      Error::Kind::shape,
      std::string(call.op.name) + " takes values of dims " + to_text(wanted.dims()) + ", and " +
          to_text(got.dims()) + " came",
      "they belong to images of " + to_text(call.in[0].dims()));
}

void infer_pool(const TypeCall& call, Types& out) {
  check_images(call.in[0]);
  if (call.in.size() == 2) check_dims(call, call.in[1], call.in[0]);
  out.push_back(pooled(call.in[0], call.attrs.as<PoolAttrs>()));
}

void infer_spread(const TypeCall& call, Types& out) {
  check_images(call.in[0]);
  check_dims(call, call.in[1], pooled(call.in[0], call.attrs.as<PoolAttrs>()));
  out.push_back(call.in[0]);
}

void infer_mean_spread(const TypeCall& call, Types& out) {
  check_images(call.in[0]);
  Type type(call.in[0].dtype(), 0);
  for (int axis : {0, 1})
    type.push_axis(call.in[0].dims()[axis], call.in[0].broadcastable(axis));
  for (int i : {1, 2}) {
    const Array* size = call.value(i);
    type.push_axis(size ? static_cast<std::int64_t>(size->item()) : unknown_dim, false);
  }
  check_dims(call, call.in[0], pooled(type, call.attrs.as<PoolAttrs>()));
  out.push_back(type);
}

/// Runs f(operand 0, operand 1 or null, result) on pointers of the result's dtype.
template <class F>
std::vector<Array> run(const EvalCall& call, F&& f) {
  const DType dtype = call.out_types[0].dtype();
  const Array a = call.in[0].astype(dtype).contiguous_on_host();
  const Array b = call.in.size() == 2 ? call.in[1].astype(dtype).contiguous_on_host() : a;
  Array out = Array::zeros(dtype, call.out_types[0].dims());
  const auto work = [&](auto zero) {
    using T = decltype(zero);
    f(static_cast<const T*>(a.address()),
      static_cast<const T*>(b.address()),
      static_cast<T*>(out.address()));
  };
  dtype == DType::float32 ? work(float{}) : work(double{});
  return {out};
}

std::vector<Array> eval_max(const EvalCall& call) {
  const Windows w = windows_of(call.attrs.as<PoolAttrs>(), call.in[0].dims());
  return run(call, [&](auto* x, auto*, auto* out) {
    for_each_window(w, [&](auto to, auto first) { out[to] = x[largest(w, x, first)]; });
  });
}

std::vector<Array> eval_pick(const EvalCall& call) {
  const Windows w = windows_of(call.attrs.as<PoolAttrs>(), call.in[0].dims());
  return run(call, [&](auto* x, auto* v, auto* out) {
    for_each_window(w, [&](auto to, auto first) { out[to] = v[largest(w, x, first)]; });
  });
}

std::vector<Array> eval_spread(const EvalCall& call) {
  const Windows w = windows_of(call.attrs.as<PoolAttrs>(), call.in[0].dims());
  return run(call, [&](auto* x, auto* v, auto* out) {
    for_each_window(w, [&](auto from, auto first) { out[largest(w, x, first)] += v[from]; });
  });
}

std::vector<Array> eval_mean(const EvalCall& call) {
  const Windows w = windows_of(call.attrs.as<PoolAttrs>(), call.in[0].dims());
  return run(call, [&](auto* x, auto*, auto* out) {
    for_each_window(w, [&](auto to, auto first) {
      for_each_element(w, first, [&](auto at) { out[to] += x[at]; });
      out[to] /=
          static_cast<std::remove_reference_t<decltype(*out)>>(w.attrs.rows * w.attrs.columns);
    });
  });
}

std::vector<Array> eval_mean_spread(const EvalCall& call) {
  const Windows w = windows_of(call.attrs.as<PoolAttrs>(), call.out_types[0].dims());
  return run(call, [&](auto* v, auto*, auto* out) {
    for_each_window(w, [&](auto from, auto first) {
      const auto share = v[from] / static_cast<std::remove_reference_t<decltype(*out)>>(
                                       w.attrs.rows * w.attrs.columns);
      for_each_element(w, first, [&](auto at) { out[at] += share; });
    });
  });
}

/// The elements of windows that are looked at, and each operand and the result once.
Cost cost_pool(const CostCall& call) {
  const auto& attrs = call.attrs.as<PoolAttrs>();
  const bool spreads = &call.op == &pool_spread_op || &call.op == &pool_mean_spread_op;
  const int arrays = &call.op == &pool_spread_op || &call.op == &pool_pick_op ? 2 : 1;
  const Dims& windows =
      spreads ? call.in[static_cast<std::size_t>(arrays - 1)].dims() : call.out[0].dims();
  const double looked_at =
      static_cast<double>(elements(windows)) * attrs.rows * static_cast<double>(attrs.columns);
  double bytes = static_cast<double>(elements(call.out[0].dims()) * size_of(call.out[0].dtype()));
  for (const Type& t : call.in.first(static_cast<std::size_t>(arrays)))
    bytes += static_cast<double>(elements(t.dims()) * size_of(t.dtype()));
  return {looked_at, bytes};
}

std::vector<KernelConstant> pool_constants(const CostCall& call) {
  const auto& attrs = call.attrs.as<PoolAttrs>();
  return {
      {"window_rows", attrs.rows},
      {"window_columns", attrs.columns},
      {"row_stride", attrs.row_stride},
      {"column_stride", attrs.column_stride},
  };
}

constexpr Op pooling(
    std::string_view name,
    std::string_view doc,
    int arity,
    void (*infer)(const TypeCall&, Types&),
    std::vector<Array> (*eval)(const EvalCall&),
    std::string_view cuda_c,
    Vars (*pullback)(const Adjoint&),
    std::uint32_t size_inputs = 0) {
  return Op{
      .name = name,
      .doc = doc,
      .arity = arity,
      .infer = infer,
      .lowering = KernelLowering{.cuda_c = cuda_c, .constants = pool_constants, .strided = true},
      .eval = eval,
      .pullback = pullback,
      .cost = cost_pool,
      .size_inputs = size_inputs,
  };
}

}  // namespace

constinit const Op pool_max_op = pooling(
    "pool_max",
    "the largest element of each window",
    1,
    infer_pool,
    eval_max,
    pool_max_cuda,
    [](const Adjoint& a) -> Vars {
      return {apply(pool_spread_op, {a.in[0], a.out_bar[0]}, a.node.attrs())};
    });

constinit const Op pool_pick_op = pooling(
    "pool_pick",
    "elements of the second where the first is largest in its window",
    2,
    infer_pool,
    eval_pick,
    pool_pick_cuda,
    [](const Adjoint& a) -> Vars {
      return {Variable(), apply(pool_spread_op, {a.in[0], a.out_bar[0]}, a.node.attrs())};
    });

constinit const Op pool_spread_op = pooling(
    "pool_spread",
    "a value for each window, put where the first operand is largest",
    2,
    infer_spread,
    eval_spread,
    pool_spread_cuda,
    [](const Adjoint& a) -> Vars {
      return {Variable(), apply(pool_pick_op, {a.in[0], a.out_bar[0]}, a.node.attrs())};
    });

constinit const Op pool_mean_op = pooling(
    "pool_mean",
    "the mean of each window",
    1,
    infer_pool,
    eval_mean,
    pool_mean_cuda,
    [](const Adjoint& a) -> Vars {
      const Variable rows = shape_i(a.in[0], 2), columns = shape_i(a.in[0], 3);
      return {apply(pool_mean_spread_op, {a.out_bar[0], rows, columns}, a.node.attrs())};
    });

constinit const Op pool_mean_spread_op = pooling(
    "pool_mean_spread",
    "a value for each window, shared among its elements",
    3,
    infer_mean_spread,
    eval_mean_spread,
    pool_mean_spread_cuda,
    [](const Adjoint& a) -> Vars {
      return {apply(pool_mean_op, {a.out_bar[0]}, a.node.attrs()), Variable(), Variable()};
    },
    0b110);

Variable pool_2d(Operand images, const PoolOptions& options, Origin at) {
  const bool takes_max = options.mode == "max";
  if (!takes_max && options.mode != "average") {
    throw Error(
        Error::Kind::value,
        "pool_2d: there is no mode '" + options.mode + "'",
        "use 'max' or 'average'")
        .at(at);
  }
  const PoolAttrs attrs{
      options.rows,
      options.columns,
      options.row_stride ? options.row_stride : options.rows,
      options.column_stride ? options.column_stride : options.columns,
  };
  if (attrs.rows < 1 || attrs.columns < 1 || attrs.row_stride < 1 || attrs.column_stride < 1) {
    throw Error(Error::Kind::value, "pool_2d: windows and strides are 1 or more").at(at);
  }
  return apply(takes_max ? pool_max_op : pool_mean_op, {images.variable}, attrs, at);
}

}  // namespace hypatia
