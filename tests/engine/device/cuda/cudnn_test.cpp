// cuDNN is looked for at run time: its version, or why there is none.
#include "engine/device/cuda/cudnn.h"

#include <gtest/gtest.h>

#include "engine/device/cuda/cudnn_calls.h"

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

TEST(Cudnn, SaysItsVersionOrWhyThereIsNone) {
  const FoundCudnn found = find_cudnn();
  EXPECT_EQ(found.version == 0, !found.reason.empty()) << found.version << found.reason;
  EXPECT_TRUE(found.version == 0 || found.version >= 8000U) << found.version;
}

TEST(Cudnn, IsMissedWhereItIsNot) {
  const WithVariable nowhere("HYPATIA_CUDA_LIBRARIES", "/nonexistent");
  EXPECT_EQ(find_cudnn().version, 0U);
  EXPECT_FALSE(find_cudnn().reason.empty());
}

/// The library that is there, if one is: it takes the calls as they are declared here.
TEST(Cudnn, TakesDescriptors) {
  const cudnn::FoundCalls found = cudnn::find_calls();
  if (!found.calls) GTEST_SKIP() << found.reason;
  const cudnn::Calls& c = *found.calls;
  cudnn::Tensor tensor = nullptr;
  cudnn::Filter filter = nullptr;
  cudnn::Layer layer = nullptr;
  EXPECT_EQ(c.create_tensor(&tensor), cudnn::success);
  EXPECT_EQ(c.create_filter(&filter), cudnn::success);
  EXPECT_EQ(c.create_layer(&layer), cudnn::success);
  const cudnn::Format nchw = cudnn::Format::nchw;
  for (const auto type : {cudnn::DataType::float32, cudnn::DataType::float64}) {
    EXPECT_EQ(c.set_tensor(tensor, nchw, type, 2, 3, 4, 5), cudnn::success);
    EXPECT_EQ(c.set_filter(filter, type, nchw, 6, 3, 2, 1), cudnn::success);
    const auto mode = cudnn::Mode::convolution;
    EXPECT_EQ(c.set_layer(layer, 1, 0, 2, 3, 1, 1, mode, type), cudnn::success);
    for (const auto math : {cudnn::Math::standard, cudnn::Math::fma})
      EXPECT_EQ(c.set_math(layer, math), cudnn::success);
  }
  EXPECT_NE(c.set_tensor(tensor, nchw, cudnn::DataType::float32, 0, 3, 4, 5), cudnn::success);
  EXPECT_NE(std::string(c.error_string(1001)), "");
  EXPECT_EQ(c.destroy_layer(layer), cudnn::success);
  EXPECT_EQ(c.destroy_filter(filter), cudnn::success);
  EXPECT_EQ(c.destroy_tensor(tensor), cudnn::success);
}

}  // namespace
}  // namespace hypatia
