#pragma once
// What the cases share: plain driver calls on one stream, and rounds that are timed.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/device/cuda/driver.h"

namespace hypatia::limits {

/// Ends the program with the failed call, since a limit with an error in it is worth nothing.
void require(CUresult result, const char* what);

/// The GPU by plain driver calls. Nothing is freed: the program is short.
class Raw {
 public:
  Raw();

  CUdeviceptr device_memory(std::size_t bytes) const;
  /// Filled with numbers between 0 and 1 that differ.
  CUdeviceptr device_floats(std::size_t n) const;
  CUdeviceptr device_doubles(std::size_t n) const;
  void* pinned_memory(std::size_t bytes) const;
  CUfunction function(const char* name) const;
  /// Captures what `work` submits to `stream`.
  CUgraphExec graph(const std::function<void()>& work) const;
  void launch(CUfunction kernel, unsigned grid, unsigned x, unsigned y, void** args) const;
  void synchronize() const;

  const Driver* driver = nullptr;
  CUdevice device = 0;
  CUstream stream = nullptr;

 private:
  CUmodule module_ = nullptr;
};

/// A case: `run` does its work `repeats` times and returns when all is done.
struct Case {
  std::string name;
  int repeats = 1;
  std::function<void(int repeats)> run;
  double bytes = 0;      // of one repeat, for a rate; 0: none
  double reference = 0;  // microseconds of an earlier measurement on an H100; 0: none
};

void add_exp_cases(Raw& raw, std::vector<Case>& cases);
void add_logistic_cases(Raw& raw, std::vector<Case>& cases);
void add_copy_cases(Raw& raw, std::vector<Case>& cases);
void add_launch_cases(Raw& raw, std::vector<Case>& cases);
/// Through engine/device/cuda, on the same GPU.
void add_device_cases(Raw& raw, std::vector<Case>& cases);
/// Through function().
void add_engine_cases(Raw& raw, std::vector<Case>& cases);
/// Loops over time through function(), after add_engine_cases has chosen the device.
void add_loop_cases(Raw& raw, std::vector<Case>& cases);
/// Convolutions through function(); a suite of its own, which chooses the device.
void add_convolution_cases(std::vector<Case>& cases);

}  // namespace hypatia::limits
