// Interleaved rounds: what one way gains from a quiet moment the others gain as well.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "engine/core/cores.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/pool.h"

#include "bench/work.h"

namespace hypatia::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(const Work& work, int times) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < times; ++i)
    work.run();
  return std::chrono::duration<double>(Clock::now() - start).count() / times;
}

/// Runs for half a millisecond: the pool's threads are awake then, and the caches hold this work.
void warm(const Work& work) {
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(500);
  do
    work.run();
  while (Clock::now() < end);
}

/// Runs enough for two milliseconds, so that clocks don't count, and ten at least, so that what the
/// way before it left in the caches doesn't either.
int repetitions(const Work& work) {
  warm(work);
  const double one = std::min(seconds(work, 1), seconds(work, 3));
  return std::clamp(static_cast<int>(2e-3 / std::max(one, 1e-9)), 10, 100'000);
}

struct Times {
  std::vector<double> sorted;

  double median() const { return sorted[sorted.size() / 2]; }

  double low() const { return sorted[sorted.size() / 4]; }

  double high() const { return sorted[sorted.size() * 3 / 4]; }
};

std::vector<Times> measure(const std::vector<Work>& ways, int rounds) {
  std::vector<Times> times(ways.size());
  std::vector<int> runs;
  for (const Work& work : ways)
    runs.push_back(repetitions(work));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      warm(ways[way]);
      times[way].sorted.push_back(seconds(ways[way], runs[way]));
    }
  }
  for (Times& time : times)
    std::sort(time.sorted.begin(), time.sorted.end());
  return times;
}

/// The best median among the ways of a role, 0 if there is none.
double best(const std::vector<Work>& ways, const std::vector<Times>& times, const char* role) {
  double found = 0;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const bool of_role = ways[way].role.rfind(role, 0) == 0;
    if (of_role && (found == 0 || times[way].median() < found)) found = times[way].median();
  }
  return found;
}

void print(const std::vector<Work>& ways, const std::vector<Times>& times, bool json) {
  const double hand = best(ways, times, "hand"), copy = best(ways, times, "copy");
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const Work& work = ways[way];
    const Times& time = times[way];
    const double rate = work.bytes / time.median() * 1e-9;
    const double to_hand = hand > 0 ? time.median() / hand : 0;
    const double roof = copy > 0 ? copy / time.median() : 0;
    std::printf(
        json ? "{\"group\":\"%s\",\"way\":\"%s\",\"us\":%.4f,\"us_25\":%.4f,\"us_75\":%.4f,"
               "\"gb_per_s\":%.2f,\"to_hand\":%.3f,\"share_of_roof\":%.3f}\n"
             : "%-28s %-10s %11.3f us (%.3f to %.3f) %8.1f GB/s  %6.2f x hand  %4.0f %% of roof\n",
        work.group.c_str(),
        work.role.c_str(),
        time.median() * 1e6,
        time.low() * 1e6,
        time.high() * 1e6,
        rate,
        to_hand,
        json ? roof : 100 * roof);
    std::fflush(stdout);
  }
}

}  // namespace

std::vector<Family>& families() {
  static std::vector<Family> all;
  return all;
}

int compare(const std::string& filter, int rounds, bool json) {
  if (!json) {
    const BlasFacts& blas = blas_facts();
    std::printf(
        "%s, %d threads, BLAS: %s %s; medians of %d interleaved rounds (quartiles)\n",
        cpu_model().c_str(),
        pool().threads(),
        blas.library.empty() ? "none" : blas.library.c_str(),
        blas.core.c_str(),
        rounds);
  }
  bool any = false;
  for (const Family& family : families()) {
    if (family.group.find(filter) == std::string::npos) continue;
    const std::vector<Work> ways = family.make();
    if (ways.empty()) continue;
    any = true;
    print(ways, measure(ways, rounds), json);
  }
  if (!any) std::fprintf(stderr, "no benchmark's name contains '%s'\n", filter.c_str());
  return any ? 0 : 1;
}

}  // namespace hypatia::bench
