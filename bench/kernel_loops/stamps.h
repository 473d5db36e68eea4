#pragma once
// CUPTI's stamps of the kernels of a stretch of time.

#include <memory>
#include <string>
#include <vector>

#include "bench/kernel_loops/loop_times.h"
#include "profiler/cupti/api.h"

namespace hypatia::kernel_loops {

/// Traces with the record kinds that the profiler asks for, from `open` to the program's end.
class Stamps {
 public:
  /// Before the driver makes a context. Null, and why in `reason`, without CUPTI or a driver.
  static std::unique_ptr<Stamps> open(std::string& reason);

  /// Forgets what has been recorded so far. The GPU must be idle.
  void clear();
  /// The kernels since, one list a submitted graph, in order of their starts; those of the name
  /// only. The GPU must be idle.
  std::vector<std::vector<Stamp>> take(const std::string& name);

 private:
  explicit Stamps(std::unique_ptr<cupti::Api> api) : api_(std::move(api)) {}

  std::unique_ptr<cupti::Api> api_;
};

}  // namespace hypatia::kernel_loops
