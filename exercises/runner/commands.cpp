// The list of verbs; each is defined in the file of its name below commands/.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/core/error.h"
#include "engine/core/file.h"

#include "exercises/runner/command.h"

namespace hypatia::runner {

extern const Command tour_command, list_command, status_command, next_command, run_command,
    check_command, hint_command, reset_command, undo_command, solution_command, profile_command,
    why_command, gui_command, counters_command, bench_command, test_command, doctor_command,
    config_command, dev_command, watch_command, predict_command, compare_command, explain_command,
    ide_command, submit_command, grade_command, report_command, show_command, open_command;

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> all{
      &tour_command,     &list_command,    &status_command,  &next_command,   &show_command,
      &open_command,     &watch_command,   &run_command,     &check_command,  &hint_command,
      &explain_command,  &predict_command, &compare_command, &reset_command,  &undo_command,
      &solution_command, &profile_command, &why_command,     &gui_command,    &counters_command,
      &ide_command,      &bench_command,   &test_command,    &doctor_command, &config_command,
      &dev_command,      &submit_command,  &grade_command,   &report_command,
  };
  return all;
}

namespace {

// A file that a rename would replace by another: no folder, device or pipe.
bool is_file(const std::string& path) {
  std::error_code absent;
  return std::filesystem::is_regular_file(path, absent);
}

bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code absent;
  if (std::filesystem::equivalent(a, b, absent)) return is_file(a);
  return a == b && !std::filesystem::exists(a, absent);
}

bool begins_so(const std::string& path, const std::string& beginning) {
  std::string head(beginning.size(), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), std::ssize(head));
  return head == beginning;
}

// What writing that option's file would destroy.
void require_nothing_lost(const Option& option, const Arguments& arguments) {
  const std::string path = arguments.value(option.name);
  std::string other;
  for (const std::string& word : arguments.words) {
    if (are_one_file(path, word)) other = "this command reads";
  }
  for (const auto& [name, value] : arguments.options) {
    if (name != option.name && are_one_file(path, value)) other = "is the file of " + name;
  }
  if (!other.empty()) {
    throw Stop{
        exit_usage,
        option.name + ": " + path + (other[0] == 'i' ? " " : " is a file that ") + other,
        "choose another name"};
  }
  std::error_code absent;
  if (!is_file(path) || std::filesystem::file_size(path, absent) == 0) return;
  if (begins_so(path, option.begins)) return;
  throw Stop{
      exit_usage,
      option.name + ": " + path + " is there, and is no file that this option writes",
      "choose another name, or remove that file"};
}

}  // namespace

void require_outputs(const Command& command, const Arguments& arguments) {
  for (const Option& option : command.options) {
    if (!option.writes || !arguments.has(option.name)) continue;
    try {
      require_writable(arguments.value(option.name));
    } catch (const Error& error) {
      throw Stop{exit_usage, option.name + ": " + error.summary(), error.help()};
    }
    require_nothing_lost(option, arguments);
  }
}

std::string Arguments::value(std::string_view option, std::string_view fallback) const {
  const auto found = options.find(option);
  return found == options.end() ? std::string(fallback) : found->second;
}

double Arguments::number(std::string_view option, double fallback) const {
  const auto found = options.find(option);
  if (found == options.end()) return fallback;
  const std::string& text = found->second;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Stop{exit_usage, std::string(option) + " wants a number, not '" + text + "'", ""};
  }
  return number;
}

int Arguments::count(std::string_view option, int fallback) const {
  if (!has(option)) return fallback;
  const double wanted = number(option, 0);
  if (!(wanted >= 1 && wanted <= 1e9 && wanted == std::floor(wanted))) {
    throw Stop{
        exit_usage,
        std::string(option) + " wants a whole number from 1, not '" + value(option) + "'",
        ""};
  }
  return static_cast<int>(wanted);
}

}  // namespace hypatia::runner
