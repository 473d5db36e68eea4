// `hypatia check NN`: builds an exercise with its check, runs it and prints the verdict.
#include <algorithm>
#include <cstdio>

#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"

namespace hypatia::runner {

namespace {

void remember(Verdict& verdict, const std::string& text) {
  const Exercise& exercise = *verdict.exercise;
  keep_snapshot(exercise, text);
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "check";
  entry.sha256 = verdict.sha256;
  entry.status = verdict.status;
  entry.tags = verdict.tags;
  entry.seconds = verdict.build_seconds + verdict.seconds;
  record(entry);
  const Progress at = progress(exercise);
  verdict.attempts = at.attempts;
  verdict.hints_used = at.hints;
}

std::vector<const Exercise*> chosen(const std::string& word) {
  std::vector<const Exercise*> all;
  if (word != "all") return {&find_exercise(word)};
  for (const Exercise& exercise : course())
    all.push_back(&exercise);
  return all;
}

int run_check(const Arguments& arguments) {
  const std::string device = arguments.value("--device", "cpu");
  require_device(device);
  std::vector<Verdict> verdicts;
  for (const Exercise* exercise : chosen(arguments.words.at(0))) {
    CheckRequest request;
    request.exercise = exercise;
    request.solution = arguments.has("--solution");
    request.device = device;
    request.flags = arguments.value("--flags");
    request.seed = arguments.value("--seed");
    const std::string text =
        read_file(request.solution ? exercise->solution() : exercise->source());
    Verdict verdict = check(request);
    if (!request.solution) remember(verdict, text);
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
            {"--device", "D", "cpu, cuda, sim, … (default cpu)"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
            {"--seed", "N", "other inputs"},
        },
    .run = run_check,
};

}  // namespace hypatia::runner
