// `hypatia doctor`: what this machine has, what is missing, and the exact line that mends it.
#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/findings.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

Colour colour_of(const std::string& state) {
  if (state == "ok") return Colour::good;
  return state == "missing" ? Colour::bad : Colour::plain;
}

int run_doctor(const Arguments& arguments) {
  if (arguments.has("--probe")) return probe_device(arguments.value("--probe"));
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
    .options = {{"--probe", "DEVICE", "open that device and print what it is (used by others)"}},
    .run = run_doctor,
};

}  // namespace hypatia::runner
