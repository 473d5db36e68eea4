// Editors take a line in one of three ways; which one is known by the program's name.

#include "gui/app/editor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include "gui/app/process.h"
#include "gui/app/state.h"
#include "gui/model/source_line.h"

namespace hypatia::gui {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

template <std::size_t count>
bool among(const std::array<std::string_view, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 11> terminal_editors = {
    "vi", "vim", "nvim", "nano", "micro", "hx", "kak", "joe", "ne", "mcedit", "ed"};

bool installed(const std::string& program) {
  if (program.empty()) return false;
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

Words words_of(const char* text) {
  std::istringstream stream(text ? text : "");
  Words words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

// How this editor is told of a line.
void add_place(Words& command, const std::string& file, const std::string& line) {
  constexpr std::array<std::string_view, 5> by_goto = {
      "code", "code-insiders", "codium", "cursor", "windsurf"};
  constexpr std::array<std::string_view, 4> by_colon = {"subl", "zed", "hx", "micro"};
  constexpr std::array<std::string_view, 12> by_plus = {
      "vi",
      "vim",
      "nvim",
      "gvim",
      "nano",
      "emacs",
      "emacsclient",
      "gedit",
      "kak",
      "joe",
      "ne",
      "mcedit"};
  const std::string name = fs::path(command[0]).filename().string();
  if (among(by_goto, name)) {
    if (command.back() != "-g" && command.back() != "--goto") command.emplace_back("-g");
    command.push_back(file + ":" + line);
    return;
  }
  if (among(by_colon, name)) {
    command.push_back(file + ":" + line);
    return;
  }
  if (among(by_plus, name)) command.push_back("+" + line);
  if (name == "kate" || name == "kwrite" || name == "geany")
    command.insert(command.end(), {"-l", line});
  command.push_back(file);
}

}  // namespace

Words editor_command(const std::string& file, std::uint32_t line) {
  std::string lacking;
  for (Words command :
       {words_of(std::getenv("VISUAL")),
        words_of(std::getenv("EDITOR")),
        Words{"code"},
        Words{"codium"},
        Words{"xdg-open"}}) {
    if (command.empty() || !installed(command[0])) continue;
    const bool in_terminal = among(terminal_editors, fs::path(command[0]).filename().string());
    if (in_terminal && !installed("x-terminal-emulator")) {
      lacking = "; " + command[0] + " needs a terminal, and x-terminal-emulator is not installed";
      continue;
    }
    add_place(command, file, std::to_string(line));
    if (in_terminal) command.insert(command.begin(), {"x-terminal-emulator", "-e"});
    return command;
  }
  throw Error(
      Error::Kind::file,
      "no editor was found for " + file + ":" + std::to_string(line) + lacking,
      "set VISUAL or EDITOR to one, for example VISUAL='code -g', or install xdg-utils");
}

void open_in_editor(AppState& state, const std::string& file, std::uint32_t line) {
  try {
    const Words command = editor_command(file, line);
    start_detached(command);
    state.say(
        "Opened " + fs::path(file).filename().string() + ":" + std::to_string(line) + " with " +
        fs::path(command[0]).filename().string() + ".");
  } catch (const Error& error) {
    state.say(error.summary() + ": " + error.help());
  }
}

void open_source(AppState& state) {
  const Profile* profile = state.profile();
  if (!profile || state.selection.node < 0)
    return state.say("Select a node first; its source line is what opens.");
  const NodeStats& node = profile->node(state.selection.node);
  if (node.line.empty())
    return state.say(node.record->name + " has no line of its own: a rewrite made it.");
  const std::string file = source_file(profile->recording->header(), node.record->origin);
  if (file.empty())
    return state.say(
        std::string(node.record->origin.file) + " is not on this machine, so it can't be opened.");
  open_in_editor(state, file, node.record->origin.line);
}

}  // namespace hypatia::gui
