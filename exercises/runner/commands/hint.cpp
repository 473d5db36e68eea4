// `hypatia hint NN`: the next hint, chosen by the last failure.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"

namespace hypatia::runner {

namespace {

// Hints for the tags of the last failure come first, then those for any failure; by level.
std::vector<Hint> in_order(const Exercise& exercise, const std::vector<std::string>& tags) {
  std::vector<Hint> hints = exercise.hints;
  const auto fits = [&](const Hint& hint) {
    return std::any_of(hint.tags.begin(), hint.tags.end(), [&](const std::string& tag) {
      return std::find(tags.begin(), tags.end(), tag) != tags.end();
    });
  };
  std::stable_sort(hints.begin(), hints.end(), [&](const Hint& a, const Hint& b) {
    if (a.level != b.level) return a.level < b.level;
    return fits(a) && !fits(b);
  });
  return hints;
}

int run_hint(const Arguments& arguments) {
  const Exercise& exercise = find_exercise(arguments.words.at(0));
  const Progress at = progress(exercise);
  const std::vector<Hint> hints = in_order(exercise, at.last_tags);
  if (hints.empty()) throw Stop{exit_authoring, exercise.id + " has no hints", ""};
  std::size_t index = std::min(static_cast<std::size_t>(at.hints), hints.size() - 1);
  if (arguments.has("--level")) {
    const double level = arguments.number("--level", 1);
    if (level < 1 || level > static_cast<double>(hints.size())) {
      throw Stop{exit_usage, "there are hints 1 to " + std::to_string(hints.size()), ""};
    }
    index = static_cast<std::size_t>(level) - 1;
  }
  const std::string text = read_file(exercise.folder + "/" + hints[index].file);
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "hint";
  entry.level = static_cast<int>(index) + 1;
  record(entry);
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"level", index + 1},
        {"of", hints.size()},
        {"text", text},
    };
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  std::printf(
      "%s: hint %zu of %zu\n\n%s", exercise.id.c_str(), index + 1, hints.size(), text.c_str());
  if (index + 1 < hints.size()) {
    std::printf("\n  next      ./hypatia hint %s   (a little more)\n", exercise.number.c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command hint_command{
    .name = "hint",
    .summary = "the next hint; each call says a little more",
    .positional = {"NN", "the exercise", 1, 1},
    .options = {{"--level", "N", "that hint instead of the next"}},
    .run = run_hint,
};

}  // namespace hypatia::runner
