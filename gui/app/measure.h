#pragma once
// How long opening a recording and drawing its timeline take, and how much memory that holds.

#include <string>
#include <vector>

#include "gui/app/state.h"

namespace hypatia::gui {

/// The frame of one zoom: how much time is visible, and how long building it took.
struct FrameTime {
  double visible = 0;  // nanoseconds
  double seconds = 0;  // the best of five
};

struct Measured {
  double open_seconds = 0;        // on the wall clock
  double open_cpu_seconds = 0;    // processor time of all threads
  double slowest_frame = 0;       // seconds of processor time
  std::vector<FrameTime> frames;  // the timeline from the whole recording to half a microsecond
  double file_bytes = 0;
  double memory_bytes = 0;  // what opening added at most to the memory of this program
};

/// Opens a file in a state of its own, and draws it at 1920x1080. Throws Error if it can't be read.
Measured measure(const std::string& path);

}  // namespace hypatia::gui
