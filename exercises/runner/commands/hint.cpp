// `hypatia hint NN`: the next hint, chosen by the last failure or by the task it is about.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"

namespace hypatia::runner {

namespace {

/// A hint and its place on the sheet, from 1.
struct Numbered {
  Hint hint;
  int number = 0;
};

bool is_about(const Hint& hint, const std::vector<std::string>& failed) {
  return std::any_of(hint.tags.begin(), hint.tags.end(), [&](const std::string& tag) {
    return std::find(failed.begin(), failed.end(), tag) != failed.end();
  });
}

// Those about the last failure come first, then those that say more; what says less comes last.
std::vector<Numbered> in_order(const Exercise& exercise, const std::vector<std::string>& failed) {
  std::vector<Numbered> hints;
  for (const Hint& hint : exercise.hints)
    hints.push_back({hint, static_cast<int>(hints.size()) + 1});
  const auto others = std::stable_partition(
      hints.begin(), hints.end(), [&](const Numbered& one) { return is_about(one.hint, failed); });
  const int last = others == hints.begin() ? 0 : std::prev(others)->number;
  std::stable_partition(
      others, hints.end(), [&](const Numbered& one) { return one.number > last; });
  return hints;
}

// What a task's hints are: its own, and those for any task.
std::vector<Numbered> of_task(std::vector<Numbered> hints, int task, const Exercise& exercise) {
  int most = 0;
  for (const Hint& hint : exercise.hints)
    most = std::max(most, hint.task);
  if (task < 1 || task > most) {
    throw Stop{
        exit_usage,
        exercise.id + " has no hints for task " + std::to_string(task),
        most == 0 ? "its hints are for all of it: leave --task out"
                  : "the tasks with hints of their own are 1 to " + std::to_string(most)};
  }
  const auto other = [&](const Numbered& one) {
    return one.hint.task != 0 && one.hint.task != task;
  };
  hints.erase(std::remove_if(hints.begin(), hints.end(), other), hints.end());
  return hints;
}

std::set<int> seen(const Exercise& exercise) {
  std::set<int> numbers;
  for (const Entry& entry : journal()) {
    if (entry.exercise == exercise.id && entry.event == "hint") numbers.insert(entry.level);
  }
  return numbers;
}

// The first that was not shown yet; the last, once all were.
Numbered next_of(const std::vector<Numbered>& hints, const std::set<int>& shown_before) {
  for (const Numbered& one : hints) {
    if (!shown_before.count(one.number)) return one;
  }
  return hints.back();
}

Numbered chosen(const Arguments& arguments, const Exercise& exercise) {
  std::vector<Numbered> hints = in_order(exercise, progress(exercise).last_tags);
  if (hints.empty()) throw Stop{exit_authoring, exercise.id + " has no hints", ""};
  if (arguments.has("--level")) {
    const double level = arguments.number("--level", 1);
    for (const Numbered& one : hints) {
      if (one.number == level) return one;
    }
    throw Stop{exit_usage, "there are hints 1 to " + std::to_string(hints.size()), ""};
  }
  if (arguments.has("--task")) hints = of_task(hints, arguments.count("--task", 1), exercise);
  return next_of(hints, seen(exercise));
}

int run_hint(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const Numbered hint = chosen(arguments, exercise);
  const std::size_t of = exercise.hints.size();
  const std::string text = without_holds(read_file(exercise.folder + "/" + hint.hint.file));
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "hint";
  entry.level = hint.number;
  or_warn("this hint", [&] { record(entry); });
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"level", hint.number},
        {"of", of},
        {"task", hint.hint.task},
        {"tags", hint.hint.tags},
        {"text", text},
    };
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  const std::vector<std::string> failed = progress(exercise).last_tags;
  std::printf(
      "%s: hint %d of %zu%s\n\n%s",
      exercise.id.c_str(),
      hint.number,
      of,
      is_about(hint.hint, failed) ? ", about your last failure" : "",
      text.c_str());
  if (seen(exercise).size() < of) {
    const Numbered next = next_of(in_order(exercise, failed), seen(exercise));
    std::printf(
        "\n  next      ./hypatia hint %s   (%s)\n",
        exercise.number.c_str(),
        next.number > hint.number ? "a little more" : "an earlier one, which says less");
  }
  return exit_pass;
}

}  // namespace

extern const Command hint_command{
    .name = "hint",
    .summary = "the next hint; each call says a little more",
    .positional = {"NN", "the exercise", 1, 1},
    .options =
        {
            {"--level", "N", "that hint instead of the next"},
            {"--task", "T", "the next about that task of the page's list"},
        },
    .run = run_hint,
};

}  // namespace hypatia::runner
