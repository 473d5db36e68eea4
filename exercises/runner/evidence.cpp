#include "exercises/runner/evidence.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <stdlib.h>

#include "exercises/runner/command.h"
#include "exercises/runner/difference.h"
#include "exercises/runner/figures.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr double command_seconds = 120, same_values = 1e-4;
constexpr std::size_t most_printed = std::size_t{16} << 20;

std::string run_command(const std::string& command, const std::string& folder) {
  std::vector<std::string> words = parts_of(command, ' ');
  if (words.empty() || words[0] != "./hypatia") {
    throw Stop{exit_authoring, "'" + command + "' is no command of ./hypatia", ""};
  }
  Task task;
  words[0] = fs::read_symlink("/proc/self/exe").string();
  task.words = words;
  task.folder = folder;
  task.environment = {
      {"HYPATIA_ROOT", root()}, {"HYPATIA_BUILD", build_folder()}, {"HYPATIA_FLAGS", ""}};
  task.limit_seconds = command_seconds;
  task.most_output = most_printed;
  const Outcome outcome = run(task);
  if (outcome.good()) return outcome.output;
  throw Stop{exit_authoring, "'" + command + "' failed:\n" + tail(outcome.output, 8), ""};
}

// Measured numbers as "…", and "..." too; a word that is one "…" is like any word.
std::string masked(const std::string& line) {
  std::istringstream stream(without_measured(line));
  std::string out;
  for (std::string word; stream >> word;)
    out += (out.empty() ? "" : " ") + (word == "..." ? std::string("…") : word);
  return out;
}

std::string without_blanks(std::string text) {
  text.erase(
      std::remove_if(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); }),
      text.end());
  return text;
}

// The code without blanks from one "______" to the next, in order and from one place on.
bool stands_in(const std::string& line, const std::string& code) {
  static const std::regex blank("_{6,}|…|\\.\\.\\.");
  std::sregex_token_iterator part(line.begin(), line.end(), blank, -1);
  std::size_t at = 0;
  for (; part != std::sregex_token_iterator(); ++part) {
    at = code.find(part->str(), at);
    if (at == code.npos) return false;
    at += part->str().size();
  }
  return true;
}

}  // namespace

Trials::Trials() {
  std::string pattern = (fs::temp_directory_path() / "hypatia-book-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) throw Stop{exit_environment, "can't make " + pattern, ""};
  folder_ = pattern;
}

Trials::~Trials() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

const std::string& Trials::printed_by(const std::string& commands) {
  const std::vector<std::string> all = parts_of(commands, ';');
  if (all.empty()) throw Stop{exit_authoring, "no command is named", ""};
  for (const std::string& command : all) {
    if (!printed_.count(command)) printed_[command] = run_command(command, folder_);
  }
  return printed_[all.back()];
}

std::vector<std::string> lines_not_printed(
    const std::vector<std::string>& block, const std::string& output) {
  std::vector<std::string> printed, missing;
  for (const std::string& line : lines_of(output))
    printed.push_back(masked(line));
  for (const std::string& line : block) {
    const std::string wanted = masked(line);
    const bool there = std::any_of(printed.begin(), printed.end(), [&](const std::string& other) {
      return !other.empty() && other != "…" && same_line(wanted, other, same_values);
    });
    if (!there) missing.push_back(line);
  }
  return missing;
}

std::vector<std::string> lines_not_in_code(
    const std::vector<std::string>& block, const std::string& code) {
  const std::string all = without_blanks(code);
  std::vector<std::string> missing;
  for (const std::string& line : block) {
    if (!stands_in(without_blanks(line.substr(0, line.find("//"))), all)) missing.push_back(line);
  }
  return missing;
}

}  // namespace hypatia::runner
