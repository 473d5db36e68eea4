// The engine's own declarations of cuDNN against cuDNN's, where its header is.
#if __has_include(<cudnn.h>) && __has_include(<cuda_runtime_api.h>)
#include <cstddef>
#include <cudnn.h>
#include <gtest/gtest.h>
#include <type_traits>

#include "engine/device/cuda/convolution.h"

namespace hypatia {
namespace {

// Both are addresses, or both whole numbers (enumerations among them) of one size.
template <class A, class B>
constexpr bool passed_alike =
    sizeof(A) == sizeof(B) &&
    (std::is_pointer_v<A> ? std::is_pointer_v<B>
                          : (std::is_enum_v<A> ||
                             std::is_integral_v<A>)&&(std::is_enum_v<B> || std::is_integral_v<B>));

template <class A, class B>
struct Alike : std::false_type {};

template <class R, class... A, class S, class... B>

requires(sizeof...(A) == sizeof...(B)) struct Alike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<passed_alike<R, S> && (passed_alike<A, B> && ...)> {
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using cudnn::Calls;

template <auto Member>
using TypeOf = std::remove_cvref_t<decltype(std::declval<Calls&>().*Member)>;

template <auto Member, class Theirs>
constexpr bool same = Alike<TypeOf<Member>, Theirs>::value;

static_assert(same<&Calls::create, decltype(&cudnnCreate)>);
static_assert(same<&Calls::destroy, decltype(&cudnnDestroy)>);
static_assert(same<&Calls::set_stream, decltype(&cudnnSetStream)>);
static_assert(same<&Calls::error_string, decltype(&cudnnGetErrorString)>);
static_assert(same<&Calls::create_tensor, decltype(&cudnnCreateTensorDescriptor)>);
static_assert(same<&Calls::destroy_tensor, decltype(&cudnnDestroyTensorDescriptor)>);
static_assert(same<&Calls::set_tensor, decltype(&cudnnSetTensor4dDescriptor)>);
static_assert(same<&Calls::create_filter, decltype(&cudnnCreateFilterDescriptor)>);
static_assert(same<&Calls::destroy_filter, decltype(&cudnnDestroyFilterDescriptor)>);
static_assert(same<&Calls::set_filter, decltype(&cudnnSetFilter4dDescriptor)>);
static_assert(same<&Calls::create_layer, decltype(&cudnnCreateConvolutionDescriptor)>);
static_assert(same<&Calls::destroy_layer, decltype(&cudnnDestroyConvolutionDescriptor)>);
static_assert(same<&Calls::set_layer, decltype(&cudnnSetConvolution2dDescriptor)>);
static_assert(same<&Calls::set_math, decltype(&cudnnSetConvolutionMathType)>);
static_assert(same<&Calls::find_forward, decltype(&cudnnGetConvolutionForwardAlgorithm_v7)>);
static_assert(
    same<&Calls::find_backward_data, decltype(&cudnnGetConvolutionBackwardDataAlgorithm_v7)>);
static_assert(
    same<&Calls::find_backward_filter, decltype(&cudnnGetConvolutionBackwardFilterAlgorithm_v7)>);
static_assert(same<&Calls::forward_workspace, decltype(&cudnnGetConvolutionForwardWorkspaceSize)>);
static_assert(
    same<&Calls::backward_data_workspace, decltype(&cudnnGetConvolutionBackwardDataWorkspaceSize)>);
static_assert(same<
              &Calls::backward_filter_workspace,
              decltype(&cudnnGetConvolutionBackwardFilterWorkspaceSize)>);
static_assert(same<&Calls::forward, decltype(&cudnnConvolutionForward)>);
static_assert(same<&Calls::backward_data, decltype(&cudnnConvolutionBackwardData)>);
static_assert(same<&Calls::backward_filter, decltype(&cudnnConvolutionBackwardFilter)>);

/// Handles and descriptors are told apart by name here, and not by the compiler there: the order of
/// those parameters is read off types.
template <class F>
struct Opaque;

template <class R, class... A>
struct Opaque<R (*)(A...)> {
  static constexpr int order() {
    int digits = 0;
    ((digits = kind<A>() == 0 ? digits : digits * 10 + kind<A>()), ...);
    return digits;
  }

  template <class T>
  static constexpr int kind() {
    if (std::is_same_v<T, cudnnTensorDescriptor_t> || std::is_same_v<T, cudnn::Tensor>) return 1;
    if (std::is_same_v<T, cudnnFilterDescriptor_t> || std::is_same_v<T, cudnn::Filter>) return 2;
    const bool layer = std::is_same_v<T, cudnnConvolutionDescriptor_t>;
    return layer || std::is_same_v<T, cudnn::Layer> ? 3 : 0;
  }
};

template <auto Member, class Theirs>
constexpr bool in_order = Opaque<TypeOf<Member>>::order() == Opaque<Theirs>::order();

static_assert(Opaque<decltype(&cudnnConvolutionBackwardData)>::order() == 2131);
static_assert(in_order<&Calls::find_forward, decltype(&cudnnGetConvolutionForwardAlgorithm_v7)>);
static_assert(
    in_order<&Calls::find_backward_data, decltype(&cudnnGetConvolutionBackwardDataAlgorithm_v7)>);
static_assert(in_order<
              &Calls::find_backward_filter,
              decltype(&cudnnGetConvolutionBackwardFilterAlgorithm_v7)>);
static_assert(
    in_order<&Calls::forward_workspace, decltype(&cudnnGetConvolutionForwardWorkspaceSize)>);
static_assert(in_order<
              &Calls::backward_data_workspace,
              decltype(&cudnnGetConvolutionBackwardDataWorkspaceSize)>);
static_assert(in_order<
              &Calls::backward_filter_workspace,
              decltype(&cudnnGetConvolutionBackwardFilterWorkspaceSize)>);
static_assert(in_order<&Calls::forward, decltype(&cudnnConvolutionForward)>);
static_assert(in_order<&Calls::backward_data, decltype(&cudnnConvolutionBackwardData)>);
static_assert(in_order<&Calls::backward_filter, decltype(&cudnnConvolutionBackwardFilter)>);

template <class Theirs>
constexpr bool laid_out_alike = sizeof(cudnn::Candidate) == sizeof(Theirs) &&
                                offsetof(cudnn::Candidate, algorithm) == offsetof(Theirs, algo) &&
                                offsetof(cudnn::Candidate, status) == offsetof(Theirs, status) &&
                                offsetof(cudnn::Candidate, time) == offsetof(Theirs, time) &&
                                offsetof(cudnn::Candidate, memory) == offsetof(Theirs, memory) &&
                                offsetof(cudnn::Candidate, determinism) ==
                                    offsetof(Theirs, determinism) &&
                                offsetof(cudnn::Candidate, math) == offsetof(Theirs, mathType);

static_assert(laid_out_alike<cudnnConvolutionFwdAlgoPerf_t>);
static_assert(laid_out_alike<cudnnConvolutionBwdDataAlgoPerf_t>);
static_assert(laid_out_alike<cudnnConvolutionBwdFilterAlgoPerf_t>);

TEST(CudnnHeader, HasTheEnginesNumbers) {
  EXPECT_EQ(cudnn::success, CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(static_cast<int>(cudnn::DataType::float32), CUDNN_DATA_FLOAT);
  EXPECT_EQ(static_cast<int>(cudnn::DataType::float64), CUDNN_DATA_DOUBLE);
  EXPECT_EQ(static_cast<int>(cudnn::Format::nchw), CUDNN_TENSOR_NCHW);
  EXPECT_EQ(static_cast<int>(cudnn::Mode::convolution), CUDNN_CONVOLUTION);
  EXPECT_EQ(static_cast<int>(cudnn::Determinism::no), CUDNN_NON_DETERMINISTIC);
  EXPECT_EQ(static_cast<int>(cudnn::Determinism::yes), CUDNN_DETERMINISTIC);
  EXPECT_EQ(static_cast<int>(cudnn::Math::standard), CUDNN_DEFAULT_MATH);
  EXPECT_EQ(static_cast<int>(cudnn::Math::tensor_op), CUDNN_TENSOR_OP_MATH);
  EXPECT_EQ(static_cast<int>(cudnn::Math::allow_conversion), CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION);
  EXPECT_EQ(static_cast<int>(cudnn::Math::fma), CUDNN_FMA_MATH);
}

TEST(CudnnHeader, HasTheEnginesAlgorithms) {
  using Makes = Convolution::Makes;
  const auto forward = [](auto number) { return algorithm_name(Makes::results, number); };
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM), "implicit_gemm");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM), "implicit_precomp_gemm");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_GEMM), "gemm");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_DIRECT), "direct");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_FFT), "fft");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING), "fft_tiling");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD), "winograd");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED), "winograd_non_fused");
  EXPECT_EQ(forward(CUDNN_CONVOLUTION_FWD_ALGO_COUNT), "algorithm 8");
  const auto images = [](auto number) { return algorithm_name(Makes::images, number); };
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_0), "algo_0");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_1), "algo_1");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT), "fft");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING), "fft_tiling");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD), "winograd");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED), "winograd_non_fused");
  EXPECT_EQ(images(CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT), "algorithm 6");
  const auto filters = [](auto number) { return algorithm_name(Makes::filters, number); };
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0), "algo_0");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1), "algo_1");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT), "fft");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3), "algo_3");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD), "winograd");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED), "winograd_non_fused");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING), "fft_tiling");
  EXPECT_EQ(filters(CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT), "algorithm 7");
}

#pragma GCC diagnostic pop

}  // namespace
}  // namespace hypatia
#endif
