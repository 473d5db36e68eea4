#pragma once
// What is timed: pieces of work in groups, each group doing one job in several ways.

#include <functional>
#include <string>
#include <vector>

namespace hypatia::bench {

/// One way of doing a group's job. Roles: "copy" moves the group's bytes and does nothing else,
/// "hand" is the best program written by hand, "engine" is a compiled function.
struct Work {
  std::string group;  // "exp/float32/230400"
  std::string role;
  double bytes = 0;  // read plus written by one run, at least
  double flops = 0;
  std::function<void()> run;
};

/// All work whose group contains `filter`, made when asked for: large arrays live only meanwhile.
struct Family {
  std::string group;
  std::function<std::vector<Work>()> make;
};

std::vector<Family>& families();

struct Comparison {
  std::string filter;  // part of the groups' names
  int rounds = 9;
  std::string form = "jobs";  // a line a job; "ways": a line a way; "json": those as an array
};

/// Times each group's ways in turn and prints the medians with their spread, the rates and the
/// ratios to the way by hand. Returns 0, or 1 if nothing matched.
int compare(const Comparison& wanted);

}  // namespace hypatia::bench
