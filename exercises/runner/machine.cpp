// Probes devices in child processes.
#include "exercises/runner/machine.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/device/device.h"

#include "exercises/runner/command.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/process.h"

namespace hypatia::runner {

namespace {

constexpr double probe_seconds = 60;  // a first contact with a big GPU machine takes seconds

}  // namespace

int probe_device(const std::string& spec) {
  const Opened opened = open_device(spec, spec == "cpu" ? host : Place{0});
  nlohmann::json json{{"usable", opened.device != nullptr}, {"reason", opened.reason}};
  if (opened.device) {
    const DeviceInfo& info = opened.device->info();
    json["model"] = info.model;
    json["driver"] = info.driver;
    json["simulated"] = info.simulated;
  }
  std::printf("\n%s\n", json.dump().c_str());
  std::fflush(stdout);
  std::_Exit(exit_pass);  // a driver's shutdown is not what was asked about
}

DeviceFinding look_at_device(const std::string& spec) {
  DeviceFinding finding;
  finding.spec = spec;
  Task task;
  task.words = {"/proc/self/exe", "doctor", "--probe", spec};
  task.limit_seconds = probe_seconds;
  const Outcome outcome = run(task);
  const std::size_t last = outcome.output.rfind("\n{");
  const nlohmann::json json = nlohmann::json::parse(
      last == std::string::npos ? "" : outcome.output.substr(last), nullptr, false);
  if (!json.is_object()) {
    finding.reason = outcome.timed_out ? "opening it did not end" : "opening it crashed";
    return finding;
  }
  finding.usable = json.value("usable", false);
  finding.reason = json.value("reason", "");
  finding.model = json.value("model", "");
  finding.driver = json.value("driver", "");
  finding.simulated = json.value("simulated", false);
  return finding;
}

void require_device(const std::string& spec) {
  require_flags();
  if (spec.empty() || spec == "cpu") return;
  const DeviceFinding finding = look_at_device(spec);
  if (finding.usable) return;
  throw Stop{
      exit_unsupported,
      "device " + spec + " can't be had: " + finding.reason,
      "--device sim runs the same on a simulated GPU; ./hypatia doctor says more"};
}

std::string best_gpu() {
  static const std::string best = look_at_device("cuda").usable ? "cuda" : "sim";
  return best;
}

std::string usual_device(const Exercise& exercise) {
  return exercise.needs_gpu() ? best_gpu() : "cpu";
}

}  // namespace hypatia::runner
