// Interleaved rounds: what one way gains from a quiet moment the others gain as well.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>

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

/// As JSON, each way is told apart from the one before it by `separator`.
void print_ways(
    const std::vector<Work>& ways,
    const std::vector<Times>& times,
    bool json,
    const char* separator) {
  const double hand = best(ways, times, "hand"), copy = best(ways, times, "copy");
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const Work& work = ways[way];
    const Times& time = times[way];
    const double rate = work.bytes / time.median() * 1e-9;
    const double to_hand = hand > 0 ? time.median() / hand : 0;
    const double roof = copy > 0 ? copy / time.median() : 0;
    if (json) std::printf("%s", way == 0 ? separator : ",\n");
    std::printf(
        json ? "{\"group\":\"%s\",\"way\":\"%s\",\"us\":%.4f,\"us_25\":%.4f,\"us_75\":%.4f,"
               "\"gb_per_s\":%.2f,\"to_hand\":%.3f,\"share_of_roof\":%.3f}"
             : "%-28s %-10s %11.3f us (%.3f to %.3f) %8.1f GB/s  %6.2f x hand  %4.0f %% of roof\n",
        work.group.c_str(),
        work.role.c_str(),
        time.median() * 1e6,
        time.low() * 1e6,
        time.high() * 1e6,
        rate,
        to_hand,
        json ? roof : 100 * roof);
  }
}

/// Microseconds in four digits or more: "0.07251", "13.9", "17220".
std::string in_microseconds(double seconds) {
  const double us = seconds * 1e6;
  char text[32];
  std::snprintf(text, sizeof text, us < 9999.5 ? "%.4g" : "%.0f", us);
  return text;
}

/// The engine's way with its quartiles, the best one by hand, and what moving the bytes takes.
void print_job(const std::vector<Work>& ways, const std::vector<Times>& times) {
  const auto engine = std::find_if(
      ways.begin(), ways.end(), [](const Work& work) { return work.role == "engine"; });
  if (engine == ways.end()) return;
  const Times& time = times[static_cast<std::size_t>(engine - ways.begin())];
  const double hand = best(ways, times, "hand"), copy = best(ways, times, "copy");
  const std::string spread = in_microseconds(time.low()) + " to " + in_microseconds(time.high());
  std::printf(
      "%-36s %9s  %-18s",
      engine->group.c_str(),
      in_microseconds(time.median()).c_str(),
      spread.c_str());
  std::printf(" %9s", hand > 0 ? in_microseconds(hand).c_str() : "");
  hand > 0 ? std::printf(" %6.2f", time.median() / hand) : std::printf(" %6s", "");
  std::printf(" %9s\n", copy > 0 ? in_microseconds(copy).c_str() : "");
}

void print_title(const Comparison& wanted) {
  const BlasFacts& blas = blas_facts();
  std::printf(
      "%s, %d threads, BLAS: %s %s; medians of %d interleaved rounds (quartiles)\n",
      cpu_model().c_str(),
      pool().threads(),
      blas.library.empty() ? "none" : blas.library.c_str(),
      blas.core.c_str(),
      wanted.rounds);
  if (wanted.form != "jobs") return;
  std::printf(
      "\n%-36s %9s  %-20s%9s %6s%9s\n",
      "job",
      "engine us",
      "quartiles",
      "by hand",
      "ratio",
      "a copy");
}

}  // namespace

std::vector<Family>& families() {
  static std::vector<Family> all;
  return all;
}

int compare(const Comparison& wanted) {
  const bool json = wanted.form == "json";
  json ? static_cast<void>(std::printf("[")) : print_title(wanted);
  bool any = false;
  for (const Family& family : families()) {
    if (family.group.find(wanted.filter) == std::string::npos) continue;
    const std::vector<Work> ways = family.make();
    if (ways.empty()) continue;
    const std::vector<Times> times = measure(ways, wanted.rounds);
    wanted.form == "jobs" ? print_job(ways, times)
                          : print_ways(ways, times, json, any ? ",\n" : "\n");
    std::fflush(stdout);
    any = true;
  }
  if (json) std::printf("\n]\n");
  if (!any) {
    std::set<std::string> kinds;
    for (const Family& family : families())
      kinds.insert(family.group.substr(0, family.group.find('/')));
    std::fprintf(stderr, "no job's name has '%s' in it; there are", wanted.filter.c_str());
    for (const std::string& kind : kinds)
      std::fprintf(stderr, " %s/", kind.c_str());
    std::fprintf(stderr, "\n");
  }
  return any ? 0 : 1;
}

}  // namespace hypatia::bench
