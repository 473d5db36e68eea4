// `hypatia check NN`: builds an exercise with its check, runs it and prints the verdict.
#include <algorithm>
#include <cstdio>

#include "exercises/runner/attempt.h"
#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

namespace {

std::vector<const Exercise*> chosen(const std::string& word) {
  std::vector<const Exercise*> all;
  if (word != "all") return {&find_exercise(word)};
  for (const Exercise& exercise : course())
    all.push_back(&exercise);
  return all;
}

// Accesses are looked at by the simulated GPU alone.
std::string device_asked(const Arguments& arguments) {
  std::string device = arguments.value("--device");
  if (!arguments.has("--race")) return device;
  if (device.empty()) return "sim";
  if (device.substr(0, 3) == "sim") return device;
  throw Stop{
      exit_usage,
      "--race looks at every access on the simulated GPU, not on " + device,
      "leave --device out; on a card, NVIDIA's compute-sanitizer does the like"};
}

// Without --device: the one that the flags name, if the exercise is for it.
std::string device_of(const Exercise& exercise, const Arguments& arguments) {
  const std::string asked = device_asked(arguments);
  if (!asked.empty()) return asked;
  require_flags(arguments.value("--flags"));
  const std::string configured = configured_device(arguments.value("--flags"));
  const bool named = !configured.empty() && exercise.runs_on(configured);
  return named ? configured : usual_device(exercise);
}

Verdict unsupported(const Exercise& exercise, const CheckRequest& request) {
  Verdict verdict;
  verdict.exercise = &exercise;
  verdict.device = request.device;
  verdict.file = request.solution ? exercise.solution() : exercise.source();
  verdict.status = "unsupported";
  verdict.message = "this exercise is not for " + request.device + "; leave --device out";
  return verdict;
}

Verdict verdict_of(CheckRequest request, const Arguments& arguments) {
  if (!request.exercise->runs_on(request.device)) return unsupported(*request.exercise, request);
  StatusLine status(!arguments.json(), request.exercise->id);
  request.told = status.told();
  return request.solution ? check(request) : attempt(request);
}

int run_check(const Arguments& arguments) {
  std::vector<Verdict> verdicts;
  for (const Exercise* exercise : chosen(arguments.words.at(0))) {
    CheckRequest request;
    request.exercise = exercise;
    request.solution = arguments.has("--solution");
    request.device = device_of(*exercise, arguments);
    require_device(request.device);
    request.race = arguments.has("--race");
    request.flags = arguments.value("--flags");
    request.seed = arguments.value("--seed");
    const Verdict verdict = verdict_of(request, arguments);
    if (!arguments.json()) std::printf("%s", to_text(verdict).c_str());
    std::fflush(stdout);
    verdicts.push_back(verdict);
  }
  if (arguments.json()) std::printf("%s\n", to_json(verdicts).c_str());
  const auto worst =
      std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return !v.passed(); });
  return worst == verdicts.end() ? exit_pass : worst->exit_code();
}

}  // namespace

extern const Command check_command{
    .name = "check",
    .summary = "check your file (or all): build, tests, verdict",
    .positional = {"NN", "the exercise, or all", 1, 1},
    .options =
        {
            {"--solution", "", "the provided solution instead of your file"},
            {"--device",
             "D",
             "cpu, cuda, sim, … (default cpu, a GPU where the exercise needs one)"},
            {"--race", "", "look at every access of your kernels, on the simulated GPU"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
            {"--seed", "N", "other inputs"},
        },
    .run = run_check,
};

}  // namespace hypatia::runner
