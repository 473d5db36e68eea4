// Convolutions through cuDNN, without it: descriptors, algorithms, streams and what goes wrong, on
// a mock whose convolutions are loops.
#include "engine/device/cuda/convolution.h"

#include <cmath>
#include <filesystem>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/cuda/cudnn.h"

#include "tests/engine/device/cuda/with_mock_gpu.h"

namespace hypatia {
namespace {

using Makes = Convolution::Makes;

Convolution small_convolution(Makes makes = Makes::results, DType dtype = DType::float32) {
  return {makes, dtype, {1, 1, 3, 3}, {1, 1, 2, 2}, {1, 1, 2, 2}, {0, 0}, {1, 1}};
}

using ConvolutionTest = MockGpuTest;

/// Image and filter of the small convolution, and room for its result.
template <class T>
class Small {
 public:
  Small(CudaDevice& device, const LibraryConvolution& how)
      : device_(device),
        how_(how),
        image_(filled({1, 2, 3, 4, 5, 6, 7, 8, 9})),
        filter_(filled({1, 10, 100, 1000})),
        result_(device.allocate(4 * sizeof(T))),
        space_(device.allocate(std::max<std::size_t>(how.workspace(), 1))) {}

  void convolve(Queue* queue) {
    device_.convolve(
        how_, {image_->data(), filter_->data(), result_->data(), space_->data()}, queue);
  }

  void clear() { device_.fill(*result_, 0, 0, 4 * sizeof(T), nullptr); }

  std::vector<T> result() {
    std::vector<T> values(4);
    result_->read(0, values.data(), 4 * sizeof(T));
    return values;
  }

 private:
  Ref<Storage> filled(const std::vector<T>& values) {
    Ref<Storage> storage = device_.allocate(values.size() * sizeof(T));
    storage->write(0, values.data(), values.size() * sizeof(T));
    return storage;
  }

