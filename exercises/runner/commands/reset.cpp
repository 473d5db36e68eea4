// `hypatia reset`, `undo` and `solution`: the learner's file back to the start, back to an earlier
// check, or beside the provided answer. Each keeps a snapshot first, so that nothing is ever lost.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The learner's file; "" if they deleted it, which reset and undo mend.
std::string current(const Exercise& exercise) {
  return std::filesystem::exists(exercise.source()) ? read_file(exercise.source()) : "";
}

void replace_file(const Exercise& exercise, const std::string& text, const std::string& event) {
  const std::string before = keep_snapshot(exercise, current(exercise));
  write_file(exercise.source(), text);
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = event;
  entry.sha256 = before;
  record(entry);
}

void say_done(const Arguments& arguments, const Exercise& exercise, const std::string& what) {
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"file", exercise.source()},
        {"done", what},
    };
    std::printf("%s\n", document.dump(2).c_str());
    return;
  }
  std::printf(
      "%s: %s\n  next      ./hypatia undo %s takes it back\n",
      shown(exercise.source()).c_str(),
      what.c_str(),
      exercise.number.c_str());
}

int run_reset(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  replace_file(exercise, pristine(exercise), "reset");
  say_done(arguments, exercise, "as it was at the start");
  return exit_pass;
}

// The snapshots in the order they were made, oldest first, each hash once.
std::vector<Entry> versions(const Exercise& exercise) {
  std::vector<Entry> all;
  for (const Entry& entry : journal()) {
    if (entry.exercise != exercise.id || entry.sha256.empty()) continue;
    if (!all.empty() && all.back().sha256 == entry.sha256) continue;
    all.push_back(entry);
  }
  return all;
}

int list_versions(const Arguments& arguments, const Exercise& exercise) {
  nlohmann::json rows_json = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Entry& entry : versions(exercise)) {
    rows.push_back({entry.sha256.substr(0, 10), entry.time, entry.event, entry.status});
    rows_json.push_back({{"sha256", entry.sha256}, {"time", entry.time}, {"status", entry.status}});
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"versions", rows_json}}.dump(2).c_str());
  } else {
    std::printf("%s", table(rows).c_str());
  }
  return exit_pass;
}

// "at the check of 2026-03-01T10:20:30Z (pass)": when a version was kept.
std::string told(const Entry& entry) {
  const std::string before = entry.event == "check" ? "at the " : "before the ";
  return before + entry.event + " of " + entry.time +
         (entry.status.empty() ? "" : " (" + entry.status + ")");
}

int run_undo(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  if (arguments.has("--list")) return list_versions(arguments, exercise);
  std::string wanted = arguments.value("--to");
  const std::string now = sha256(current(exercise));
  const std::vector<Entry> all = versions(exercise);
  std::string which;
  for (auto entry = all.rbegin(); entry != all.rend() && which.empty(); ++entry) {
    const bool asked = wanted.empty() ? entry->sha256 != now : entry->sha256.rfind(wanted, 0) == 0;
    if (!asked) continue;
    wanted = entry->sha256;
    which = told(*entry);
  }
  if (wanted.empty()) {
    throw Stop{
        exit_usage, "there is no earlier version of " + exercise.id, "every check keeps one"};
  }
  replace_file(exercise, snapshot(exercise, wanted), "undo");
  say_done(arguments, exercise, "as it was " + which + ", snapshot " + wanted.substr(0, 10));
  return exit_pass;
}

int run_solution(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  if (!progress(exercise).passed && !arguments.has("--peek")) {
    throw Stop{
        exit_not_yet,
        exercise.id + " is not passed yet",
        "./hypatia solution " + exercise.number + " --peek shows it all the same"};
  }
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "solution";
  record(entry);
  const std::string text = read_file(exercise.solution());
  const std::string notes =
      without_holds(read_file(root() + "/solutions/" + exercise.id + "/notes.md"));
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1}, {"exercise", {{"id", exercise.id}}}, {"text", text}, {"notes", notes}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    std::printf("%s\n%s\n%s:1\n", text.c_str(), notes.c_str(), shown(exercise.solution()).c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command reset_command{
    .name = "reset",
    .summary = "your file as it was at the start (a snapshot is kept)",
    .positional = {"NN", "the exercise", 1, 1},
    .options = {},
    .run = run_reset,
};

extern const Command undo_command{
    .name = "undo",
    .summary = "your file as it was before",
    .positional = {"NN", "the exercise", 1, 1},
    .options =
        {
            {"--list", "", "the versions there are"},
            {"--to", "HASH", "that version; the first digits suffice"},
        },
    .run = run_undo,
};

extern const Command solution_command{
    .name = "solution",
    .summary = "the provided solution and its notes, once you passed",
    .positional = {"NN", "the exercise", 1, 1},
    .options = {{"--peek", "", "before passing; it is noted in your journal"}},
    .run = run_solution,
};

}  // namespace hypatia::runner
