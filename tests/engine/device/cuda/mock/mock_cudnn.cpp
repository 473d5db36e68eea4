// cuDNN's part of the mock: descriptors, algorithms, and convolutions by loops. Declarations are
// the engine's own, which a test compares with <cudnn.h>.

#include <array>
#include <cstring>
#include <vector>

#include "engine/device/cuda/cudnn_calls.h"

#include "tests/engine/device/cuda/mock/mock_gpu.h"

namespace cudnn = hypatia::cudnn;

namespace hypatia::cudnn {

struct HandleBody {
  CUstream_st* stream = nullptr;
};

using Sizes = std::array<int, 4>;

struct TensorBody {
  DataType type{};
  Sizes sizes{};
};

struct FilterBody {
  DataType type{};
  Sizes sizes{};
};

struct LayerBody {
  std::array<int, 2> pad{}, stride{}, dilation{};
  Mode mode{};
  DataType type{};
  Math math{};
};

}  // namespace hypatia::cudnn

namespace {

using namespace hypatia::cudnn;

constexpr Status bad_parameter = 2000, not_supported = 3000;

Status broken(const char* rule) {
  mock_gpu()->broken = rule;
  return bad_parameter;
}

template <class T>
Status made(T** slot) {
  ++mock_gpu()->descriptors;
  *slot = new T;
  return success;
}

template <class T>
Status gone(T* descriptor) {
  --mock_gpu()->descriptors;
  delete descriptor;
  return success;
}

Status set(DataType* type, Sizes* sizes, DataType to_type, const Sizes& to) {
  for (const int size : to) {
    if (size < 1) return broken("sizes are at least 1");
  }
  *type = to_type;
  *sizes = to;
  return success;
}

/// What cudnnGetConvolution2dForwardOutputDim says, and one type for all.
bool fits(Tensor x, Filter w, Layer layer, Tensor y) {
  bool same = x->type == w->type && x->type == y->type && x->type == layer->type;
  same &= x->sizes[1] == w->sizes[1] && y->sizes[0] == x->sizes[0] && y->sizes[1] == w->sizes[0];
  for (std::size_t axis : {0U, 1U}) {
    const int reach = x->sizes[2 + axis] + 2 * layer->pad[axis] - w->sizes[2 + axis];
    same &= layer->dilation[axis] == 1 && y->sizes[2 + axis] == reach / layer->stride[axis] + 1;
  }
  return same;
}

Status find(Tensor x, Filter w, Layer layer, Tensor y, int most, int* count, Candidate* out) {
  MockGpu& state = *mock_gpu();
  ++state.asked;
  state.math = static_cast<int>(layer->math);
  if (state.find_result != success) return state.find_result;
  if (!fits(x, w, layer, y)) return broken("descriptors fit each other");
  const Determinism fixed = state.only_random ? Determinism::no : Determinism::yes;
  const std::vector<Candidate> all{
      {0, success, 1, 0, Determinism::no, layer->math, {}},
      {6, not_supported, -1, 0, fixed, layer->math, {}},
      {1, success, 2, state.workspace, fixed, layer->math, {}},
      {5, success, 3, 0, fixed, layer->math, {}},
  };
  *count = 0;
  for (const Candidate& c : all) {
    if (*count < most) out[(*count)++] = c;
  }
  return success;
}

Status workspace(Tensor x, Filter w, Layer layer, Tensor y, int algorithm, std::size_t* bytes) {
  if (!fits(x, w, layer, y)) return broken("descriptors fit each other");
  *bytes = algorithm == 1 ? mock_gpu()->workspace : 0;
  return success;
}

enum class Makes { results, images, filters };

struct Operands {
  void* x;
  void* w;
  void* y;
};

template <class T>
void loops(
    const TensorBody& x,
    const FilterBody& w,
    const LayerBody& by,
    const TensorBody& y,
    Makes makes,
    const Operands& at) {
  auto* images = static_cast<T*>(at.x);
  auto* filters = static_cast<T*>(at.w);
  auto* results = static_cast<T*>(at.y);
  const auto count = [](const Sizes& s) {
    return static_cast<std::size_t>(s[0]) * static_cast<std::size_t>(s[1] * s[2] * s[3]);
  };
  const auto index = [](const Sizes& s, int a, int b, int c, int d) {
    return ((static_cast<long>(a) * s[1] + b) * s[2] + c) * s[3] + d;
  };
  T* const out = makes == Makes::results ? results : makes == Makes::images ? images : filters;
  const Sizes& out_sizes = makes == Makes::results  ? y.sizes
                           : makes == Makes::images ? x.sizes
                                                    : w.sizes;
  std::memset(out, 0, count(out_sizes) * sizeof(T));
  const auto [n, o, high, wide] = y.sizes;
  const auto [o2, c, rows, columns] = w.sizes;
  for (long i = 0; i < static_cast<long>(n) * o * high * wide * c * rows * columns; ++i) {
    long rest = i;
    const auto next = [&](int size) {
      const int part = static_cast<int>(rest % size);
      rest /= size;
      return part;
    };
    const int fx = next(columns), fy = next(rows), channel = next(c), rx = next(wide);
    const int ry = next(high), output = next(o), image = next(n);
    const int px = rx * by.stride[1] - by.pad[1] + fx, py = ry * by.stride[0] - by.pad[0] + fy;
    if (px < 0 || py < 0 || px >= x.sizes[3] || py >= x.sizes[2]) continue;
    const bool turned = by.mode == Mode::convolution;
    T& a = images[index(x.sizes, image, channel, py, px)];
    T& b = filters[index(
        w.sizes, output, channel, turned ? rows - 1 - fy : fy, turned ? columns - 1 - fx : fx)];
    T& r = results[index(y.sizes, image, output, ry, rx)];
    if (makes == Makes::results) r += a * b;
    if (makes == Makes::images) a += r * b;
    if (makes == Makes::filters) b += a * r;
  }
}

/// How a convolution is run, and on what.
struct Run {
  Handle handle;
  Tensor x;
  Filter w;
  Layer layer;
  Tensor y;
  Makes makes;
  int algorithm;
  void* space;
  std::size_t space_bytes;
};

bool factors(DataType type, const void* alpha, const void* beta) {
  return type == DataType::float64
             ? *static_cast<const double*>(alpha) == 1 && *static_cast<const double*>(beta) == 0
             : *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
}

Status run(const Run& r, const void* alpha, const void* beta, const Operands& at) {
  MockGpu& state = *mock_gpu();
  if (state.run_result != success) return state.run_result;
  if (!fits(r.x, r.w, r.layer, r.y)) return broken("descriptors fit each other");
  if (!factors(r.x->type, alpha, beta)) return broken("alpha is 1 and beta 0, of the type");
  const std::size_t needed = r.algorithm == 1 ? state.workspace : 0;
  if (r.space_bytes < needed || (needed > 0 && !r.space)) return broken("the workspace is there");
  state.algorithm = r.algorithm;
  state.stream = r.handle->stream;
  // Descriptors may be gone when a replay runs.
  const auto work = [=, x = *r.x, w = *r.w, y = *r.y, layer = *r.layer] {
    ++mock_gpu()->runs;
    if (needed > 0) std::memset(r.space, 0xff, needed);
    if (x.type == DataType::float64) {
      loops<double>(x, w, layer, y, r.makes, at);
    } else {
      loops<float>(x, w, layer, y, r.makes, at);
    }
  };
  const int before = state.runs;
  mock_submit(r.handle->stream, work);
  state.captured += state.runs > before ? 0 : 1;
  return success;
}

void* writable(const void* address) {
  return const_cast<void*>(address);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): names of the library
extern "C" {

std::size_t cudnnGetVersion() {
  return 91900;
}

Status cudnnCreate(Handle* handle) {
  if (mock_gpu()->create_result != success) return mock_gpu()->create_result;
  ++mock_gpu()->handles;
  *handle = new HandleBody;
  return success;
}

Status cudnnDestroy(Handle handle) {
  --mock_gpu()->handles;
  delete handle;
  return success;
}

Status cudnnSetStream(Handle handle, CUstream_st* stream) {
  handle->stream = stream;
  return success;
}

const char* cudnnGetErrorString(Status status) {
  return status == not_supported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_OF_A_MOCK";
}

Status cudnnCreateTensorDescriptor(Tensor* slot) {
  return made(slot);
}

Status cudnnDestroyTensorDescriptor(Tensor tensor) {
  return gone(tensor);
}

Status cudnnSetTensor4dDescriptor(Tensor t, Format, DataType type, int n, int c, int h, int w) {
  return set(&t->type, &t->sizes, type, {n, c, h, w});
}

Status cudnnCreateFilterDescriptor(Filter* slot) {
  return made(slot);
}

Status cudnnDestroyFilterDescriptor(Filter filter) {
  return gone(filter);
}

Status cudnnSetFilter4dDescriptor(Filter f, DataType type, Format, int k, int c, int h, int w) {
  return set(&f->type, &f->sizes, type, {k, c, h, w});
}

Status cudnnCreateConvolutionDescriptor(Layer* slot) {
  return made(slot);
}

Status cudnnDestroyConvolutionDescriptor(Layer layer) {
  return gone(layer);
}

Status cudnnSetConvolution2dDescriptor(
    Layer layer,
    int pad_h,
    int pad_w,
    int u,
    int v,
    int dilation_h,
    int dilation_w,
    Mode mode,
    DataType type) {
  if (pad_h < 0 || pad_w < 0 || u < 1 || v < 1) return broken("pads and strides");
  *layer = {{pad_h, pad_w}, {u, v}, {dilation_h, dilation_w}, mode, type, Math::standard};
  return success;
}

Status cudnnSetConvolutionMathType(Layer layer, Math math) {
  layer->math = math;
  return success;
}

Status cudnnGetConvolutionForwardAlgorithm_v7(
    Handle, Tensor x, Filter w, Layer layer, Tensor y, int most, int* count, Candidate* out) {
  return find(x, w, layer, y, most, count, out);
}

Status cudnnGetConvolutionBackwardDataAlgorithm_v7(
    Handle, Filter w, Tensor y, Layer layer, Tensor x, int most, int* count, Candidate* out) {
  return find(x, w, layer, y, most, count, out);
}

Status cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    Handle, Tensor x, Tensor y, Layer layer, Filter w, int most, int* count, Candidate* out) {
  return find(x, w, layer, y, most, count, out);
}

Status cudnnGetConvolutionForwardWorkspaceSize(
    Handle, Tensor x, Filter w, Layer layer, Tensor y, int algorithm, std::size_t* bytes) {
  return workspace(x, w, layer, y, algorithm, bytes);
}

Status cudnnGetConvolutionBackwardDataWorkspaceSize(
    Handle, Filter w, Tensor y, Layer layer, Tensor x, int algorithm, std::size_t* bytes) {
  return workspace(x, w, layer, y, algorithm, bytes);
}

Status cudnnGetConvolutionBackwardFilterWorkspaceSize(
    Handle, Tensor x, Tensor y, Layer layer, Filter w, int algorithm, std::size_t* bytes) {
  return workspace(x, w, layer, y, algorithm, bytes);
}

Status cudnnConvolutionForward(
    Handle h,
    const void* alpha,
    Tensor x,
    const void* x_data,
    Filter w,
    const void* w_data,
    Layer layer,
    int algorithm,
    void* space,
    std::size_t space_bytes,
    const void* beta,
    Tensor y,
    void* y_data) {
  return run(
      {h, x, w, layer, y, Makes::results, algorithm, space, space_bytes},
      alpha,
      beta,
      {writable(x_data), writable(w_data), y_data});
}

Status cudnnConvolutionBackwardData(
    Handle h,
    const void* alpha,
    Filter w,
    const void* w_data,
    Tensor y,
    const void* y_data,
    Layer layer,
    int algorithm,
    void* space,
    std::size_t space_bytes,
    const void* beta,
    Tensor x,
    void* x_data) {
  return run(
      {h, x, w, layer, y, Makes::images, algorithm, space, space_bytes},
      alpha,
      beta,
      {x_data, writable(w_data), writable(y_data)});
}

Status cudnnConvolutionBackwardFilter(
    Handle h,
    const void* alpha,
    Tensor x,
    const void* x_data,
    Tensor y,
    const void* y_data,
    Layer layer,
    int algorithm,
    void* space,
    std::size_t space_bytes,
    const void* beta,
    Filter w,
    void* w_data) {
  return run(
      {h, x, w, layer, y, Makes::filters, algorithm, space, space_bytes},
      alpha,
      beta,
      {writable(x_data), w_data, writable(y_data)});
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
