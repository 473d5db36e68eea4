#pragma once
// CUPTI's stamps of what runs on the GPU in a stretch of time.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernel_loops/loop_times.h"
#include "profiler/cupti/api.h"

namespace hypatia::kernel_loops {

/// A kernel, copy or fill that ran.
struct SeenWork {
  Stamp stamp;
  std::string name;                    // mangled; "copy", "fill"
  std::array<int, 3> grid{}, block{};  // zeros for others than kernels
  int registers = 0;                   // as CUPTI counts them: at least 16
};

/// Traces with the record kinds that the profiler asks for, from `open` to the program's end.
class Stamps {
 public:
  /// Before the driver makes a context. Null, and why in `reason`, without CUPTI or a driver.
  static std::unique_ptr<Stamps> open(std::string& reason);

  /// Forgets what has been recorded so far. The GPU must be idle.
  void clear();
  /// The work since, one list a submission, in order of their starts. The GPU must be idle.
  std::vector<std::vector<SeenWork>> take();

 private:
  explicit Stamps(std::unique_ptr<cupti::Api> api) : api_(std::move(api)) {}

  std::unique_ptr<cupti::Api> api_;
};

}  // namespace hypatia::kernel_loops
