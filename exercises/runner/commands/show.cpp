// `hypatia show NN`: an exercise's text, and what it asks for: time, devices, tests and limits.
#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "-" : text;
}

std::string budget(const Exercise& exercise) {
  const Progress at = progress(exercise);
  const std::string state =
      at.passed  ? "passed"
      : at.tried ? fmt::format("tried, {} {}", at.attempts, at.attempts == 1 ? "check" : "checks")
                 : "not tried yet";
  std::string text;
  const auto add = [&text](const char* name, const std::string& value) {
    text += wrap(fmt::format("{:<9}{}", name, value), 98, std::string(9, ' ')) + "\n";
  };
  add("you", state);
  add("time", fmt::format("about {} min", exercise.minutes));
  add("teaches", listed(exercise.teaches));
  add("needs", listed(exercise.needs));
  add("devices", listed(exercise.devices));
  add("limits",
      fmt::format(
          "{} to build, {} to run",
          duration(exercise.build_seconds),
          duration(exercise.test_seconds)));
  add("hints", fmt::format("{} of {} seen", at.hints, exercise.hints.size()));
  add("predict",
      fmt::format("{} of {} answered", first_answers(exercise).size(), exercise.questions.size()));
  add("tests", listed(exercise.tests));
  return text;
}

nlohmann::json json_of(const Exercise& exercise) {
  const Progress at = progress(exercise);
  return {
      {"id", exercise.id},
      {"title", exercise.title},
      {"file", exercise.source()},
      {"state", at.passed ? "passed" : "pending"},
      {"teaches", exercise.teaches},
      {"needs", exercise.needs},
      {"minutes", exercise.minutes},
      {"devices", exercise.devices},
      {"tests", exercise.tests},
      {"seconds", {{"build", exercise.build_seconds}, {"test", exercise.test_seconds}}},
      {"hints", {{"used", at.hints}, {"of", exercise.hints.size()}}},
      {"predictions",
       {{"answered", first_answers(exercise).size()}, {"of", exercise.questions.size()}}}};
}

int run_show(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const std::string section = arguments.value("--section", "all");
  const std::vector<std::string> sections{"statement", "budget", "all"};
  if (const std::string near = near_names(section, sections); !near.empty()) {
    throw Stop{exit_usage, "show has no section '" + section + "'", near};
  }
  const std::string statement = without_holds(read_file(exercise.folder + "/README.md"));
  if (arguments.json()) {
    nlohmann::json document{{"schema", 1}, {"exercise", json_of(exercise)}};
    if (section != "budget") document["statement"] = statement;
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  if (section != "budget") std::printf("%s\n", statement.c_str());
  if (section != "statement") {
    std::printf(
        "%s: %s\n%s", exercise.id.c_str(), exercise.title.c_str(), budget(exercise).c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command show_command{
    .name = "show",
    .summary = "an exercise's text, and what it asks for: time, devices, tests, limits",
    .positional = {"NN", "the exercise", 1, 1},
    .options = {{"--section", "WHAT", "statement or budget alone"}},
    .run = run_show,
};

}  // namespace hypatia::runner
