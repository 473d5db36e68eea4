// `hypatia open NN`: the exercise's files, as paths to click on, in the learner's editor if they
// have one.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/regions.h"
#include "exercises/runner/state.h"
#include "exercises/runner/terminal.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The line below the first mark, from 1; 1 if the learner took the marks out.
std::size_t first_line_to_edit(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_mark(lines[i])) return i + 2;
  }
  return 1;
}

// --editor always counts; what the environment names is for people at a terminal.
std::string editor_for(const Arguments& arguments) {
  if (arguments.has("--editor")) return arguments.value("--editor");
  if (!at_a_terminal() || arguments.json()) return "";
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (const char* set = std::getenv(name); set && *set) return set;
  }
  return "";
}

const Exercise& chosen(const Arguments& arguments) {
  if (!arguments.words.empty()) return find_exercise(arguments.words[0]);
  for (const Exercise& exercise : course()) {
    if (!progress(exercise).passed) return exercise;
  }
  return course().front();
}

int run_open(const Arguments& arguments) {
  const Exercise& exercise = chosen(arguments);
  const std::string source = exercise.source(), page = exercise.folder + "/README.md";
  const std::size_t line = first_line_to_edit(read_file(source));
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"exercise", {{"id", exercise.id}}},
        {"file", source},
        {"line", line},
        {"page", page}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    std::printf("%s: %s\n", exercise.id.c_str(), exercise.title.c_str());
    std::printf("  page   %s\n", link_to(page, shown(page)).c_str());
    std::printf(
        "  edit   %s\n", link_to(source, shown(source) + ":" + std::to_string(line)).c_str());
  }
  std::fflush(stdout);
  const std::string editor = editor_for(arguments);
  if (editor.empty()) {
    if (!arguments.json() && !arguments.has("--editor"))
      std::printf("  --editor CMD, or VISUAL in the environment, opens the file\n");
    return exit_pass;
  }
  // An editor may be a command with words of its own, as in `code --wait`.
  Task task;
  task.words = {"sh", "-c", editor + " \"$1\"", "sh", source};
  task.capture = false;
  const Outcome outcome = run(task);
  if (outcome.good()) return exit_pass;
  throw Stop{
      exit_environment,
      "the editor '" + editor + "' did not end well",
      "name another by --editor, or open " + shown(source) + " yourself"};
}

}  // namespace

extern const Command open_command{
    .name = "open",
    .summary = "the file to edit and its page, as paths to click on; opens your editor",
    .positional = {"NN", "the exercise; the first you have not passed by default", 0, 1},
    .options = {{"--editor", "CMD", "open the file with it (default: VISUAL or EDITOR)"}},
    .run = run_open,
};

}  // namespace hypatia::runner
