// `hypatia counters NN`: what each line of an exercise's kernels costs in memory accesses.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "exercises/runner/accesses.h"
#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

namespace {

constexpr double usual_seconds = 120;

nlohmann::json to_json(const LineCounts& l) {
  return {
      {"line", l.line},
      {"text", l.text},
      {"global_loads", l.loads},
      {"global_stores", l.stores},
      {"global_requests", l.requests},
      {"sectors", l.sectors},
      {"shared_loads", l.shared_loads},
      {"shared_stores", l.shared_stores},
      {"shared_requests", l.shared_requests},
      {"bank_conflicts", l.bank_conflicts},
      {"atomics", l.atomics},
      {"barriers", l.barriers},
      {"active_lanes", l.active_lanes}};
}

nlohmann::json to_json(const KernelAccesses& kernel) {
  nlohmann::json lines = nlohmann::json::array(), sites = lines, problems = lines;
  for (const LineCounts& line : kernel.lines)
    lines.push_back(to_json(line));
  for (const LineCounts& site : kernel.sites) {
    sites.push_back(to_json(site));
    sites.back()["array"] = site.array;
  }
  for (const AccessProblem& problem : kernel.problems)
    problems.push_back({{"tag", problem.tag}, {"text", problem.text}, {"line", problem.line}});
  return {
      {"kernel", kernel.kernel},
      {"file", kernel.file},
      {"nodes", kernel.nodes},
      {"checks", kernel.is_the_engines()},
      {"launches", kernel.launches},
      {"skipped", kernel.skipped},
      {"lines", lines},
      {"sites", sites},
      {"problems", problems}};
}

// The launches of each kernel that are counted; 0: all.
int most_launches(const Arguments& arguments) {
  constexpr int usual = 10;  // the others are like them, and take as long again each
  return arguments.value("--launches") == "0" ? 0 : arguments.count("--launches", usual);
}

// How many launches a run has counted.
std::string so_far(const std::string& report) {
  std::ifstream file(report);
  const auto launches =
      std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  return launches == 0 ? "" : fmt::format(", {} launches so far", launches);
}

Outcome run_checked(const Exercise& exercise, const Arguments& arguments, const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::filesystem::remove(path);
  ProgramRequest request;
  request.exercise = &exercise;
  require_flags(arguments.value("--flags"));
  request.solution = arguments.has("--solution");
  request.device = "sim";
  request.flags =
      "sim.checked=True,sim.checked_launches=" + std::to_string(most_launches(arguments)) +
      std::string(arguments.has("--flags") ? "," : "") + arguments.value("--flags");
  request.environment = {{"HYPATIA_SIM_REPORT", path}};
  request.words = arguments.rest;
  request.limit_seconds = arguments.number("--timeout", usual_seconds);
  request.capture = true;
  StatusLine status(!arguments.json(), exercise.id + ": compiling", [&] { return so_far(path); });
  request.program = built_program(exercise, request.solution);
  status.say(exercise.id + ": counting every access");
  return run_program(request);
}

void print(const std::vector<KernelAccesses>& kernels, const std::string& file, bool site) {
  std::string checks;
  for (const KernelAccesses& kernel : kernels) {
    if (kernel.is_the_engines()) {
      checks += "  " + kernel.title() + "\n";
      continue;
    }
    const bool own = kernel.file == std::filesystem::path(file).filename();
    std::printf("%s\n", to_text(kernel, own ? read_file(file) : "", site).c_str());
  }
  if (checks.empty()) return;
  std::printf(
      "Kernels of the engine's own checks, verify_grad and check_op (--json has their "
      "lines):\n%s\n",
      checks.c_str());
}

int run_counters(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const std::string path = build_folder() + "/checked/" + exercise.id + ".counters.jsonl";
  const Outcome outcome = run_checked(exercise, arguments, path);
  const std::vector<KernelAccesses> kernels = read_accesses(path);
  const std::string file = arguments.has("--solution") ? exercise.solution() : exercise.source();
  if (arguments.json()) {
    nlohmann::json all = nlohmann::json::array();
    for (const KernelAccesses& kernel : kernels)
      all.push_back(to_json(kernel));
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"complete", outcome.good()},
        {"kernels", all}};
    std::printf("%s\n", document.dump(2).c_str());
    return outcome.good() ? exit_pass : exit_code_of(outcome);
  }
  print(kernels, file, arguments.has("--site"));
  if (kernels.empty()) std::printf("no kernel was launched\n");
  std::printf(
      "sectors/r: 32-byte pieces of memory that a request touches. 32 threads that read "
      "neighbouring "
      "floats\nneed 4; a request of fewer threads, as of a block's last warp, needs fewer. "
      "lanes/r: "
      "threads that\ntake part, of 32. Simulated.\n");
  if (outcome.good()) return exit_pass;
  const std::string why = diagnose(outcome, arguments.number("--timeout", usual_seconds)).message;
  std::printf("The counts are of what ran before the program ended: %s\n", why.c_str());
  return exit_code_of(outcome);
}

}  // namespace

extern const Command counters_command{
    .name = "counters",
    .summary = "memory accesses of your kernels, line by line, on the simulated GPU",
    .positional = {"NN", "the exercise", 1, 1},
    .options =
        {
            {"--solution", "", "the provided solution instead of your file"},
            {"--site", "", "a row for each array that a line touches"},
            {"--launches", "N", "count the first N launches of each kernel (default 10); 0: all"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
            {"--timeout", "SECONDS", "stop it after that time (default 120)"},
        },
    .run = run_counters,
};

}  // namespace hypatia::runner
