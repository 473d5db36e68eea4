// hypatia-bench: with --compare, interleaved rounds of each job done in several ways; with
// --compile-times, how long functions take to be made; with --hook-cost, what hearing costs; else
// Google Benchmark with its options.
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--compare") == 0) {
    std::string filter;
    int rounds = 9;
    bool json = false;
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--json") {
        json = true;
      } else if (word.rfind("--rounds=", 0) == 0) {
        rounds = std::max(1, std::atoi(word.c_str() + 9));
      } else {
        filter = word;
      }
    }
    return hypatia::bench::compare(filter, rounds, json);
  }
  if (argc > 1 && std::strcmp(argv[1], "--compile-times") == 0) {
    return hypatia::bench::compile_times(argc > 2 ? std::atoi(argv[2]) : 50'000);
  }
  if (argc > 1 && std::strcmp(argv[1], "--hook-cost") == 0) {
    const bool json = argc > 2 && std::strcmp(argv[2], "--json") == 0;
    return hypatia::bench::hook_cost("/proc/self/exe", json);
  }
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
