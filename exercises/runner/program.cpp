// Builds an exercise's program and runs it on a device, recorded if that is asked for.
#include "exercises/runner/program.h"

#include <fmt/core.h>

#include "exercises/runner/build.h"
#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

[[noreturn]] void stop_at_build(const Exercise& exercise, const Built& built) {
  if (built.timed_out) {
    throw Stop{
        exit_timeout, exercise.id + ": " + slow_build(exercise), "./hypatia explain slow-build"};
  }
  std::string message = exercise.id + " does not compile";
  int shown_errors = 0;
  for (const Complaint& complaint : built.complaints) {
    if (!complaint.error || ++shown_errors > 3) continue;
    message += "\n  " + to_text(complaint);
  }
  if (built.complaints.empty()) message += "\n" + tail(built.log, 12);
  throw Stop{exit_no_build, message, "./hypatia hint " + exercise.number};
}

}  // namespace

std::string built_program(const Exercise& exercise, bool solution) {
  if (!solution) require_source(exercise);
  const std::string target = exercise.target(solution ? "solution" : "exercise");
  const Built built = build({target}, exercise.build_seconds);
  if (!built.ok) stop_at_build(exercise, built);
  return program(target);
}

Outcome run_program(const ProgramRequest& request) {
  const Exercise& exercise = *request.exercise;
  require_flags(request.flags);
  Task task;
  task.words = {
      request.program.empty() ? built_program(exercise, request.solution) : request.program};
  task.words.insert(task.words.end(), request.words.begin(), request.words.end());
  task.environment = {
      {"HYPATIA_EXERCISE", exercise.id},
      {"HYPATIA_ROLE", request.solution ? "solution" : "student"},
  };
  for (const auto& [name, value] : request.environment)
    task.environment.emplace_back(name, value);
  std::string flags = request.flags;
  if (!request.recording.empty()) {
    // To the file alone: the report is what `profile` prints.
    flags += std::string(flags.empty() ? "" : ",") + "profile=True,profiling.destination=/dev/null";
    task.environment.emplace_back("HYPATIA_PROFILE_FILE", request.recording);
  }
  task.environment.emplace_back("HYPATIA_FLAGS", flags_for(request.device, flags));
  task.limit_seconds = request.limit_seconds;
  task.capture = request.capture;
  return run(task);
}

int exit_code_of(const Outcome& outcome) {
  if (!outcome.started) return exit_environment;
  if (outcome.timed_out) return exit_timeout;
  if (outcome.signal) return exit_crash;
  return outcome.code == 0 ? exit_pass : exit_not_yet;
}

}  // namespace hypatia::runner
