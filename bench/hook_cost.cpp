#include "bench/hook_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/cores.h"

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

/// With profiling off.
struct Silent {
  int nodes = 0;
  double instructions = 0, least_instructions = 0;  // a call, with hooks and without
  double time = 0, least_time = 0;                  // nanoseconds a call

  double more() const { return instructions / least_instructions - 1; }
};

/// With profiling on.
struct Recorded {
  int nodes = 50;
  double time = 0, least_time = 0;  // nanoseconds a call, recorded and not

  double of_a_node() const { return (time - least_time) / nodes; }
};

void print(const std::vector<Silent>& silent, const Recorded& recorded) {
  std::printf("profiling off, one call       instructions    without hooks      more      time\n");
  for (const Silent& row : silent) {
    std::printf(
        "  %2d node%s                  %12.0f     %12.0f   %5.2f %%   %.0f ns, %.0f ns without\n",
        row.nodes,
        row.nodes == 1 ? " " : "s",
        row.instructions,
        row.least_instructions,
        100 * row.more(),
        row.time,
        row.least_time);
  }
  std::printf(
      "profiling on, %d nodes: %.0f ns a call, %.0f ns without: %.1f ns a node\n",
      recorded.nodes,
      recorded.time,
      recorded.least_time,
      recorded.of_a_node());
}

void print_json(const std::vector<Silent>& silent, const Recorded& recorded) {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "{\n \"suite\": \"hook cost\",\n \"date\": \"%s\",\n \"processor\": \"%s\",\n"
      " \"cores\": %d,\n \"command\": \"hypatia-bench --hook-cost --json\",\n \"silent\": [\n",
      date.data(),
      cpu_model().c_str(),
      usable_cores());
  for (const Silent& row : silent) {
    std::printf(
        "  {\"nodes\": %d, \"instructions\": %.1f, \"instructions_without_hooks\": %.1f, "
        "\"ns\": %.1f, \"ns_without_hooks\": %.1f}%s\n",
        row.nodes,
        row.instructions,
        row.least_instructions,
        row.time,
        row.least_time,
        &row == &silent.back() ? "" : ",");
  }
  std::printf(
      " ],\n \"recorded\": {\"nodes\": %d, \"ns\": %.1f, \"ns_not_recorded\": %.1f}\n}\n",
      recorded.nodes,
      recorded.time,
      recorded.least_time);
}

}  // namespace

int hook_cost(const std::string& own_path, bool json) {
  const fs::path folder = fs::canonical(own_path).parent_path();
  const std::string with = folder / "hypatia-hooks", without = folder / "hypatia-no-hooks";
  if (output_of("valgrind --version").rfind("valgrind-", 0) != 0) {
    std::fprintf(stderr, "instructions are counted by valgrind, which is missing\n");
    return 6;
  }
  std::vector<Silent> silent;
  for (const int nodes : {1, 50}) {
    silent.push_back(
        {nodes,
         instructions_a_call(with, nodes),
         instructions_a_call(without, nodes),
         time_a_call(with, nodes, ""),
         time_a_call(without, nodes, "")});
  }
  Recorded recorded;
  const std::string recording = fs::temp_directory_path() / "hypatia-hook-cost.hyp";
  recorded.least_time = time_a_call(with, recorded.nodes, "");
  recorded.time = time_a_call(with, recorded.nodes, recording);
  json ? print_json(silent, recorded) : print(silent, recorded);
  const bool good = std::all_of(
      silent.begin(), silent.end(), [](const Silent& row) { return row.more() < 0.01; });
  return good && recorded.of_a_node() < 100 ? 0 : 1;
}

}  // namespace hypatia::bench
