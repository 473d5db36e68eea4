// `hypatia run NN`: builds an exercise's program and runs it, without a verdict.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/config.h"

#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"
#include "profiler/record/recording.h"

namespace hypatia::runner {

namespace {

void explain(const Outcome& outcome, double limit) {
  if (outcome.good()) return;
  const Diagnosis diagnosis = diagnose(outcome, limit);
  std::fprintf(stderr, "hypatia: %s\n", diagnosis.message.c_str());
}

// What was asked for; else what is configured, as far as the exercise runs there.
std::string device_for(const Exercise& exercise, const Arguments& arguments) {
  if (arguments.has("--device")) return arguments.value("--device");
  return exercise.runs_on(config().get("device")) ? "" : usual_device(exercise);
}

// Throws Stop if the program left no whole recording; `since` is when it was started.
void require_recording(const std::string& path, std::filesystem::file_time_type since) {
  std::error_code absent;
  const auto written = std::filesystem::last_write_time(path, absent);
  if (absent || written < since) {
    throw Stop{
        exit_environment,
        "nothing was recorded in " + shown(path),
        "the program said why, or it compiled no function"};
  }
  if (!Recording::open(path)->header().closed) {
    throw Stop{
        exit_environment,
        "the recording " + shown(path) + " ends before the program did",
        "is its disk full?"};
  }
}

int run_run(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const std::string device = device_for(exercise, arguments);
  require_device(device);
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = arguments.has("--solution");
  request.device = device;
  request.flags = arguments.value("--flags");
  request.words = arguments.rest;
  request.limit_seconds = arguments.number("--timeout", 0);
  request.capture = arguments.json();
  if (arguments.has("--profile")) {
    request.recording = std::filesystem::absolute(arguments.value("--profile")).string();
  }
  {
    require_flags(request.flags);
    const StatusLine status(!arguments.json(), exercise.id + ": compiling");
    request.program = built_program(exercise, request.solution);
  }
  const auto started = std::filesystem::file_time_type::clock::now();
  const Outcome outcome = run_program(request);
  if (!request.recording.empty() && outcome.good()) require_recording(request.recording, started);
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"file", {{"path", request.solution ? exercise.solution() : exercise.source()}}},
        {"where", device.empty() ? "configured" : device},
        {"exit", exit_code_of(outcome)},
        {"seconds", outcome.seconds},
        {"peak_kilobytes", outcome.peak_kilobytes},
        {"output", outcome.output},
        {"recording", request.recording},
    };
    std::printf(
        "%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return exit_code_of(outcome);
  }
  explain(outcome, request.limit_seconds);
  if (!request.recording.empty() && outcome.good()) {
    std::printf("recorded   %s\n", shown(request.recording).c_str());
    std::printf(
        "  next     ./hypatia profile %s --text, or ./hypatia gui %s\n",
        shown(request.recording).c_str(),
        shown(request.recording).c_str());
  }
  return exit_code_of(outcome);
}

}  // namespace

extern const Command run_command{
    .name = "run",
    .summary = "build an exercise and run it; what follows -- goes to the program",
    .positional = {"NN", "the exercise: 01, or exp_test", 1, 1},
    .options =
        {
            {"--solution", "", "the provided solution instead of your file"},
            {"--device", "D", "cpu, cuda, cuda0, sim, sim:gtx1060, …"},
            {"--flags", "K=V,…", "more HYPATIA_FLAGS, e.g. floatX=float32"},
            {"--profile", "FILE", "record the run; open it with profile or gui", true},
            {"--timeout", "SECONDS", "stop it after that time"},
        },
    .run = run_run,
};

}  // namespace hypatia::runner
