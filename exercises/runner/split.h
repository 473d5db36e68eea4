#pragma once
// How a recording's time divides into CPU, GPU and transfer, per apply node.

#include <cstdint>
#include <string>
#include <vector>

namespace hypatia::runner {

/// One apply node, or the work of no node; milliseconds over all calls.
struct SplitRow {
  std::string name;
  double cpu = 0, gpu = 0, transfer = 0;
  std::int64_t calls = 0;
  bool approximate = false;  // shares of a merged kernel, by modelled cost
};

/// A recording in a few numbers.
struct Split {
  std::vector<SplitRow> rows;  // by falling time
  double wall = 0;             // milliseconds inside calls
  bool simulated = false;
  std::string device;
  std::vector<std::string> messages;
};

/// Throws Error if the file is no recording.
Split split_of(const std::string& recording);
/// The times of all rows together.
SplitRow sum_of(const Split& split);
/// A table of at most 100 columns, a row a node and a sum; the costly nodes first, and those beyond
/// `most_rows` in one row.
std::string to_text(const Split& split, std::size_t most_rows = 1000);

}  // namespace hypatia::runner
