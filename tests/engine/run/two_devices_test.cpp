// Functions and values on two GPUs of one process, simulated ones and, where there are two, real
// ones: each test in a process of its own.
#include <cstdio>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <thread>
#include <vector>

#include "engine/core/contexts.h"
#include "engine/device/cuda/cuda.h"
#include "engine/device/device.h"

#include "tests/engine/run/run_with.h"

namespace hypatia {
namespace {

class TwoDevicesDeathTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    if (GetParam() != "cuda") return;
    const Opened second = open_cuda("cuda1", Place{5});
    if (!second.device) GTEST_SKIP() << "there are not two GPUs here: " << second.reason;
  }

  /// Ends the process after `body` with both devices.
  template <class Body>
  void run(Body body) const {
    run_with("contexts=dev0->" + GetParam() + "0;dev1->" + GetParam() + "1", body);
  }
};

const char* name_of(int device) {
  return device == 0 ? "dev0" : "dev1";
}

/// `scale` times 0, 1, 2, ... modulo 97.
Array numbers(std::int64_t count, double scale) {
  Array out(DType::float32, {count});
  std::int64_t at = 0;
  for (float& number : out.span<float>())
    number = static_cast<float>(scale * static_cast<double>(at++ % 97));
  return out;
}

/// How many of the numbers differ from `scale` times 0, 1, 2, ... modulo 97.
int wrong(const Array& found, double scale) {
  int count = 0;
  std::int64_t at = 0;
  for (const float number : found.span<float>())
    count += number != static_cast<float>(scale * static_cast<double>(at++ % 97));
  return count;
}

TEST_P(TwoDevicesDeathTest, PassValuesOnCallAfterCall) {
  const auto body = [] {
    // From the second to the first and back, with new values each time, from a captured graph on.
    const std::int64_t count = 1 << 18;
    const Variable x = vector("x", DType::float32);
    const Variable there = (x.transfer("dev1") * 2.0F).transfer("dev0");
    const Variable back = (there * 3.0F).transfer("dev1") + x.transfer("dev1");
    const Function f = function({x}, {there.transfer("cpu"), back.transfer("cpu")});
    int errors = 0;
    for (int call = 1; call <= 20; ++call) {
      const Results found = f(numbers(count, call));
      errors += wrong(asarray(found[0]), 2.0 * call) + wrong(asarray(found[1]), 7.0 * call);
    }
    std::fprintf(stderr, "%d wrong\n", errors);
  };
  EXPECT_EXIT(run(body), testing::ExitedWithCode(0), "\n0 wrong\n");
}

TEST_P(TwoDevicesDeathTest, RunWorkWhereItsValuesLie) {
  const auto body = [] {
    std::string told;
    for (const int device : {0, 1}) {
      const Shared w = shared(numbers(1000, 1), "w", {.target = name_of(device)});
      const Function step = function({}, {}, {.updates = {{w, w * 0.5F}}});
      step.fn({.n_calls = 3});
      told += context_name(w.get_device_value(true).place()) + " " +
              std::to_string(wrong(w.get_value(), 0.125)) + " wrong, ";
    }
    std::fprintf(stderr, "%s\n", told.c_str());
  };
  EXPECT_EXIT(run(body), testing::ExitedWithCode(0), "\ndev0 0 wrong, dev1 0 wrong, ");
}

TEST_P(TwoDevicesDeathTest, WorkSideBySideInThreads) {
  const auto body = [] {
    std::vector<int> errors(2);
    std::vector<std::thread> threads;
    for (const int device : {0, 1}) {
      threads.emplace_back([device, &errors] {
        const Shared w = shared(numbers(50'000, 1), "w", {.target = name_of(device)});
        const Function f =
            function({}, sum(w).transfer("cpu"), {.updates = {{w, w + 1.0F}}, .name = "grow"});
        const double first = Array(f()).item();
        double last = first;
        for (int call = 1; call <= 200; ++call)
          last = Array(f()).item();
        errors[static_cast<std::size_t>(device)] = last != first + 200.0 * 50'000;
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    std::fprintf(stderr, "%d and %d wrong\n", errors[0], errors[1]);
  };
  EXPECT_EXIT(run(body), testing::ExitedWithCode(0), "\n0 and 0 wrong\n");
}

TEST_P(TwoDevicesDeathTest, KeepTheirMemory) {
  const auto body = [] {
    const Shared a = shared(numbers(10'000, 1), "a", {.target = "dev0"});
    const Shared b = shared(numbers(10'000, 1), "b", {.target = "dev1"});
    const Function f = function({}, (a.transfer("dev1") + b).transfer("cpu"));
    const auto live = [] {
      return device_at(place_named("dev0")).memory().live +
             device_at(place_named("dev1")).memory().live;
    };
    for (int call = 0; call < 10; ++call)
      f();
    const std::size_t before = live();
    for (int call = 0; call < 1000; ++call)
      f();
    std::fprintf(stderr, "%d bytes more\n", static_cast<int>(live() - before));
  };
  EXPECT_EXIT(run(body), testing::ExitedWithCode(0), "\n0 bytes more\n");
}

TEST_P(TwoDevicesDeathTest, ExchangeValuesOfSharedVariables) {
  const auto body = [] {
    const Shared a = shared(numbers(1000, 1), "a", {.target = "dev0"});
    const Shared b = shared(numbers(1000, 0), "b", {.target = "dev1"});
    b.set_value(a.get_device_value(true));
    a.set_value(numbers(1000, 3));
    std::fprintf(stderr, "%d and %d wrong\n", wrong(a.get_value(), 3), wrong(b.get_value(), 1));
  };
  EXPECT_EXIT(run(body), testing::ExitedWithCode(0), "\n0 and 0 wrong\n");
}

INSTANTIATE_TEST_SUITE_P(
    Of,
    TwoDevicesDeathTest,
    testing::Values("sim", "cuda"),
    [](const testing::TestParamInfo<std::string>& kind) { return kind.param; });

}  // namespace
}  // namespace hypatia
