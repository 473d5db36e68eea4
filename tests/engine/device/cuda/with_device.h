#pragma once
// What tests of the cuda device share: the device of this process, or why there is none.
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "engine/device/cuda/cuda.h"

namespace hypatia {

/// Sets a variable of the environment for one scope.
class WithVariable {
 public:
  WithVariable(const char* name, const char* value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    if (had_) old_ = old;
    setenv(name, value, 1);
  }

  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;

  ~WithVariable() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

/// Opened once a process; context 0.
inline Opened& the_cuda_device() {
  static Opened& opened = *new Opened(open_cuda("cuda", Place{0}));
  return opened;
}

/// Skips, saying why, where there is no GPU.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!the_cuda_device().device) GTEST_SKIP() << "no CUDA device: " << the_cuda_device().reason;
  }

  static Device& device() { return *the_cuda_device().device; }
};

}  // namespace hypatia
