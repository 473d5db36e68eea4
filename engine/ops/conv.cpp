#include "engine/ops/conv.h"

#include <algorithm>
#include <array>

#include "engine/core/error.h"
#include "engine/ops/conv_text.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// Sizes of one axis: an image, a filter, the result, and how they meet.
struct AxisSizes {
  std::int64_t image = 0, filter = 0, result = 0, pad = 0, stride = 1;

  /// Results [first, last) for which filter tap `tap` lies on the image.
  std::int64_t first(std::int64_t tap) const {
    const std::int64_t short_by = pad - tap;
    return short_by <= 0 ? 0 : std::min(result, (short_by + stride - 1) / stride);
  }

  std::int64_t last(std::int64_t tap) const {
    const std::int64_t room = image - 1 + pad - tap;
    return room < 0 ? 0 : std::min(result, room / stride + 1);
  }
};

struct Sizes {
  std::int64_t batch = 0, channels = 0, outputs = 0;
  AxisSizes rows, columns;
};

Sizes sizes_of(const ConvAttrs& attrs, const Dims& images, const Dims& filters) {
  Sizes s{images[0], images[1], filters[0], {}, {}};
  for (int axis : {2, 3}) {
    AxisSizes& a = axis == 2 ? s.rows : s.columns;
    a.image = images[axis];
    a.filter = filters[axis];
    a.stride = axis == 2 ? attrs.row_stride : attrs.column_stride;
    a.pad = padding(attrs.border_mode, a.filter);
    a.result = (a.image + 2 * a.pad - a.filter) / a.stride + 1;
  }
  return s;
}

/// What all three do: a triple product summed over all but one operand. `image`, `filter` and
/// `result` point at the row that a filter tap joins.
template <class F>
void for_each_tap(const Sizes& s, F&& f) {
  const std::int64_t image = s.rows.image * s.columns.image;
  const std::int64_t filter = s.rows.filter * s.columns.filter;
  const std::int64_t result = s.rows.result * s.columns.result;
  for (std::int64_t n = 0; n < s.batch * s.outputs * s.channels; ++n) {
    const std::int64_t c = n % s.channels, o = n / s.channels % s.outputs;
    const std::int64_t b = n / s.channels / s.outputs;
    for (std::int64_t tap = 0; tap < filter; ++tap) {
      const std::int64_t y = tap / s.columns.filter, x = tap % s.columns.filter;
      const std::int64_t begin = s.columns.first(x), end = s.columns.last(x);
      // The filter is turned: its last tap meets the image's first element.
      const std::int64_t weight = (o * s.channels + c) * filter + (filter - 1 - tap);
      for (std::int64_t row = s.rows.first(y); row < s.rows.last(y) && begin < end; ++row) {
        const std::int64_t at = (b * s.channels + c) * image +
                                (row * s.rows.stride + y - s.rows.pad) * s.columns.image +
                                begin * s.columns.stride + x - s.columns.pad;
        f(at, weight, (b * s.outputs + o) * result + row * s.columns.result + begin, end - begin);
      }
    }
  }
}

void check_images(const Type& t, std::string_view what) {
  if (t.rank() == 4 && is_float(t.dtype())) return;
  throw Error(
      Error::Kind::shape,
      "conv2d takes " + std::string(what) + " of 4 axes and a float dtype",
      "images are (batch, channels, rows, columns), filters (outputs, channels, rows, columns)");
}

std::int64_t result_size(const ConvAttrs& attrs, const Type& x, const Type& f, int axis) {
  const std::int64_t image = x.dims()[axis], filter = f.dims()[axis];
  if (image == unknown_dim || filter == unknown_dim) return unknown_dim;
  const std::int64_t room = image + 2 * padding(attrs.border_mode, filter) - filter;
  if (filter < 1 || room < 0) {
    throw Error(
        Error::Kind::shape,
        "conv2d: a filter of size " + std::to_string(filter) + " does not fit an image of size " +
            std::to_string(image) + " along axis " + std::to_string(axis));
  }
  return room / (axis == 2 ? attrs.row_stride : attrs.column_stride) + 1;
}

void infer_conv(const TypeCall& call, Types& out) {
  const auto& attrs = call.attrs.as<ConvAttrs>();
  const Type &x = call.in[0], &f = call.in[1];
  check_images(x, "images");
  check_images(f, "filters");
  const std::int64_t channels = x.dims()[1], taken = f.dims()[1];
  if (channels != unknown_dim && taken != unknown_dim && channels != taken) {
    throw Error(
        Error::Kind::shape,
        "conv2d: the images have " + std::to_string(channels) + " channels, and the filters take " +
            std::to_string(taken));
  }
  Type type(promote(x.dtype(), f.dtype()), 0);
  type.push_axis(x.dims()[0], x.broadcastable(0));
  type.push_axis(f.dims()[0], f.broadcastable(0));
  for (int axis : {2, 3})
    type.push_axis(result_size(attrs, x, f, axis), false);
  out.push_back(type);
}

std::int64_t known_size(const TypeCall& call, int input) {
  const Array* value = call.value(input);
  return value ? static_cast<std::int64_t>(value->item()) : unknown_dim;
}

