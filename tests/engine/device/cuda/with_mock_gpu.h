#pragma once
// A cuda device on the mock of a driver and of cuDNN, and what tests ask of them.
#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

#include "engine/device/cuda/cuda_device.h"
#include "engine/device/cuda/loader.h"

#include "tests/checkout.h"
#include "tests/engine/device/cuda/mock/mock_gpu.h"
#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {

/// The state of the mock that the engine loads, which lasts as long as the process.
inline MockGpu& mock_state() {
  static void* const library =
      dlopen((tests::mock_gpu_folder() + "/libcudnn.so.9").c_str(), RTLD_LAZY | RTLD_LOCAL);
  return *reinterpret_cast<decltype(&mock_gpu)>(dlsym(library, "mock_gpu"))();
}

/// Tests with devices on the mock; those opened by open_cuda want NVRTC as well.
class MockGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(find_driver().driver, nullptr) << find_driver().reason;
    mock_state() = MockGpu{};
  }

  static DeviceInfo info() {
    DeviceInfo about;
    about.name = "cuda0";
    about.limits.memory_bytes = std::int64_t{4} << 30U;
    return about;
  }

  std::unique_ptr<CudaDevice> open(const CudaSettings& settings = {}) {
    return std::make_unique<CudaDevice>(
        *find_driver().driver, 0, nullptr, info(), Place{0}, settings);
  }

 private:
  WithVariable libraries_{"HYPATIA_CUDA_LIBRARIES", tests::mock_gpu_folder().c_str()};
};

}  // namespace hypatia
