// `hypatia list`: the exercises, what they teach, and where the learner stands.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/state.h"
#include "exercises/runner/terminal.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

bool holds(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

// Everything that it needs is passed, so that it can be begun.
bool is_ready(const Exercise& exercise) {
  return std::all_of(exercise.needs.begin(), exercise.needs.end(), [](const std::string& id) {
    return progress(find_exercise(id)).passed;
  });
}

// What --needs asks: can it be done without a GPU, real or simulated?
bool fits_needs(const Exercise& exercise, const std::string& needs) {
  if (needs == "none") return exercise.runs_on("cpu");
  if (needs == "gpu") return !exercise.runs_on("cpu");
  throw Stop{exit_usage, "--needs takes none or gpu, not '" + needs + "'", ""};
}

std::regex pattern_of(const std::string& text) {
  try {
    return std::regex(text, std::regex::icase);
  } catch (const std::regex_error& error) {
    throw Stop{exit_usage, "--grep wants a regular expression: " + text, error.what()};
  }
}

bool is_at(const Arguments& arguments, const Exercise& exercise, const Progress& at) {
  if (arguments.has("--pending") && at.passed) return false;
  if (arguments.has("--done") && !at.passed) return false;
  if (arguments.has("--failing") && (at.passed || !at.tried)) return false;
  return !arguments.has("--ready") || (!at.passed && is_ready(exercise));
}

bool is_like(const Arguments& arguments, const Exercise& exercise) {
  const std::string teaches = arguments.value("--teaches"), needs = arguments.value("--needs");
  if (!holds(joined(exercise.teaches), teaches)) return false;
  if (!needs.empty() && !fits_needs(exercise, needs)) return false;
  if (exercise.minutes > arguments.number("--max-minutes", 1e9)) return false;
  if (!arguments.has("--grep")) return true;
  const std::string text = exercise.id + "\n" + exercise.title + "\n" + joined(exercise.teaches);
  return std::regex_search(text, pattern_of(arguments.value("--grep")));
}

std::string in_quotes(const std::string& cell) {
  return '"' + std::regex_replace(cell, std::regex("\""), "\"\"") + '"';
}

void print_csv(const std::vector<std::vector<std::string>>& rows) {
  std::printf("state,exercise,minutes,title\n");
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (const std::string& cell : row)
      line += (line.empty() ? "" : ",") + in_quotes(cell);
    std::printf("%s\n", line.c_str());
  }
}

// Each exercise on a line, also where the terminal is narrow.
void print_lines(const std::string& text) {
  const std::size_t width = terminal_columns(STDOUT_FILENO);
  for (const std::string& line : lines_of(text))
    std::printf("%s\n", (width > 0 ? beginning(line, width) : line).c_str());
}

int run_list(const Arguments& arguments) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Exercise& exercise : course()) {
    const Progress at = progress(exercise);
    if (!is_at(arguments, exercise, at) || !is_like(arguments, exercise)) continue;
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
  } else if (arguments.has("--csv")) {
    print_csv(rows);
  } else if (rows.empty()) {
    std::printf("no exercise is like that; ./hypatia list shows all\n");
  } else {
    for (std::vector<std::string>& row : rows)
      std::swap(row[0], row[1]);
    print_lines(table(rows));
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
            {"--failing", "", "those tried and not passed"},
            {"--ready", "", "those not passed whose needs are"},
            {"--teaches", "WORD", "those that teach something"},
            {"--needs", "WHAT", "none: those that a CPU is enough for; gpu: the others"},
            {"--max-minutes", "N", "those that take no longer"},
            {"--grep", "RE", "those whose name, title or subject it finds"},
            {"--csv", "", "as comma-separated values"},
        },
    .run = run_list,
};

}  // namespace hypatia::runner
