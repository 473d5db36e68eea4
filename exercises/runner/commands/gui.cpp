// `hypatia gui`: becomes the program of that name.
#include <cstdio>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"

namespace hypatia::runner {

extern const Command gui_command;

namespace {

// Passes every option and word on, and stays only if the program could not be started.
[[noreturn]] void start_as(
    const std::string& path, const Arguments& arguments, const std::vector<Option>& options) {
  std::vector<std::string> words{path};
  for (const Option& option : options) {
    if (!arguments.has(option.name)) continue;
    words.push_back(option.name);
    if (!option.value.empty()) words.push_back(arguments.value(option.name));
  }
  if (arguments.json()) words.emplace_back("--json");
  words.insert(words.end(), arguments.words.begin(), arguments.words.end());
  words.insert(words.end(), arguments.rest.begin(), arguments.rest.end());
  become(words);
  throw Stop{exit_environment, "can't start " + path, ""};
}

int run_gui(const Arguments& arguments) {
  const std::string path = program("hypatia-gui");
  if (path.empty()) {
    throw Stop{
        exit_unsupported,
        "the GUI was not built: a package it needs is missing",
        "as root: apt-get install libimgui-dev libglfw3-dev libstb-dev libgl-dev libegl-dev "
        "libopengl-dev; then "
        "start "
        "./hypatia again"};
  }
  start_as(path, arguments, gui_command.options);
}

}  // namespace

extern const Command gui_command{
    .name = "gui",
    .summary = "the desktop program that draws recordings",
    .positional = {"FILE", "recordings (.hyp)", 0, 64},
    .options =
        {
            {"--screenshot", "FILE", "write a PNG and end; needs no display", true, "\x89PNG"},
            {"--view", "VIEW", "the view to start with"},
            {"--size", "WxH", "the window's size"},
            {"--script", "FILE", "steps to run through"},
            {"--theme", "NAME", "dark or light"},
            {"--scale", "X", "of everything, 0.5 to 3"},
            {"--node", "N", "select the node at this position"},
            {"--demo", "NAME", "show a made-up recording, as logistic-cuda"},
            {"--list-views", "", "print the views' names"},
            {"--marks", "FILE", "write where everything is drawn, for other programs", true},
            {"--measure", "", "print how long opening and drawing take"},
        },
    .run = run_gui,
};

}  // namespace hypatia::runner
