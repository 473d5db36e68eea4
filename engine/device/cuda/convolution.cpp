#include "engine/device/cuda/convolution.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/cuda/capture.h"

namespace hypatia {

namespace {

using Makes = Convolution::Makes;

/// cuDNN's algorithms by their numbers, in the configuration's words. Those that add up in no fixed
/// order (0 of both gradients, 3 of the filters') are never chosen.
std::span<const char* const> algorithms(Makes makes) {
  static constexpr std::array<const char*, 8> forward{
      "implicit_gemm",
      "implicit_precomp_gemm",
      "gemm",
      "direct",
      "fft",
      "fft_tiling",
      "winograd",
      "winograd_non_fused",
  };
  static constexpr std::array<const char*, 6> images{
      "algo_0",
      "algo_1",
      "fft",
      "fft_tiling",
      "winograd",
      "winograd_non_fused",
  };
  static constexpr std::array<const char*, 7> filters{
      "algo_0",
      "algo_1",
      "fft",
      "algo_3",
      "winograd",
      "winograd_non_fused",
      "fft_tiling",
  };
  switch (makes) {
    case Makes::images:
      return images;
    case Makes::filters:
      return filters;
    default:
      return forward;
  }
}

/// The algorithm that a word of the configuration stands for, as Theano has them; "" for those that
/// leave the choice to cuDNN.
std::string_view named_by(Makes makes, std::string_view word) {
  const bool forward = makes == Makes::results;
  if (word == "none") return forward ? "implicit_gemm" : "algo_0";
  if (word == "small") return forward ? "implicit_precomp_gemm" : "algo_3";
  if (word == "large") return "gemm";
  if (word == "deterministic") return "algo_1";
  const bool known = word.starts_with("fft") || word.starts_with("winograd");
  return known ? word : std::string_view();
}

const cudnn::Calls& need_calls() {
  const cudnn::FoundCalls found = cudnn::find_calls();
  if (!found.calls) {
    throw Error(Error::Kind::device, "no convolution can run by cuDNN: " + found.reason);
  }
  return *found.calls;
}

std::array<int, 4> narrow(const std::array<std::int64_t, 4>& sizes) {
  std::array<int, 4> out{};
  std::transform(
      sizes.begin(), sizes.end(), out.begin(), [](auto size) { return static_cast<int>(size); });
  return out;
}

/// cuDNN counts sizes in int, and elements as well in most of its kernels.
void check_sizes(const Convolution& wanted) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  for (const auto* sizes : {&wanted.images, &wanted.filters, &wanted.results}) {
    std::int64_t count = 1;
    for (const std::int64_t size : *sizes)
      count = size > most / count ? most + 1 : size * count;
    if (count > most) {
      throw Error(Error::Kind::device, "cuDNN counts no more than 2^31 elements of an operand");
    }
  }
}

}  // namespace

std::string_view configured_algorithm(Makes makes) {
  switch (makes) {
    case Makes::images:
      return config().choice("dnn.conv.algo_bwd_data");
    case Makes::filters:
      return config().choice("dnn.conv.algo_bwd_filter");
    default:
      return config().choice("dnn.conv.algo_fwd");
  }
}

std::string algorithm_name(Makes makes, int algorithm) {
  const std::span<const char* const> names = algorithms(makes);
  const auto at = static_cast<std::size_t>(algorithm);
  return at < names.size() ? names[at] : "algorithm " + std::to_string(algorithm);
}

std::optional<cudnn::Candidate> chosen(
    Makes makes, std::span<const cudnn::Candidate> candidates, const AlgorithmLimits& limits) {
  const std::string_view named = named_by(makes, limits.wanted);
  std::optional<cudnn::Candidate> first;
  for (const cudnn::Candidate& c : candidates) {
    // What cuDNN says of `math` only narrows what the layer allows.
    const bool exact = c.math == cudnn::Math::fma || c.math == cudnn::Math::standard;
    const bool fits = c.status == cudnn::success && c.determinism == cudnn::Determinism::yes &&
                      c.memory <= limits.most_workspace &&
                      c.math != cudnn::Math::allow_conversion && (exact || !limits.fma_only);
    if (!fits) continue;
    if (named.empty() || algorithm_name(makes, c.algorithm) == named) return c;
    if (!first) first = c;
  }
  return first;
}