  CudaDevice& device_;
  const LibraryConvolution& how_;
  Ref<Storage> image_, filter_, result_, space_;
};

template <class T>
std::vector<T> convolved(CudaDevice& device, const LibraryConvolution& how, Queue* queue) {
  Small<T> small(device, how);
  small.convolve(queue);
  return small.result();
}

TEST_F(ConvolutionTest, TurnsItsFilters) {
  const std::unique_ptr<CudaDevice> device = open();
  const FoundConvolution single = device->convolution(small_convolution());
  ASSERT_TRUE(single.how) << single.reason;
  EXPECT_EQ(single.how->name(), "cuDNN implicit_precomp_gemm");
  EXPECT_EQ(single.how->workspace(), 1024U);
  EXPECT_EQ(
      convolved<float>(*device, *single.how, nullptr),
      (std::vector<float>{1245, 2356, 4578, 5689}));
  const FoundConvolution wide =
      device->convolution(small_convolution(Makes::results, DType::float64));
  ASSERT_TRUE(wide.how) << wide.reason;
  EXPECT_EQ(
      convolved<double>(*device, *wide.how, nullptr),
      (std::vector<double>{1245, 2356, 4578, 5689}));
  EXPECT_EQ(mock_state().broken, nullptr) << mock_state().broken;
}

TEST_F(ConvolutionTest, IsDecidedOncePerShape) {
  const std::unique_ptr<CudaDevice> device = open();
  const FoundConvolution first = device->convolution(small_convolution());
  EXPECT_EQ(device->convolution(small_convolution()).how, first.how);
  EXPECT_EQ(mock_state().asked, 1);
  EXPECT_NE(device->convolution(small_convolution(Makes::images)).how, first.how);
  EXPECT_NE(device->convolution(small_convolution(Makes::filters)).how, first.how);
  EXPECT_EQ(mock_state().asked, 3);
  for (int call = 0; call < 100; ++call)
    convolved<float>(*device, *first.how, nullptr);
  EXPECT_EQ(mock_state().handles, 1);
  EXPECT_EQ(mock_state().descriptors, 3 * 4);
}

TEST_F(ConvolutionTest, GivesBackWhatItTook) {
  {
    const std::unique_ptr<CudaDevice> device = open();
    const FoundConvolution found = device->convolution(small_convolution());
    const Ref<Queue> side = device->make_queue();
    convolved<float>(*device, *found.how, side.get());
    EXPECT_EQ(mock_state().handles, 2) << "a handle a queue";
  }
  EXPECT_EQ(mock_state().handles, 0);
  EXPECT_EQ(mock_state().descriptors, 0);
}

TEST_F(ConvolutionTest, IsSubmittedToItsQueuesStreamOrToTheCapture) {
  const std::unique_ptr<CudaDevice> device = open();
  const FoundConvolution found = device->convolution(small_convolution());
  const std::vector<float> wanted = convolved<float>(*device, *found.how, nullptr);
  const void* stream = mock_state().stream;
  const Ref<Queue> side = device->make_queue();
  convolved<float>(*device, *found.how, side.get());
  EXPECT_EQ(mock_state().stream, static_cast<CudaQueue&>(*side).stream());
  convolved<float>(*device, *found.how, nullptr);
  EXPECT_EQ(mock_state().stream, stream);

  Small<float> small(*device, *found.how);
  small.clear();
  const int runs = mock_state().runs;
  device->begin_capture(nullptr);
  small.convolve(nullptr);
  const Ref<Replay> replay = device->end_capture(nullptr);
  EXPECT_EQ(mock_state().captured, 1);
  EXPECT_EQ(mock_state().runs, runs) << "a capture runs nothing";
  EXPECT_EQ(mock_state().synchronized, 0);
  device->submit(*replay, nullptr);
  EXPECT_EQ(small.result(), wanted);
  small.convolve(nullptr);
  EXPECT_EQ(mock_state().stream, stream) << "the stream of the capture is gone";
}

TEST_F(ConvolutionTest, MultipliesFloat32AsItIsUnlessTold) {
  const auto math_of = [&](bool tf32, DType dtype) {
    CudaSettings settings;
    settings.tf32 = tf32;
    EXPECT_TRUE(open(settings)->convolution(small_convolution(Makes::results, dtype)).how);
    return mock_state().math;
  };
  EXPECT_EQ(math_of(false, DType::float32), static_cast<int>(cudnn::Math::fma));
  EXPECT_EQ(math_of(true, DType::float32), static_cast<int>(cudnn::Math::standard));
  EXPECT_EQ(math_of(false, DType::float64), static_cast<int>(cudnn::Math::standard));
}

TEST_F(ConvolutionTest, SaysWhyItIsRefused) {
  const std::unique_ptr<CudaDevice> device = open();
  mock_state().find_result = 3000;
  const FoundConvolution refused = device->convolution(small_convolution());
  EXPECT_FALSE(refused.how);
  EXPECT_EQ(
      refused.reason,
      "cuda0: asking cuDNN for an algorithm failed with cuDNN status 3000 "
      "(CUDNN_STATUS_NOT_SUPPORTED)");
  EXPECT_EQ(device->convolution(small_convolution()).reason, refused.reason);
  EXPECT_EQ(mock_state().asked, 1);
  EXPECT_EQ(mock_state().synchronized, 0) << "planning waits for nobody";
  EXPECT_EQ(mock_state().descriptors, 0);

  mock_state().find_result = 0;
  mock_state().only_random = true;
  const FoundConvolution random = device->convolution(small_convolution(Makes::images));
  EXPECT_NE(random.reason.find("none gives the same bits"), std::string::npos) << random.reason;
  mock_state().only_random = false;
  Convolution large = small_convolution();
  large.images = large.results = {70'000, 1, 200, 200};
  large.filters = {1, 1, 1, 1};
  EXPECT_NE(device->convolution(large).reason.find("2^31"), std::string::npos);
}

TEST_F(ConvolutionTest, TakesAnAlgorithmOfSmallerWorkspaceWhereMemoryIsShort) {
  mock_state().workspace = std::size_t{1} << 40U;
  const std::unique_ptr<CudaDevice> device = open();
  const FoundConvolution found = device->convolution(small_convolution());
  ASSERT_TRUE(found.how) << found.reason;
  EXPECT_EQ(found.how->name(), "cuDNN fft_tiling");
  EXPECT_EQ(found.how->workspace(), 0U);
  EXPECT_EQ(
      convolved<float>(*device, *found.how, nullptr), (std::vector<float>{1245, 2356, 4578, 5689}));
}

TEST_F(ConvolutionTest, TellsWhatFails) {
  {
    const std::unique_ptr<CudaDevice> device = open();
    mock_state().create_result = 1001;
    EXPECT_EQ(
        device->convolution(small_convolution()).reason,
        "cuda0: starting cuDNN failed with cuDNN status 1001 (CUDNN_STATUS_OF_A_MOCK)");
  }
  mock_state().create_result = 0;
  const std::unique_ptr<CudaDevice> device = open();
  const FoundConvolution found = device->convolution(small_convolution());
  mock_state().run_result = 5000;
  mock_state().synchronized = 0;
  try {
    convolved<float>(*device, *found.how, nullptr);
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::device);
    EXPECT_EQ(
        error.summary(),
        "cuda0: a convolution by cuDNN implicit_precomp_gemm failed with cuDNN status 5000 "
        "(CUDNN_STATUS_OF_A_MOCK)");
  }
  EXPECT_EQ(mock_state().synchronized, 1) << "a fault of the GPU may be behind it";
}

TEST_F(ConvolutionTest, FollowsTheConfigurationsWord) {
  const std::unique_ptr<CudaDevice> device = open();
  const auto named = [&](const char* word) {
    const ChangeFlags flags({{"dnn.conv.algo_fwd", word}});
    return device->convolution(small_convolution()).how->name();
  };
  EXPECT_EQ(named("fft_tiling"), "cuDNN fft_tiling");
  EXPECT_EQ(named("small"), "cuDNN implicit_precomp_gemm");
  EXPECT_EQ(named("winograd"), "cuDNN implicit_precomp_gemm") << "which cuDNN does not offer here";
  EXPECT_EQ(named("none"), "cuDNN implicit_precomp_gemm") << "whose bits differ on the mock";
  EXPECT_EQ(named("time_once"), named("guess_once"));
}

cudnn::Candidate candidate(int algorithm, std::size_t memory, cudnn::Math math) {
  return {algorithm, cudnn::success, 0, memory, cudnn::Determinism::yes, math, {}};
}

TEST(CudnnAlgorithms, KeepToTheLimits) {
  const std::vector<cudnn::Candidate> all{
      candidate(7, 10, cudnn::Math::tensor_op),
      candidate(5, 10, cudnn::Math::allow_conversion),
      candidate(4, 1000, cudnn::Math::fma),
      candidate(1, 10, cudnn::Math::fma),
      candidate(0, 0, cudnn::Math::standard),
  };
  const auto first = [&](const AlgorithmLimits& limits) {
    const auto best = chosen(Makes::results, all, limits);
    return best ? best->algorithm : -1;
  };
  EXPECT_EQ(first({"guess_once", true, 100}), 1);
  EXPECT_EQ(first({"guess_once", true, 2000}), 4);
  EXPECT_EQ(first({"guess_once", true, 0}), 0);
  EXPECT_EQ(first({"guess_once", false, 100}), 7) << "tensor cores are allowed";
  EXPECT_EQ(first({"none", true, 100}), 0) << "Theano's none is implicit_gemm";
  EXPECT_EQ(first({"large", true, 100}), 1) << "which is not among them";
  EXPECT_FALSE(chosen(Makes::results, {}, {"guess_once", true, 100}));
}

/// Every word of the configuration means an algorithm of cuDNN's or leaves the choice to it.
TEST(CudnnAlgorithms, HaveTheConfigurationsNames) {
  const std::map<Makes, std::map<std::string, int>> table{
      {Makes::results,
       {{"none", 0},
        {"small", 1},
        {"large", 2},
        {"fft", 4},
        {"fft_tiling", 5},
        {"winograd", 6},
        {"winograd_non_fused", 7}}},
      {Makes::images,
       {{"none", 0},
        {"deterministic", 1},
        {"fft", 2},
        {"fft_tiling", 3},
        {"winograd", 4},
        {"winograd_non_fused", 5}}},
      {Makes::filters,
       {{"none", 0},
        {"deterministic", 1},
        {"fft", 2},
        {"small", 3},
        {"winograd_non_fused", 5},
        {"fft_tiling", 6}}},
  };
  for (const auto& [makes, words] : table) {
    std::vector<cudnn::Candidate> all;
    for (int algorithm = 7; algorithm >= 0; --algorithm)
      all.push_back(candidate(algorithm, 0, cudnn::Math::fma));
    for (const auto& [word, algorithm] : words)
      EXPECT_EQ(chosen(makes, all, {word, true, 0})->algorithm, algorithm) << word;
    EXPECT_EQ(chosen(makes, all, {"time_on_shape_change", true, 0})->algorithm, 7);
  }
}

TEST(CudnnParts, AreMissedBeforeTheyAreCalled) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "half_a_cudnn";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(tests::mock_gpu_folder() + "/libmock_gpu.so", folder / "libcudnn.so.9");
  const WithVariable only("HYPATIA_CUDA_LIBRARIES", folder.c_str());
  EXPECT_GE(find_cudnn().version, 90000U);
  EXPECT_NE(why_no_cudnn().find("libcudnn_graph.so.9"), std::string::npos) << why_no_cudnn();
  fs::remove_all(folder);
}

TEST(CudnnParts, WithoutConvolutionsAreNone) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "no_cudnn_at_all";
  fs::remove_all(folder);
  fs::create_directories(folder);
  Dl_info some{};
  double (*const cosine)(double) = std::cos;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(cosine), &some), 0);
  fs::copy_file(some.dli_fname, folder / "libcudnn.so.9");
  const WithVariable only("HYPATIA_CUDA_LIBRARIES", folder.c_str());
  EXPECT_NE(why_no_cudnn().find("is no cuDNN"), std::string::npos) << why_no_cudnn();
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hypatia
