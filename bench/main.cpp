// hypatia-bench: interleaved rounds of each job, the engine's way beside the best one by hand; with
// --compile-times, how long functions take to be made; with --hook-cost, what hearing costs; with
// an option of Google Benchmark's, that.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <string>
#include <string_view>

#include "bench/compile_times.h"
#include "bench/hook_cost.h"
#include "bench/work.h"

namespace {

using hypatia::bench::families;
using hypatia::bench::Family;
using hypatia::bench::Work;

void run_way(benchmark::State& state, const Family& family, const std::string& role) {
  for (const Work& work : family.make()) {
    if (work.role != role) continue;
    work.run();
    for (auto _ : state)
      work.run();
    const double runs = static_cast<double>(state.iterations());
    state.counters["GB/s"] =
        benchmark::Counter(work.bytes * runs * 1e-9, benchmark::Counter::kIsRate);
    if (work.flops > 0) {
      state.counters["GF/s"] =
          benchmark::Counter(work.flops * runs * 1e-9, benchmark::Counter::kIsRate);
    }
  }
}

void register_all() {
  for (const Family& family : families()) {
    for (const Work& work : family.make()) {
      benchmark::RegisterBenchmark(
          (work.group + "/" + work.role).c_str(),
          [&family, role = work.role](benchmark::State& state) { run_way(state, family, role); })
          ->UseRealTime();
    }
  }
}

int google_benchmark(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

struct Words {
  hypatia::bench::Comparison comparison;
  int most_nodes = 0;
  bool hook_cost = false;
};

int run(const Words& words) {
  if (words.most_nodes > 0) return hypatia::bench::compile_times(words.most_nodes);
  if (words.hook_cost)
    return hypatia::bench::hook_cost("/proc/self/exe", words.comparison.form == "json");
  return hypatia::bench::compare(words.comparison);
}

}  // namespace

int main(int argc, char** argv) {
  const bool google = std::any_of(argv + 1, argv + argc, [](std::string_view word) {
    return word.starts_with("--benchmark_");
  });
  if (google) return google_benchmark(argc, argv);
  constexpr int most = 50'000;
  Words words;
  bool json = false, all_ways = false;
  CLI::App app("Jobs in the engine's way beside the best program by hand", "hypatia-bench");
  app.add_option("PART", words.comparison.filter, "only jobs whose names have this part");
  app.add_option("--rounds", words.comparison.rounds, "interleaved rounds (9)")
      ->check(CLI::Range(1, 10'000));
  app.add_flag("--compare", all_ways, "every way of each job, with quartiles and rates");
  app.add_flag("--json", json, "every way of each job, as a JSON array");
  app.add_flag("--hook-cost", words.hook_cost, "what the profiler's hooks cost");
  app.add_option("--compile-times", words.most_nodes, "how long functions take to be made (50000)")
      ->expected(0, 1)
      ->default_str(std::to_string(most))
      ->check(CLI::Range(1, 10'000'000));
  app.footer("Options that begin with --benchmark_ are Google Benchmark's.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  words.comparison.form = json ? "json" : all_ways ? "ways" : "jobs";
  if (app.count("--compile-times") > 0 && words.most_nodes == 0) words.most_nodes = most;
  return run(words);
}
