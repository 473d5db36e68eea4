#if __has_include(<cuda.h>)
#include "engine/device/cuda/staging.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "engine/core/error.h"

#include "tests/engine/device/cuda/fake_driver.h"

namespace hypatia {
namespace {

std::vector<unsigned> numbers(std::size_t n, unsigned first) {
  std::vector<unsigned> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

CUdeviceptr address(void* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

class StagingTest : public testing::TestWithParam<int> {
 protected:
  Driver driver_ = fake_driver();
  Context context_{driver_, 0, nullptr, "cuda0"};
};

TEST_P(StagingTest, MovesEveryByteBothWays) {
  // A ring of 64 slots of 4 KB, so that the larger copies go round it several times.
  Staging staging(context_, {GetParam(), 4096, 256, 8});
  for (const std::size_t n : {1UL, 64UL, 65UL, 1024UL, 1025UL, 5000UL, 65'536UL, 300'001UL}) {
    const std::vector<unsigned> from = numbers(n, static_cast<unsigned>(n));
    std::vector<unsigned> middle(n), to(n);
    staging.copy_in(address(middle.data()), from.data(), n * sizeof(unsigned), nullptr);
    ASSERT_EQ(middle, from) << n;
    staging.copy_out(to.data(), address(middle.data()), n * sizeof(unsigned), nullptr);
    ASSERT_EQ(to, from) << n;
  }
}

TEST_P(StagingTest, ServesSeveralCallers) {
  Staging staging(context_, {GetParam(), 4096, 256, 8});
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (unsigned caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&, caller] {
      const std::vector<unsigned> from = numbers(40'000, caller * 1000);
      std::vector<unsigned> to(40'000);
      for (int round = 0; round < 20; ++round) {
        std::fill(to.begin(), to.end(), 0);
        staging.copy_in(address(to.data()), from.data(), 160'000, nullptr);
        if (to != from) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(StagingTest, SurvivesADriverError) {
  driver_.record_event = [](CUevent, CUstream) { return CUDA_ERROR_INVALID_HANDLE; };
  Staging staging(context_, {GetParam(), 4096, 256, 8});
  const std::vector<unsigned> from = numbers(100'000, 1);
  std::vector<unsigned> to(100'000);
  EXPECT_THROW(staging.copy_in(address(to.data()), from.data(), 400'000, nullptr), Error);
  driver_.record_event = fake_driver().record_event;
  staging.copy_in(address(to.data()), from.data(), 400'000, nullptr);
  EXPECT_EQ(to, from);
}

INSTANTIATE_TEST_SUITE_P(Threads, StagingTest, testing::Values(1, 2, 4));

}  // namespace
}  // namespace hypatia
#endif
