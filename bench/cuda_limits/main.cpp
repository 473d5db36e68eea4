// Runs the cases in interleaved rounds and tells their medians; see README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/device/cuda/compiler.h"

#include "bench/cuda_limits/raw.h"

namespace {

using hypatia::limits::Case;

struct Options {
  int rounds = 11;
  std::string only;  // cases whose names hold this
  std::string json;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    if (name == "--rounds") options.rounds = std::max(1, std::atoi(words[i + 1]));
    if (name == "--only") options.only = words[i + 1];
    if (name == "--json") options.json = words[i + 1];
  }
  return options;
}

double microseconds_of(const Case& work) {
  const auto begin = std::chrono::steady_clock::now();
  work.run(work.repeats);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / work.repeats;
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text.data();
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

nlohmann::json head(const hypatia::limits::Raw& raw, int rounds) {
  std::array<char, 256> model{};
  raw.driver->device_name(model.data(), static_cast<int>(model.size()), raw.device);
  return {
      {"suite", "cuda limits"},
      {"date", today()},
      {"device", model.data()},
      {"driver", hypatia::driver_text(*raw.driver)},
      {"nvrtc", hypatia::nvrtc_version()},
      {"rounds", rounds},
  };
}

bool write_by_rename(const std::string& file, const std::string& text) {
  const std::string draft = file + ".part";
  std::ofstream out(draft);
  out << text << "\n";
  out.close();
  return out && std::rename(draft.c_str(), file.c_str()) == 0;
}

}  // namespace

int main(int count, char** words) {
  const Options options = parse(count, words);
  hypatia::limits::Raw raw;
  std::vector<Case> cases;
  hypatia::limits::add_exp_cases(raw, cases);
  hypatia::limits::add_device_cases(raw, cases);
  hypatia::limits::add_engine_cases(raw, cases);
  hypatia::limits::add_loop_cases(raw, cases);
  hypatia::limits::add_logistic_cases(raw, cases);
  hypatia::limits::add_launch_cases(raw, cases);
  hypatia::limits::add_copy_cases(raw, cases);
  std::erase_if(
      cases, [&](const Case& work) { return work.name.find(options.only) == std::string::npos; });
  std::vector<std::vector<double>> times(cases.size());
  for (const Case& work : cases)
    work.run(std::min(work.repeats, 200));
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i)
      times[i].push_back(microseconds_of(cases[i]));
  }
  nlohmann::json result = head(raw, options.rounds);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    result["rows"].push_back(row(cases[i], times[i]));
    print(result["rows"].back());
  }
  if (options.json.empty() || write_by_rename(options.json, result.dump(1))) return 0;
  std::fprintf(stderr, "can't write %s\n", options.json.c_str());
  return 1;
}