/// A transpose's result: two axes from its operands, two from the sizes that are inputs 2 and 3.
void infer_transpose(const TypeCall& call, bool images, Types& out) {
  check_images(call.in[0], images ? "filters" : "images");
  check_images(call.in[1], "results");
  const Type &first = call.in[1], &second = call.in[0];
  Type type(promote(call.in[0].dtype(), call.in[1].dtype()), 0);
  const int outer = images ? 0 : 1;
  type.push_axis(first.dims()[outer], first.broadcastable(outer));
  type.push_axis(second.dims()[1], second.broadcastable(1));
  type.push_axis(known_size(call, 2), false);
  type.push_axis(known_size(call, 3), false);
  // The results must be those of such images and filters.
  Types results;
  const std::array<Type, 2> of{images ? type : second, images ? second : type};
  infer_conv(TypeCall{call.op, call.attrs, of, {}}, results);
  for (int axis = 0; axis < 4; ++axis) {
    const std::int64_t wanted = results[0].dims()[axis], came = first.dims()[axis];
    if (wanted == came || wanted == unknown_dim || came == unknown_dim) continue;
    throw Error(
        Error::Kind::shape,
        std::string(call.op.name) + ": results of size " + std::to_string(came) + " along axis " +
            std::to_string(axis) + ", where a convolution of these sizes has " +
            std::to_string(wanted));
  }
  out.push_back(type);
}

template <class F>
Array run(const EvalCall& call, const Sizes& sizes, F&& f) {
  const DType dtype = call.out_types[0].dtype();
  const Array a = call.in[0].astype(dtype).contiguous_on_host();
  const Array b = call.in[1].astype(dtype).contiguous_on_host();
  Array out = Array::zeros(dtype, call.out_types[0].dims());
  const auto work = [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(a.address());
    const T* y = static_cast<const T*>(b.address());
    T* z = static_cast<T*>(out.address());
    for_each_tap(
        sizes, [&](std::int64_t image, std::int64_t filter, std::int64_t result, std::int64_t n) {
          f(x, y, z, image, filter, result, n, sizes.columns.stride);
        });
  };
  dtype == DType::float32 ? work(float{}) : work(double{});
  return out;
}

std::vector<Array> eval_conv(const EvalCall& call) {
  const auto& attrs = call.attrs.as<ConvAttrs>();
  return {
      run(call,
          sizes_of(attrs, call.in[0].dims(), call.in[1].dims()),
          [](auto* x, auto* f, auto* y, auto at, auto tap, auto to, auto n, auto stride) {
            for (std::int64_t i = 0; i < n; ++i)
              y[to + i] += x[at + i * stride] * f[tap];
          })};
}

std::vector<Array> eval_images(const EvalCall& call) {
  const auto& attrs = call.attrs.as<ConvAttrs>();
  return {
      run(call,
          sizes_of(attrs, call.out_types[0].dims(), call.in[0].dims()),
          [](auto* f, auto* y, auto* x, auto at, auto tap, auto to, auto n, auto stride) {
            for (std::int64_t i = 0; i < n; ++i)
              x[at + i * stride] += f[tap] * y[to + i];
          })};
}

std::vector<Array> eval_filters(const EvalCall& call) {
  const auto& attrs = call.attrs.as<ConvAttrs>();
  return {
      run(call,
          sizes_of(attrs, call.in[0].dims(), call.out_types[0].dims()),
          [](auto* x, auto* y, auto* f, auto at, auto tap, auto to, auto n, auto stride) {
            auto total = f[tap];
            for (std::int64_t i = 0; i < n; ++i)
              total += x[at + i * stride] * y[to + i];
            f[tap] = total;
          })};
}

Variable by_images(const Apply& node, const Variable& f, const Variable& y, const Variable& like) {
  return apply(conv2d_images_op, {f, y, shape_i(like, 2), shape_i(like, 3)}, node.attrs());
}

Variable by_filters(const Apply& node, const Variable& x, const Variable& y, const Variable& like) {
  return apply(conv2d_filters_op, {x, y, shape_i(like, 2), shape_i(like, 3)}, node.attrs());
}

Variable forward(const Apply& node, const Variable& x, const Variable& f) {
  return apply(conv2d_op, {x, f}, node.attrs());
}

/// The sizes of any of the three, from its operands and its result.
Sizes sizes_of(const CostCall& call) {
  const Dims &first = call.in[0].dims(), &second = call.in[1].dims(), &out = call.out[0].dims();
  const auto& attrs = call.attrs.as<ConvAttrs>();
  if (&call.op == &conv2d_op) return sizes_of(attrs, first, second);
  return &call.op == &conv2d_images_op ? sizes_of(attrs, out, first) : sizes_of(attrs, first, out);
}

Cost cost_conv(const CostCall& call) {
  const Sizes s = sizes_of(call);
  const double places = static_cast<double>(s.batch * s.rows.result * s.columns.result);
  const double weights =
      static_cast<double>(s.outputs * s.channels * s.rows.filter * s.columns.filter);
  const double elements_of_all = static_cast<double>(
      elements(call.in[0].dims()) + elements(call.in[1].dims()) + elements(call.out[0].dims()));
  return {2 * places * weights, elements_of_all * size_of(call.out[0].dtype())};
}

