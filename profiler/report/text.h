#pragma once
// The text report: Theano's sections and columns, and what they could not say about GPUs.

#include <cstddef>
#include <cstdint>
#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

struct TextOptions {
  std::size_t columns = 100;        // of the terminal
  std::size_t rows = 20;            // of tables of nodes; what is left is summed up in a line
  std::size_t op_rows = 20;         // of tables of ops and classes
  std::int64_t least_bytes = 1024;  // of the outputs that the memory profile lists
  bool memory = true;               // the memory profile of each function
  bool advice = true;
  std::string function = {};  // only functions of this name; "" for all, and their sum
};

/// One profile a function, by falling time, then the sum of all, then what to do about it.
std::string text_report(const Recording& recording, const TextOptions& options = {});

}  // namespace hypatia
