#pragma once
// What the checked simulator said of a program's kernels: problems for a verdict, counts for
// people.

#include <cstdint>
#include <string>
#include <vector>

#include "exercises/runner/verdict.h"

namespace hypatia::runner {

/// One mistake in a kernel, as the simulator tells it.
struct AccessProblem {
  std::string tag, text, file;
  int line = 0;
};

/// Counts of one line, over all launches.
struct LineCounts {
  int line = 0;
  std::string text;   // of the line
  std::string array;  // of a site: what the line touches
  std::int64_t loads = 0, stores = 0, requests = 0, sectors = 0;
  std::int64_t shared_loads = 0, shared_stores = 0, shared_requests = 0, bank_conflicts = 0;
  std::int64_t atomics = 0, barriers = 0, active_lanes = 0;
};

/// All launches of one kernel.
struct KernelAccesses {
  std::string kernel, file;
  std::string nodes;                    // what a generated kernel computes: "exp+Sum"; else empty
  std::int64_t launches = 0;            // that were looked at
  std::int64_t skipped = 0;             // later ones, which were not
  std::vector<AccessProblem> problems;  // each once
  std::vector<LineCounts> lines;        // by line
  std::vector<LineCounts> sites;        // by line and array

  /// True for kernels of functions that verify_grad and check_op compile to compare with.
  bool is_the_engines() const;
  /// "exp+Sum: k0 (train.cu), 3 launches"
  std::string title() const;
};

/// Reads the lines of JSON that a checked program left (HYPATIA_SIM_REPORT); a cut last line is
/// left out. Kernels in the order of their first launch.
std::vector<KernelAccesses> read_accesses(const std::string& path);

/// Puts each problem before the verdict's tests, as a failed one with the problem's tag.
void add_access_findings(Verdict& verdict, const std::string& path);

/// A kernel's counts as a table, with the text of the lines, of `source` where it has the kernel's
/// file; by `site` a row for each array that a line touches.
std::string to_text(const KernelAccesses& kernel, const std::string& source, bool site = false);

}  // namespace hypatia::runner