CudnnHandle::CudnnHandle(Context& context) : context_(context), calls_(need_calls()) {
  context_.use();
  check(calls_.create(&handle_), "starting cuDNN");
}

CudnnHandle::~CudnnHandle() {
  context_.try_use();
  calls_.destroy(handle_);
}

void CudnnHandle::aim(CUstream stream) {
  // Each time: a stream of a capture that is over may have had the address of this one.
  check(calls_.set_stream(handle_, stream), "giving cuDNN its stream");
}

void CudnnHandle::check(cudnn::Status status, const std::string& doing) const {
  if (status == cudnn::success) return;
  const char* text = calls_.error_string(status);
  throw Error(
      Error::Kind::device,
      context_.name() + ": " + doing + " failed with cuDNN status " + std::to_string(status) +
          (text ? std::string(" (") + text + ")" : ""),
      "set dnn.enabled=False, which runs convolutions by kernels made here");
}

void CudnnHandle::check_work(cudnn::Status status, const std::string* name) const {
  if (status == cudnn::success) return context_.launched(name);
  // A fault of the GPU says more; in a capture nothing may be waited for.
  if (!this_threads_capture().queue) {
    context_.check(context_.driver().synchronize(), "a convolution");
  }
  check(status, "a convolution by " + *name);
}

CudnnConvolution::CudnnConvolution(
    const Convolution& wanted, const CudnnHandle& handle, const AlgorithmLimits& limits)
    : calls_(handle.calls()), wanted_(wanted) {
  check_sizes(wanted_);
  try {
    describe(handle);
    const cudnn::Candidate best = find(handle, limits);
    algorithm_ = best.algorithm;
    // With tensor cores allowed, an algorithm goes with how it multiplies.
    if (!limits.fma_only) {
      handle.check(calls_.set_math(layer_, best.math), "setting cuDNN's precision");
    }
    workspace_ = workspace_of(handle);
  } catch (...) {
    give_back();
    throw;
  }
  name_ = handle.keep_name("cuDNN " + algorithm_name(wanted_.makes, algorithm_));
}

CudnnConvolution::~CudnnConvolution() {
  give_back();
}

void CudnnConvolution::give_back() noexcept {
  if (layer_) calls_.destroy_layer(layer_);
  if (filters_) calls_.destroy_filter(filters_);
  if (results_) calls_.destroy_tensor(results_);
  if (images_) calls_.destroy_tensor(images_);
}

void CudnnConvolution::describe(const CudnnHandle& handle) {
  const auto check = [&](cudnn::Status status) { handle.check(status, "describing it to cuDNN"); };
  const bool wide = wanted_.dtype == DType::float64;
  const cudnn::DataType type = wide ? cudnn::DataType::float64 : cudnn::DataType::float32;
  const cudnn::Format nchw = cudnn::Format::nchw;
  const std::array<int, 4> x = narrow(wanted_.images), w = narrow(wanted_.filters),
                           y = narrow(wanted_.results);
  check(calls_.create_tensor(&images_));
  check(calls_.set_tensor(images_, nchw, type, x[0], x[1], x[2], x[3]));
  check(calls_.create_tensor(&results_));
  check(calls_.set_tensor(results_, nchw, type, y[0], y[1], y[2], y[3]));
  check(calls_.create_filter(&filters_));
  check(calls_.set_filter(filters_, type, nchw, w[0], w[1], w[2], w[3]));
  check(calls_.create_layer(&layer_));
  check(calls_.set_layer(
      layer_,
      static_cast<int>(wanted_.padding[0]),
      static_cast<int>(wanted_.padding[1]),
      static_cast<int>(wanted_.stride[0]),
      static_cast<int>(wanted_.stride[1]),
      1,
      1,
      cudnn::Mode::convolution,
      type));
}

