#pragma once
// Contexts of the tests of raw kernels: GPUs of their own, simulated and, where there is one, real,
// so that other tests' devices are left alone.

#include <gtest/gtest.h>
#include <string>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/device.h"

#include "hypatia/kernels.h"

namespace hypatia::cuda {

/// A simulated GPU; returns its target.
inline std::string sim_target() {
  static const std::string reason = use_device("sim", Place{11});
  EXPECT_EQ(reason, "");
  return "dev11";
}

/// One that looks at every access.
inline std::string checked_target() {
  static const std::string reason = [] {
    const ChangeFlags flags(config(), {{"sim.checked", "True"}, {"sim.order", "ascending"}});
    return use_device("sim", Place{12});
  }();
  EXPECT_EQ(reason, "");
  return "dev12";
}

/// A real one; returns why it can't be had, or "".
inline std::string no_cuda() {
  static const std::string reason = use_device("cuda", Place{13});
  return reason;
}

/// Runs each test on both; skips where there is no GPU, and says why.
class OnGpus : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    target_ = sim_target();
    if (std::string(GetParam()) == "sim") return;
    if (!no_cuda().empty()) GTEST_SKIP() << no_cuda();
    target_ = "dev13";
  }

  Device& device() const { return device_at(target_ == "dev13" ? Place{13} : Place{11}); }

  std::string target_;
};

/// What an Error of `work` says; fails the test if there is none.
template <class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace hypatia::cuda
