#include "bench/hook_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace hypatia::bench {

namespace {

namespace fs = std::filesystem;

/// What a command writes, both streams.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe))
    text += part.data();
  pclose(pipe);
  return text;
}

/// Instructions of a run, as callgrind sums them up: "Collected : 123".
double instructions(const std::string& program, int calls, int nodes) {
  const std::string text = output_of(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '" + program + "' " +
      std::to_string(calls) + " " + std::to_string(nodes));
  const std::size_t at = text.find("Collected : ");
  if (at != std::string::npos) return std::atof(text.c_str() + at + 12);
  std::fprintf(stderr, "callgrind counted nothing:\n%s", text.c_str());
  std::exit(1);
}

/// Of one call: the difference of a long run and a short one.
double instructions_a_call(const std::string& program, int nodes) {
  constexpr int few = 1000, many = 5000;
  output_of("'" + program + "' 1 " + std::to_string(nodes));  // compiles what is not on disk yet
  return (instructions(program, many, nodes) - instructions(program, few, nodes)) / (many - few);
}

/// Nanoseconds a call, the best of some runs.
double time_a_call(const std::string& program, int nodes, const std::string& recording) {
  double best = 1e12;
  for (int round = 0; round < 7; ++round) {
    const std::string words = " 20000 " + std::to_string(nodes) + " " + recording;
    best = std::min(best, std::atof(output_of("'" + program + "'" + words).c_str()));
    if (!recording.empty()) fs::remove(recording);
  }
  return best;
}

}  // namespace

int hook_cost(const std::string& own_path) {
  const fs::path folder = fs::canonical(own_path).parent_path();
  const std::string with = folder / "hypatia-hooks", without = folder / "hypatia-no-hooks";
  if (output_of("valgrind --version").rfind("valgrind-", 0) != 0) {
    std::fprintf(stderr, "instructions are counted by valgrind, which is missing\n");
    return 6;
  }
  bool good = true;
  std::printf("profiling off, one call       instructions    without hooks      more      time\n");
  for (const int nodes : {1, 50}) {
    const double count = instructions_a_call(with, nodes);
    const double least = instructions_a_call(without, nodes);
    const double time = time_a_call(with, nodes, ""), least_time = time_a_call(without, nodes, "");
    std::printf(
        "  %2d node%s                  %12.0f     %12.0f   %5.2f %%   %.0f ns, %.0f ns without\n",
        nodes,
        nodes == 1 ? " " : "s",
        count,
        least,
        100 * (count / least - 1),
        time,
        least_time);
    good = good && count < 1.01 * least;
  }
  constexpr int nodes = 50;
  const std::string recording = fs::temp_directory_path() / "hypatia-hook-cost.hyp";
  const double off = time_a_call(with, nodes, ""), on = time_a_call(with, nodes, recording);
  std::printf(
      "profiling on, %d nodes: %.0f ns a call, %.0f ns without: %.1f ns a node\n",
      nodes,
      on,
      off,
      (on - off) / nodes);
  return good && (on - off) / nodes < 100 ? 0 : 1;
}

}  // namespace hypatia::bench
