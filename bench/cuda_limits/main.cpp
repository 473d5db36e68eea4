// Runs the cases in interleaved rounds and tells their medians; see README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/cuda_limits/cupti_cost.h"
#include "bench/cuda_limits/raw.h"
#include "bench/cuda_limits/report.h"

namespace {

using hypatia::limits::at_share;
using hypatia::limits::Case;

struct Options {
  int rounds = 0;    // 0: as many as the suite likes
  std::string only;  // cases whose names hold this
  std::string json;
  bool cupti = false;         // what tracing costs, instead of the cases
  bool convolutions = false;  // only these
  std::string cupti_way;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string name = words[i];
    if (name == "--cupti") options.cupti = true;
    if (name == "--convolutions") options.convolutions = true;
    if (i + 1 == count) break;
    if (name == "--rounds") options.rounds = std::max(1, std::atoi(words[i + 1]));
    if (name == "--only") options.only = words[i + 1];
    if (name == "--json") options.json = words[i + 1];
    if (name == "--cupti-way") options.cupti_way = words[i + 1];
  }
  return options;
}

double microseconds_of(const Case& work) {
  const auto begin = std::chrono::steady_clock::now();
  work.run(work.repeats);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / work.repeats;
}

nlohmann::json row(const Case& work, const std::vector<double>& times) {
  nlohmann::json out{
      {"name", work.name},
      {"microseconds", at_share(times, 0.5)},
      {"least", at_share(times, 0)},
      {"ninth_decile", at_share(times, 0.9)},
  };
  if (work.bytes > 0) out["gigabytes_a_second"] = work.bytes / at_share(times, 0.5) / 1e3;
  if (work.reference > 0) out["reference"] = work.reference;
  return out;
}

void print(const nlohmann::json& row) {
  const double time = row["microseconds"];
  std::printf("%10.2f us  (least %.2f)", time, static_cast<double>(row["least"]));
  if (row.contains("gigabytes_a_second")) {
    std::printf("  %6.1f GB/s", static_cast<double>(row["gigabytes_a_second"]));
  }
  if (row.contains("reference")) {
    std::printf("  %4.2f of the reference", time / static_cast<double>(row["reference"]));
  }
  std::printf("  %s\n", row["name"].get<std::string>().c_str());
}

std::vector<Case> all_cases(hypatia::limits::Raw& raw, bool convolutions) {
  std::vector<Case> cases;
  if (convolutions) {
    hypatia::limits::add_convolution_cases(cases);
    return cases;
  }
  hypatia::limits::add_exp_cases(raw, cases);
  hypatia::limits::add_device_cases(raw, cases);
  hypatia::limits::add_engine_cases(raw, cases);
  hypatia::limits::add_loop_cases(raw, cases);
  hypatia::limits::add_logistic_cases(raw, cases);
  hypatia::limits::add_launch_cases(raw, cases);
  hypatia::limits::add_copy_cases(raw, cases);
  return cases;
}

}  // namespace

int main(int count, char** words) {
  const Options options = parse(count, words);
  if (!options.cupti_way.empty()) return hypatia::limits::measure_cupti_way(options.cupti_way);
  if (options.cupti) {
    const int rounds = options.rounds ? options.rounds : 5;
    return hypatia::limits::cupti_cost("/proc/self/exe", rounds, options.json);
  }
  const int rounds = options.rounds ? options.rounds : 11;
  hypatia::limits::Raw raw;
  std::vector<Case> cases = all_cases(raw, options.convolutions);
  std::erase_if(
      cases, [&](const Case& work) { return work.name.find(options.only) == std::string::npos; });
  std::vector<std::vector<double>> times(cases.size());
  for (const Case& work : cases)
    work.run(std::min(work.repeats, 200));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      times[i].push_back(microseconds_of(cases[i]));
  }
  const char* suite = options.convolutions ? "cuda convolutions" : "cuda limits";
  nlohmann::json result = hypatia::limits::head(*raw.driver, raw.device, suite, rounds);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    result["rows"].push_back(row(cases[i], times[i]));
    print(result["rows"].back());
  }
  if (options.json.empty() || hypatia::limits::write_by_rename(options.json, result.dump(1)))
    return 0;
  std::fprintf(stderr, "can't write %s\n", options.json.c_str());
  return 1;
}
