#pragma once
// Plausible recordings without a run: for tests, for the GUI's screenshots and for measuring how
// large recordings behave. The same options give the same bytes.

#include <cstddef>
#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

struct SyntheticOptions {
  std::string device = "cuda0";  // or "cpu"
  int calls = 100;
  std::string role = "student";
  double speed = 1;      // 2: every piece of work takes half the time
  bool fused = true;     // logistic regression: elementwise chains merge into one kernel
  unsigned jitter = 10;  // percent by which times vary
};

/// 01_exp_test: exp of 230,400 float32 numbers, and the copy back where the device is not the cpu.
RecordingData synthetic_exp(const SyntheticOptions& options = {});

/// 03_logistic_regression: train (x and y come from the host each call) and one call of predict.
RecordingData synthetic_logistic(const SyntheticOptions& options = {});

/// Logistic regression with about this many events.
RecordingData synthetic_large(std::size_t events);

}  // namespace hypatia
