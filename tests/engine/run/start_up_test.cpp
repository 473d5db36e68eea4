// Devices that are opened, and those that can't be: each in a process of its own.
#include "engine/run/start_up.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/device/device.h"

#include "tests/engine/run/run_with.h"

namespace hypatia {
namespace {

class StartUpDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

void twice_ones(const char* first, const char* second) {
  const Array ones = Array::ones(DType::float32, {4, 4});
  const Shared a = shared(ones, "a", {.target = first}), b = shared(ones, "b", {.target = second});
  const Variable moved = b.transfer(first);
  const Function f = function({}, {exp(b), dot(a, moved).transfer("cpu")});
  std::fprintf(stderr, "%s%g\n", f.why().c_str(), Array(f()[1]).at({1, 2}));
}

TEST_F(StartUpDeathTest, NamesContextsAndMovesBetweenThem) {
  EXPECT_EXIT(
      run_with("contexts=dev0->sim0;dev1->sim1", [] { twice_ones("dev0", "dev1"); }),
      testing::ExitedWithCode(0),
      "Mapped name dev0 to device sim0(.|\n)*Mapped name dev1 to device sim1(.|\n)*GpuToGpu<dev0>"
      "(.|\n)*\n4\n");
}

TEST_F(StartUpDeathTest, OpensTheInitGpuDeviceWithoutMovingWork) {
  const auto body = [] {
    const Variable x = vector("x", DType::float32);
    const bool unasked = function({x}, exp(x)).uses_gpu();
    const bool asked = function({x}, exp(x.transfer(""))).uses_gpu();
    std::fprintf(stderr, "unasked %d, asked %d\n", unasked, asked);
  };
  EXPECT_EXIT(
      run_with("init_gpu_device=sim", body),
      testing::ExitedWithCode(0),
      "Mapped name None to device sim0(.|\n)*unasked 0, asked 1");
}

TEST_F(StartUpDeathTest, FallsBackWithTheReasonUnlessForced) {
  const auto body = [] { static_cast<void>(default_place()); };
  EXPECT_EXIT(
      run_with("device=sim:nosuchcard", body),
      testing::ExitedWithCode(0),
      "Using the cpu: device sim:nosuchcard can't be had");
  EXPECT_EXIT(
      run_with("device=sim:nosuchcard,force_device=True", body),
      testing::ExitedWithCode(3),
      "device sim:nosuchcard was forced and can't be had");
  setenv("HYPATIA_CUDA_LIBRARIES", "/nonexistent", 1);
  EXPECT_EXIT(
      run_with("device=cuda,force_device=True", body),
      testing::ExitedWithCode(3),
      "device cuda was forced and can't be had: cuda: ");
  unsetenv("HYPATIA_CUDA_LIBRARIES");
}

TEST_F(StartUpDeathTest, OutOfMemoryTellsWhoAskedAndWhoHoldsAndTheProcessGoesOn) {
  const auto body = [] {
    const Shared x = shared(Array::ones(DType::float32, {1000, 1000}), "x");
    const Variable n = scalar("n", DType::int64);
    const Function big = function({n}, transfer(zeros({n}, DType::float64), Place{0}) + sum(x));
    try {
      big(std::int64_t{1} << 40);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fprintf(stderr, "after: %g\n", Array(function({}, sum(x))()).item());
  };
  EXPECT_EXIT(
      run_with("device=sim:gtx580,floatX=float32", body),
      testing::ExitedWithCode(0),
      "which is the one that asked(.|\n)*it holds 'x' on None: 4000000 bytes(.|\n)*after: 1e\\+06");
}

TEST_F(StartUpDeathTest, ASmallPreallocateIsAllThatASimulatedGpuHas) {
  const auto body = [] {
    const Shared x = shared(Array::ones(DType::float32, {1000, 1000}), "x");
    const Function twice = function({}, Vars{x + 1, x + 2, x + 3});
    try {
      twice();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    std::fprintf(stderr, "after: %g\n", Array(function({}, sum(x))()).item());
  };
  EXPECT_EXIT(
      run_with("device=sim,gpuarray.preallocate=6", body),
      testing::ExitedWithCode(0),
      "sim0 \\(simulated\\) has no room for (.|\n)*of 6144 KiB are in use by (.|\n)*which is the "
      "one "
      "that asked(.|\n)*it holds 'x' on None: 4000000 bytes(.|\n)*after: 1e\\+06");
}

}  // namespace
}  // namespace hypatia