cudnn::Candidate CudnnConvolution::find(
    const CudnnHandle& handle, const AlgorithmLimits& limits) const {
  const cudnn::Math math = limits.fma_only ? cudnn::Math::fma : cudnn::Math::standard;
  handle.check(calls_.set_math(layer_, math), "setting cuDNN's precision");
  std::array<cudnn::Candidate, 32> candidates{};
  const int most = static_cast<int>(candidates.size());
  int count = 0;
  cudnn::Status status = cudnn::success;
  if (wanted_.makes == Makes::images) {
    status = calls_.find_backward_data(
        handle.handle(), filters_, results_, layer_, images_, most, &count, candidates.data());
  } else if (wanted_.makes == Makes::filters) {
    status = calls_.find_backward_filter(
        handle.handle(), images_, results_, layer_, filters_, most, &count, candidates.data());
  } else {
    status = calls_.find_forward(
        handle.handle(), images_, filters_, layer_, results_, most, &count, candidates.data());
  }
  handle.check(status, "asking cuDNN for an algorithm");
  const std::span<const cudnn::Candidate> all(candidates.data(), static_cast<std::size_t>(count));
  if (const auto best = chosen(wanted_.makes, all, limits)) return *best;
  throw Error(
      Error::Kind::device,
      "of cuDNN's " + std::to_string(count) +
          " algorithms none gives the same bits each time, in that precision and in " +
          std::to_string(limits.most_workspace >> 20U) + " MiB of workspace");
}

std::size_t CudnnConvolution::workspace_of(const CudnnHandle& handle) const {
  std::size_t bytes = 0;
  cudnn::Status status = cudnn::success;
  if (wanted_.makes == Makes::images) {
    status = calls_.backward_data_workspace(
        handle.handle(), filters_, results_, layer_, images_, algorithm_, &bytes);
  } else if (wanted_.makes == Makes::filters) {
    status = calls_.backward_filter_workspace(
        handle.handle(), images_, results_, layer_, filters_, algorithm_, &bytes);
  } else {
    status = calls_.forward_workspace(
        handle.handle(), images_, filters_, layer_, results_, algorithm_, &bytes);
  }
  handle.check(status, "asking cuDNN for its workspace");
  return bytes;
}

void CudnnConvolution::submit(const CudnnHandle& handle, const ConvolutionMemory& at) const {
  // cuDNN reads factors as float for float32, as double for float64.
  constexpr std::array<float, 2> narrow_factors{1, 0};
  constexpr std::array<double, 2> wide_factors{1, 0};
  const bool wide = wanted_.dtype == DType::float64;
  const void* one = wide ? static_cast<const void*>(&wide_factors[0]) : &narrow_factors[0];
  const void* zero = wide ? static_cast<const void*>(&wide_factors[1]) : &narrow_factors[1];
  const cudnn::Handle h = handle.handle();
  void* const space = at.workspace;
  cudnn::Status status = cudnn::success;
  if (wanted_.makes == Makes::images) {
    status = calls_.backward_data(
        h,
        one,
        filters_,
        at.first,
        results_,
        at.second,
        layer_,
        algorithm_,
        space,
        workspace_,
        zero,
        images_,
        at.made);
  } else if (wanted_.makes == Makes::filters) {
    status = calls_.backward_filter(
        h,
        one,
        images_,
        at.first,
        results_,
        at.second,
        layer_,
        algorithm_,
        space,
        workspace_,
        zero,
        filters_,
        at.made);
  } else {
    status = calls_.forward(
        h,
        one,
        images_,
        at.first,
        filters_,
        at.second,
        layer_,
        algorithm_,
        space,
        workspace_,
        zero,
        results_,
        at.made);
  }
  handle.check_work(status, name_);
}

}  // namespace hypatia
