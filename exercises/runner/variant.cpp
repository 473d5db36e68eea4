// Builds a check around a text that is not in the tree, with the commands that ninja would use.
#include <algorithm>

#include "exercises/runner/build.h"
#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The commands that make a target, in order.
std::vector<std::string> commands_for(const std::string& target) {
  Task task;
  task.words = {"ninja", "-C", build_folder(), "-t", "commands", target};
  const Outcome outcome = run(task);
  if (!outcome.good()) throw Stop{exit_environment, "ninja does not know " + target, ""};
  return lines_of(outcome.output);
}

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  for (std::size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + now.size())) {
    text.replace(at, old.size(), now);
  }
  return text;
}

// The word after the last " -o ".
std::string output_of(const std::string& command) {
  const std::size_t at = command.rfind(" -o ");
  if (at == std::string::npos) return "";
  return command.substr(at + 4, command.find(' ', at + 4) - at - 4);
}

bool shell(const std::string& command) {
  Task task;
  task.words = {"sh", "-c", command};
  task.folder = build_folder();
  task.limit_seconds = 120;
  return run(task).good();
}

}  // namespace

std::string build_variant(
    const Exercise& exercise,
    const std::string& name,
    const std::string& text,
    const std::string& part) {
  const std::string target = exercise.target(part);
  if (!build({target}, exercise.build_seconds).ok) {
    throw Stop{exit_environment, target + " does not build", ""};
  }
  const std::vector<std::string> commands = commands_for(target);
  const auto compiles = std::find_if(commands.begin(), commands.end(), [&](const std::string& c) {
    return c.find(exercise.id + "/solution.cpp") != std::string::npos &&
           c.find("/" + target + ".dir/") != std::string::npos &&
           c.find(" -c ") != std::string::npos;
  });
  if (compiles == commands.end()) {
    throw Stop{exit_environment, "can't find how " + target + " is compiled", ""};
  }
  const std::string folder = build_folder() + "/variants/" + exercise.id + "/" + name;
  write_file(folder + "/solution.cpp", text);
  const std::string object = output_of(*compiles);
  const std::string variant = "variants/" + exercise.id + "/" + name;
  std::string compile = compiles->substr(0, compiles->rfind(" -c "));
  compile =
      replaced(compile, object, variant + "/solution.o") + " -c '" + folder + "/solution.cpp'";
  std::string link = replaced(commands.back(), object, variant + "/solution.o");
  link = replaced(link, " -o " + output_of(link), " -o " + variant + "/" + part);
  if (!shell(compile)) return "";
  if (!shell(link)) throw Stop{exit_environment, "the variant " + name + " does not link", ""};
  return folder + "/" + part;
}

}  // namespace hypatia::runner
