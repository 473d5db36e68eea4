#pragma once
// What a checked launch found, for the course's checks: problems in a learner's words, and counts
// for each line of the kernel's text.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/sim/abi.h"

namespace hypatia::sim {

/// One mistake, however often it happened.
struct SimProblem {
  /// "race", "out-of-bounds", "uninitialised", "misaligned", "barrier", "warp", "shuffle",
  /// "memory", "stack", "division", "assert".
  std::string tag;
  std::string text;             // "thread 17 of block 0 reads s[18] at line 33; …"
  std::int32_t line = 0;        // where it shows; 0 if unknown
  std::int32_t other_line = 0;  // races: the other access
  std::uint64_t block = 0;
  std::int32_t thread = -1, other_thread = -1;
  std::uint64_t count = 1;
};

/// Counts of one line over all threads of a launch. A request is one instruction of one warp.
struct SimLine {
  std::int32_t line = 0;
  std::string text;   // of the line
  std::string array;  // of a report's sites: what is touched, as the text calls it
  std::uint64_t global_loads = 0, global_stores = 0;  // accesses of threads
  std::uint64_t global_requests = 0, sectors = 0;     // sectors of 32 bytes
  std::uint64_t shared_loads = 0, shared_stores = 0;
  std::uint64_t shared_requests = 0, bank_conflicts = 0;  // extra passes over the banks
  std::uint64_t atomics = 0;
  std::uint64_t barriers = 0;      // times that a block passed one
  std::uint64_t active_lanes = 0;  // summed over the requests of both kinds
};

/// A checked launch.
struct SimReport {
  std::string kernel, file;
  std::string nodes;  // what a generated kernel computes: "exp+Sum"; else empty
  Shape shape;
  std::uint64_t launches = 1;  // that were looked at
  std::uint64_t skipped = 0;   // later ones, which were not
  std::uint64_t accesses = 0;  // that were checked
  std::vector<SimProblem> problems;
  std::vector<SimLine> lines;  // by line, those with counts only
  std::vector<SimLine> sites;  // the same for each array that a line touches, without barriers
};

/// The reports of all checked launches of this process since the last call, oldest first; launches
/// of one kernel after another without a problem are added up.
std::vector<SimReport> take_reports();

/// For devices: keeps a report for take_reports(), and appends it to the file that
/// HYPATIA_SIM_REPORT names, if any, as a line of JSON.
void keep_report(SimReport report);

/// One line of JSON: kernel, file, nodes, grid, block, accesses, problems, lines, sites.
std::string to_json(const SimReport& report);
/// For people: the problems, then a table of the lines.
std::string to_text(const SimReport& report);

}  // namespace hypatia::sim
