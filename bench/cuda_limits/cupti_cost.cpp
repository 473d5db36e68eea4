#include "bench/cuda_limits/cupti_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/device/cuda/driver.h"

#include "bench/cuda_limits/cupti_ways.h"
#include "bench/cuda_limits/report.h"

namespace hypatia::limits {

namespace {

using nlohmann::json;

/// A round's figures of each way, by its key.
using Rounds = std::map<std::string, std::vector<json>>;

/// What the child printed; null if it failed, and then its own words are on standard error.
json run_child(const std::string& program, const Way& way) {
  std::string text;
  std::FILE* pipe = popen(("'" + program + "' --cupti-way " + way.key).c_str(), "r");
  if (!pipe) return nullptr;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe))
    text += part.data();
  const bool good = pclose(pipe) == 0;
  return good ? json::parse(text, nullptr, false) : json();
}

std::vector<double> column(const std::vector<json>& rounds, const char* key) {
  std::vector<double> values;
  for (const json& round : rounds)
    values.push_back(round[key]);
  return values;
}

/// Round by round, so that a slow minute weighs on both.
double ratio(const std::vector<json>& of, const std::vector<json>& to, const char* key) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i)
    ratios.push_back(of[i][key].get<double>() / to[i][key].get<double>());
  return at_share(ratios, 0.5);
}

json row(const Way& way, const Rounds& rounds) {
  const std::vector<json>& own = rounds.at(way.key);
  json out{
      {"name", way.name},
      {"microseconds", at_share(column(own, "microseconds"), 0.5)},
      {"least", at_share(column(own, "least"), 0)},
      {"submitting", at_share(column(own, "submitting"), 0.5)},
      {"launches", own.back()["launches"]},
      {"kernels", own.back()["kernels"]},
      {"bytes", own.back()["bytes"]},
  };
  if (*way.against == 0) return out;
  const std::vector<json>& other = rounds.at(way.against);
  out["against"] = way.against;
  out["ratio"] = ratio(own, other, "microseconds");
  out["submitting_ratio"] = ratio(own, other, "submitting");
  return out;
}

const Way* way_of(const std::string& key) {
  for (const Way& way : cupti_ways()) {
    if (key == way.key) return &way;
  }
  return nullptr;
}

void print(const json& row) {
  std::printf(
      "%8.3f us (least %.3f, submitting %.3f)",
      row["microseconds"].get<double>(),
      row["least"].get<double>(),
      row["submitting"].get<double>());
  if (row.contains("ratio")) {
    std::printf(
        "  %5.3f (submitting %.3f) of %s;",
        row["ratio"].get<double>(),
        row["submitting_ratio"].get<double>(),
        way_of(row["against"])->name);
  }
  std::printf("  %s\n", row["name"].get<std::string>().c_str());
}

/// A tracer that saw less than ran would look cheap.
bool all_seen(const json& row) {
  const auto launches = row["launches"].get<std::int64_t>();
  const auto kernels = row["kernels"].get<std::int64_t>();
  const bool missed = (kernels >= 0 && kernels < launches) || row["bytes"] == 0;
  if (missed) {
    std::fprintf(
        stderr,
        "of %s kernels %s were recorded: %s\n",
        std::to_string(launches).c_str(),
        std::to_string(std::max<std::int64_t>(0, kernels)).c_str(),
        row["name"].get<std::string>().c_str());
  }
  return !missed;
}

}  // namespace

int measure_cupti_way(const std::string& key) {
  const Way* way = way_of(key);
  if (!way) {
    std::fprintf(stderr, "no way of launching is called %s\n", key.c_str());
    return 2;
  }
  const LaunchTimes times = way->run();
  const json line{
      {"microseconds", at_share(times.done, 0.5)},
      {"least", at_share(times.done, 0)},
      {"submitting", at_share(times.submitted, 0.5)},
      {"launches", times.launches},
      {"kernels", times.kernels},
      {"bytes", times.bytes},
  };
  std::printf("%s\n", line.dump().c_str());
  return 0;
}

int cupti_cost(const char* own_path, int rounds, const std::string& file) {
  const FoundDriver found = find_driver();
  CUdevice device = 0;
  if (!found.driver || found.driver->device(&device, 0) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no CUDA device: %s\n", found.reason.c_str());
    return 3;
  }
  const std::string program = std::filesystem::canonical(own_path);
  Rounds measured;
  for (int round = 0; round < rounds; ++round) {
    for (const Way& way : cupti_ways()) {
      const json figures = run_child(program, way);
      if (!figures.is_object()) {
        std::fprintf(stderr, "\"%s\" could not be measured\n", way.name);
        return 1;
      }
      measured[way.key].push_back(figures);
    }
  }
  json result = head(*found.driver, device, "cost of CUPTI", rounds);
  bool complete = true;
  for (const Way& way : cupti_ways()) {
    result["rows"].push_back(row(way, measured));
    print(result["rows"].back());
    complete &= all_seen(result["rows"].back());
  }
  if (!file.empty() && !write_by_rename(file, result.dump(1))) {
    std::fprintf(stderr, "can't write %s\n", file.c_str());
    return 1;
  }
  return complete ? 0 : 1;
}

}  // namespace hypatia::limits
