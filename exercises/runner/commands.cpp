// The list of verbs; each is defined in the file of its name below commands/.
#include <charconv>
#include <cmath>

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

void require_outputs(const Command& command, const Arguments& arguments) {
  for (const Option& option : command.options) {
    if (!option.writes || !arguments.has(option.name)) continue;
    try {
      require_writable(arguments.value(option.name));
    } catch (const Error& error) {
      throw Stop{exit_usage, option.name + ": " + error.summary(), error.help()};
    }
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
