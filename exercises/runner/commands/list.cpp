// `hypatia list`: the exercises, what they teach, and where the learner stands.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

bool wanted(const Arguments& arguments, const Exercise& exercise, const Progress& at) {
  if (arguments.has("--pending") && at.passed) return false;
  if (arguments.has("--done") && !at.passed) return false;
  if (arguments.has("--teaches")) {
    const std::string word = arguments.value("--teaches");
    return joined(exercise.teaches).find(word) != std::string::npos;
  }
  return true;
}

int run_list(const Arguments& arguments) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Exercise& exercise : course()) {
    const Progress at = progress(exercise);
    if (!wanted(arguments, exercise, at)) continue;
    const std::string word = at.passed ? "passed" : at.tried ? "tried" : "-";
    rows.push_back({word, exercise.id, std::to_string(exercise.minutes) + " min", exercise.title});
    all.push_back({
        {"id", exercise.id},
        {"title", exercise.title},
        {"state", at.passed ? "passed" : "pending"},
        {"teaches", exercise.teaches},
        {"needs", exercise.needs},
        {"minutes", exercise.minutes},
        {"devices", exercise.devices},
        {"attempts", at.attempts},
        {"hints_used", at.hints},
    });
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"exercises", all}}.dump(2).c_str());
  } else {
    std::printf("%s", table(rows).c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command list_command{
    .name = "list",
    .summary = "the exercises, and where you stand with each",
    .positional = {},
    .options =
        {
            {"--pending", "", "those not passed yet"},
            {"--done", "", "those passed"},
            {"--teaches", "WORD", "those that teach something"},
        },
    .run = run_list,
};

}  // namespace hypatia::runner