/// How a GPU's threads share the work: a block has so many threads, and of `layers` of the result
/// (images' channels, or filters) each thread makes several at once.
struct Tiles {
  std::int64_t threads = 128, layers = 1, blocks_each = 1, at_once = 1;
};

Tiles tiles_of(const CostCall& call) {
  const Sizes s = sizes_of(call);
  const auto blocks = [&](std::int64_t places) { return (s.batch * places + 127) / 128; };
  Tiles t{128, s.outputs, blocks(s.rows.result * s.columns.result)};
  if (&call.op == &conv2d_images_op) {
    t = {128, s.channels, blocks(s.rows.image * s.columns.image)};
  } else if (&call.op == &conv2d_filters_op) {
    t = {256, s.outputs, s.channels * s.rows.filter * s.columns.filter};
  }
  // Reading an element once for several layers saves time while enough blocks are left to fill a
  // large card.
  constexpr std::int64_t enough_blocks = 256, most_at_once = 8;
  const auto groups = [&](std::int64_t n) { return (t.layers + n - 1) / n; };
  while (t.at_once < std::min(most_at_once, t.layers) &&
         t.blocks_each * groups(2 * t.at_once) >= enough_blocks) {
    t.at_once *= 2;
  }
  return t;
}

KernelGrid conv_grid(const CostCall& call) {
  const Tiles t = tiles_of(call);
  const std::int64_t blocks = t.blocks_each * ((t.layers + t.at_once - 1) / t.at_once);
  return {
      .grid = {static_cast<std::uint32_t>(std::max<std::int64_t>(blocks, 1)), 1, 1},
      .block = {static_cast<std::uint32_t>(t.threads), 1, 1},
  };
}

std::vector<KernelConstant> conv_constants(const CostCall& call) {
  const Sizes s = sizes_of(call);
  const Tiles t = tiles_of(call);
  return {
      {"row_stride", s.rows.stride},
      {"column_stride", s.columns.stride},
      {"row_pad", s.rows.pad},
      {"column_pad", s.columns.pad},
      {"at_once", t.at_once},
      {"threads", t.threads},
  };
}

constexpr KernelLowering on_gpu(std::string_view text) {
  return {.cuda_c = text, .constants = conv_constants, .grid = conv_grid, .strided = true};
}

}  // namespace

std::int64_t padding(std::string_view border_mode, std::int64_t filter) {
  return border_mode == "full" ? filter - 1 : border_mode == "half" ? filter / 2 : 0;
}

constinit const Op conv2d_op{
    .name = "conv2d",
    .doc = "images convolved with filters",
    .arity = 2,
    .infer = infer_conv,
    .lowering = on_gpu(conv2d_cuda),
    .eval = eval_conv,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable &x = a.in[0], &f = a.in[1], &bar = a.out_bar[0];
      return {by_images(a.node, f, bar, x), by_filters(a.node, x, bar, f)};
    },
    .cost = cost_conv,
};

constinit const Op conv2d_images_op{
    .name = "conv2d_images",
    .doc = "the gradient of conv2d by its images",
    .arity = 4,
    .infer = [](const TypeCall& call, Types& out) { infer_transpose(call, true, out); },
    .lowering = on_gpu(conv2d_images_cuda),
    .eval = eval_images,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable &f = a.in[0], &y = a.in[1], &bar = a.out_bar[0];
      return {by_filters(a.node, bar, y, f), forward(a.node, bar, f), Variable(), Variable()};
    },
    .cost = cost_conv,
    .size_inputs = 0b1100,
};

constinit const Op conv2d_filters_op{
    .name = "conv2d_filters",
    .doc = "the gradient of conv2d by its filters",
    .arity = 4,
    .infer = [](const TypeCall& call, Types& out) { infer_transpose(call, false, out); },
    .lowering = on_gpu(conv2d_filters_cuda),
    .eval = eval_filters,
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable &x = a.in[0], &y = a.in[1], &bar = a.out_bar[0];
      return {by_images(a.node, bar, y, x), forward(a.node, x, bar), Variable(), Variable()};
    },
    .cost = cost_conv,
    .size_inputs = 0b1100,
};

Variable conv2d(Operand images, Operand filters, const ConvOptions& options, Origin at) {
  const std::string& mode = options.border_mode;
  if (mode != "valid" && mode != "full" && mode != "half") {
    throw Error(
        Error::Kind::value,
        "conv2d: there is no border mode '" + mode + "'",
        "use 'valid', 'full' or 'half'")
        .at(at);
  }
  if (options.row_stride < 1 || options.column_stride < 1) {
    throw Error(Error::Kind::value, "conv2d: strides are 1 or more").at(at);
  }
  const ConvAttrs attrs{mode, options.row_stride, options.column_stride};
  return apply(conv2d_op, {images.variable, filters.variable}, attrs, at);
}

}  // namespace hypatia
