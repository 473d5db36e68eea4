// `hypatia ide`: what editors need: compile_commands.json with the current exercise and those
// passed, and tasks for Visual Studio Code.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"

namespace hypatia::runner {

namespace {

// Files that can't compile yet only fill an editor with red: those to come are left out.
std::vector<const Exercise*> open_exercises() {
  std::vector<const Exercise*> all;
  bool pending = false;
  for (const Exercise& exercise : course()) {
    const Progress at = progress(exercise);
    if (!at.passed && !at.tried && pending) continue;
    pending = pending || !at.passed;
    all.push_back(&exercise);
  }
  return all;
}

nlohmann::json commands_for_editors() {
  const nlohmann::json built =
      nlohmann::json::parse(read_file(build_folder() + "/compile_commands.json"));
  nlohmann::json chosen = nlohmann::json::array();
  for (const Exercise* exercise : open_exercises()) {
    for (const nlohmann::json& entry : built) {
      // Of the two programs made from the file, the learner's own.
      const bool own = entry.value("command", "").find("/exercise_" + exercise->id + ".dir/") !=
                       std::string::npos;
      if (own) chosen.push_back(entry);
    }
  }
  return chosen;
}

nlohmann::json tasks() {
  const nlohmann::json matcher{
      {"owner", "hypatia"},
      {"fileLocation", {"relative", "${workspaceFolder}"}},
      {"pattern",
       {{"regexp", "^\\s*(?:error|warning)?\\s*([^:\\s][^:]*\\.cpp):(\\d+)[: ](.*)$"},
        {"file", 1},
        {"line", 2},
        {"message", 3}}}};
  nlohmann::json all = nlohmann::json::array();
  for (const char* verb : {"check", "run", "hint"}) {
    all.push_back(
        {{"label", std::string("hypatia ") + verb},
         {"type", "shell"},
         {"command", std::string("./hypatia ") + verb + " \"$(basename '${fileDirname}')\""},
         {"problemMatcher", matcher}});
  }
  return {{"version", "2.0.0"}, {"tasks", all}};
}

int run_ide(const Arguments& arguments) {
  const nlohmann::json commands = commands_for_editors();
  const std::string file = root() + "/compile_commands.json";
  write_file(file, commands.dump(2) + "\n");
  std::vector<std::string> written{file};
  if (arguments.has("--vscode")) {
    written.push_back(root() + "/.vscode/tasks.json");
    write_file(written.back(), tasks().dump(2) + "\n");
  }
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1}, {"files", written}, {"exercises", commands.size()}};
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  for (const std::string& path : written)
    std::printf("wrote %s\n", shown(path).c_str());
  std::printf(
      "%zu exercises: those you have tried and the next. Run it again when you get further.\n",
      commands.size());
  return exit_pass;
}

}  // namespace

extern const Command ide_command{
    .name = "ide",
    .summary = "compile_commands.json for editors (clangd, CLion, Visual Studio Code)",
    .positional = {},
    .options = {{"--vscode", "", "also .vscode/tasks.json: check, run and hint on the open file"}},
    .run = run_ide,
};

}  // namespace hypatia::runner
