#include <gtest/gtest.h>

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

TEST(OpenCudaAbsent, SaysThatThereIsNoDriver) {
  const WithVariable nowhere("HYPATIA_CUDA_LIBRARIES", "/nonexistent");
  const Opened opened = open_cuda("cuda1", Place{0});
  EXPECT_EQ(opened.device, nullptr);
  EXPECT_EQ(opened.reason.rfind("cuda1: ", 0), 0U) << opened.reason;
  EXPECT_TRUE(
      opened.reason.find("no NVIDIA driver was found") != std::string::npos ||
      opened.reason.find("no CUDA headers") != std::string::npos)
      << opened.reason;
}

TEST(OpenCudaAbsent, RefusesWhatIsNoNumber) {
  for (const char* spec : {"cudax", "cuda-1", "cuda0x", "cuda 1", "cuda99999999999"}) {
    const Opened opened = open_cuda(spec, Place{0});
    EXPECT_EQ(opened.device, nullptr) << spec;
    EXPECT_FALSE(opened.reason.empty()) << spec;
  }
}

class OpenCuda : public CudaTest {};

TEST_F(OpenCuda, DescribesTheGpu) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.name, "cuda0");
  EXPECT_FALSE(info.model.empty());
  EXPECT_FALSE(info.simulated);
  EXPECT_EQ(info.driver.rfind("CUDA ", 0), 0U) << info.driver;
  EXPECT_GE(info.capability_major, 5);
  EXPECT_GT(info.limits.multiprocessors, 0);
  EXPECT_GT(info.limits.f32_flops, 1e11);
  EXPECT_GT(info.limits.memory_bandwidth, 1e10);
  EXPECT_GT(info.limits.memory_bytes, std::int64_t{1} << 29);
}

TEST_F(OpenCuda, CountsTheGpus) {
  const Opened opened = open_cuda("cuda63", Place{1});
  EXPECT_EQ(opened.device, nullptr);
  EXPECT_NE(opened.reason.find("cuda63: this machine has "), std::string::npos) << opened.reason;
  EXPECT_NE(opened.reason.find("numbered from 0"), std::string::npos) << opened.reason;
}

}  // namespace
}  // namespace hypatia
