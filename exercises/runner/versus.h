#pragma once
// Two programs of one exercise, run in turns: their times as a ratio, their output, a recording of
// each.

#include <cstdint>
#include <string>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

/// One of the two: a built program, and what to call it.
struct Contender {
  std::string name;     // "yours", "the solution's"
  std::string file;     // its text
  std::string program;  // its path
  std::string recording;
  bool solution = false;
};

/// One function in both programs; a time is of one call, of a run.
struct Duel {
  std::string function;
  std::vector<double> mine, other;        // nanoseconds, by pair of runs; one of them may be empty
  double ratio = 0, least = 0, most = 0;  // mine / other: the median of the pairs, and their range
  std::int64_t calls = 0;                 // in a run, the fewest; one or two say little
};

/// What came of some pairs of runs.
struct Versus {
  std::vector<Duel> duels;
  std::string mine_output, other_output;  // what varies from run to run is "…"
  int pairs = 0;
  bool simulated = false;
};

struct VersusRequest {
  const Exercise* exercise = nullptr;
  Contender mine, other;
  std::string device, flags;
  int pairs = 5;               // of runs
  double enough_seconds = 20;  // after that many no further pair is begun
  double limit_seconds = 60;   // of one run
  Told told;                   // hears at which pair it is
};

/// Runs both in turns, and in turns first. Throws Stop if one of them doesn't run to its end.
Versus face(const VersusRequest& request);
/// Fills in the ratio and its range.
void judge(Duel& duel);
/// A table: a row a function, never a bare time.
std::string to_text(const Versus& versus, const std::string& other);
/// A picture for a browser: a bar a function, its range, and a line where both are equal.
std::string svg_of(const Versus& versus, const std::string& title, const std::string& other);

}  // namespace hypatia::runner
