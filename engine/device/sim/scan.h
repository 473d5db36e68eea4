#pragma once
// Reads a kernel text just far enough to run it: its kernels, which of them need their threads to
// co-operate, and its dynamic shared arrays. Parameters are left to the compiler.

#include <string>
#include <string_view>
#include <vector>

namespace hypatia::sim {

/// A `__global__` function that the text defines, outside of namespaces and not a template: such
/// have no plain name to launch them by.
struct ScannedKernel {
  std::string name;
  /// True if it, or a function that it may call, has a barrier or an operation of a warp.
  bool cooperates = false;
  /// True if its parameters or its body name `double`.
  bool doubles = false;
  /// True if it indexes arrays.
  bool indexes = false;
  std::vector<std::string> parameters;    // their names, as far as they are plain
  std::vector<std::string> declarations;  // the same as written: "const float * x"
};

/// What the scan found.
struct Scan {
  std::vector<ScannedKernel> kernels;
  std::vector<std::string> dynamic_shared;  // names of `extern __shared__` arrays
};

Scan scan_kernels(std::string_view text);

}  // namespace hypatia::sim
