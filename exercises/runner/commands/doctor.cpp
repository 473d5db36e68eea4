// `hypatia doctor`: what this machine has, what is missing, and the exact line that mends it; with
// --roofs, what it can do at most.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "engine/core/cores.h"

#include "exercises/runner/command.h"
#include "exercises/runner/findings.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/roofs.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"
#include "profiler/record/header_fields.h"
#include "profiler/record/roofs.h"

namespace hypatia::runner {

namespace {

Colour colour_of(const std::string& state) {
  if (state == "ok") return Colour::good;
  return state == "missing" ? Colour::bad : Colour::plain;
}

constexpr std::int8_t most_gpus = 16;

/// The processor, then every GPU that opens.
std::vector<DeviceInfo> measure_all() {
  std::vector<DeviceInfo> measured;
  measured.push_back(measure_roofs(*open_device("cpu", host).device));
  if (!look_at_device("cuda").usable) return measured;
  for (std::int8_t i = 0; i < most_gpus; ++i) {
    const Opened opened = open_device("cuda" + std::to_string(int{i}), Place{i});
    if (!opened.device) break;
    measured.push_back(measure_roofs(*opened.device));
  }
  return measured;
}

std::string giga(double rate) {
  return rate > 0 ? fmt::format("{:.1f}", rate * 1e-9) : "-";
}

nlohmann::json json_of(const DeviceInfo& device) {
  nlohmann::json json{
      {"name", device.name},
      {"model", device.model},
      {"file", RoofStore().file(device)},
  };
  visit_rates(device.limits, [&](const char* name, double rate) { json[name] = rate; });
  return json;
}

/// Programs that ran or waited to run in the last minute, on average; 0 if unknown.
double load_of_machine() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

void warn_if_busy(double load) {
  const int cores = usable_cores();
  if (load < 0.5 * cores) return;
  std::printf(
      "The machine is busy (load %.1f on %d cores): these figures may be far too low. Measure "
      "again\n"
      "when it is quiet.\n",
      load,
      cores);
}

// Measures what the machine's devices can do, prints it, and keeps it for recordings.
int run_roofs(const Arguments& arguments) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{
      {"device", "GFLOP/s f32", "f64", "GB/s memory", "cache", "to device", "back", "pageable"}};
  const double load = load_of_machine();  // before our own
  const std::vector<DeviceInfo> measured = [&] {
    const StatusLine status(!arguments.json(), "measuring what the devices can do");
    return measure_all();
  }();
  for (const DeviceInfo& device : measured) {
    RoofStore().store(device);
    const Limits& limits = device.limits;
    all.push_back(json_of(device));
    rows.push_back(
        {device.name,
         giga(limits.f32_flops),
         giga(limits.f64_flops),
         giga(limits.memory_bandwidth),
         giga(limits.cache_bandwidth),
         giga(limits.copy_in_bandwidth),
         giga(limits.copy_out_bandwidth),
         giga(limits.pageable_bandwidth)});
  }
  if (arguments.json()) {
    std::printf(
        "%s\n", nlohmann::json{{"schema", 1}, {"load", load}, {"roofs", all}}.dump(2).c_str());
    return exit_pass;
  }
  for (const DeviceInfo& device : measured)
    std::printf("%s: %s\n", device.name.c_str(), device.model.c_str());
  std::printf("\n%s\n", table(rows).c_str());
  std::printf(
      "Kept in %s. Recordings made from now on carry them, so that\nprofiles and the GUI say how "
      "near each node comes.\n",
      std::filesystem::path(RoofStore().file(measured[0])).parent_path().c_str());
  warn_if_busy(load);
  return exit_pass;
}

int run_doctor(const Arguments& arguments) {
  if (arguments.has("--probe")) return probe_device(arguments.value("--probe"));
  if (arguments.has("--roofs")) return run_roofs(arguments);
  const std::vector<Finding> findings = examine();
  bool broken = false;
  nlohmann::json all = nlohmann::json::array();
  for (const Finding& finding : findings) {
    broken = broken || finding.state == "missing";
    all.push_back(
        {{"name", finding.name},
         {"state", finding.state},
         {"detail", finding.detail},
         {"fix", finding.fix}});
    if (arguments.json()) continue;
    const std::string state = fmt::format("{:<8}", finding.state);
    std::printf(
        "%-18s %s  %s\n",
        finding.name.c_str(),
        paint(colour_of(finding.state), state).c_str(),
        wrap(finding.detail, 70, std::string(29, ' ')).c_str());
    if (!finding.fix.empty()) std::printf("%29sfix: %s\n", "", finding.fix.c_str());
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"findings", all}}.dump(2).c_str());
  }
  return broken ? exit_environment : exit_pass;
}

}  // namespace

extern const Command doctor_command{
    .name = "doctor",
    .summary = "what this machine has and lacks, with the line that mends it",
    .positional = {},
    .options =
        {
            {"--roofs", "", "measure what the CPU and the GPUs can do, and keep it for profiles"},
            {"--probe", "DEVICE", "open that device and print what it is (used by others)"},
        },
    .run = run_doctor,
};

}  // namespace hypatia::runner
