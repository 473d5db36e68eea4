#include <array>
#include <gtest/gtest.h>

#include "engine/core/error.h"

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

class CudaFaultDeathTest : public CudaTest {
 protected:
  void SetUp() override {
    // Each test runs in a process of its own, since a fault takes the context with it.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    CudaTest::SetUp();
  }
};

std::string message_of_fault(Device& device) {
  const Ref<Module> module = device.compile({
      Dialect::cuda_c,
      "fault",
      "extern \"C\" __global__ void wild(float* p) { p[threadIdx.x] = 1; }\n",
      {"wild"},
      {},
  });
  void* nowhere = reinterpret_cast<void*>(std::uintptr_t{64});
  std::array<void*, 1> args{&nowhere};
  try {
    device.launch(module->find("wild"), Launch{}, args.data(), nullptr);
    device.synchronize();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string message_after(Device& device) {
  try {
    device.allocate(100U << 20U);
    device.synchronize();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(CudaFaultDeathTest, NamesTheKernelAndTheLostContext) {
  EXPECT_EXIT(
      {
        std::fprintf(stderr, "%s\n", message_of_fault(device()).c_str());
        std::fprintf(stderr, "%s\n", message_after(device()).c_str());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0),
      "illegal memory access(.|\n)*kernel 'wild' or one launched before(.|\n)*CUDA_LAUNCH_BLOCKING"
      "(.|\n)*the context is lost");
}

TEST_F(CudaFaultDeathTest, BlamesOneKernelWhenLaunchesBlock) {
  EXPECT_EXIT(
      {
        setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
        const Opened blocking = open_cuda("cuda0", Place{1});
        std::fprintf(stderr, "%s\n", message_of_fault(*blocking.device).c_str());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0),
      "a launch of kernel 'wild' failed: an illegal memory access");
}

}  // namespace
}  // namespace hypatia
