#include "engine/run/mode.h"

#include "engine/core/config.h"
#include "engine/core/flags.h"
#include "engine/run/debug_guard.h"
#include "engine/run/nan_guard.h"

namespace hypatia {

namespace {

/// The option where it is given, else the flag.
std::string chosen(const std::string& option, std::string_view flag) {
  return option.empty() ? config().get(flag) : checked_value(flags()[flag_row(flag)], option);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Mode mode_of(const FunctionOptions& options) {
  Mode mode;
  const std::string name = chosen(options.mode, "mode");
  mode.name = options.mode;
  const std::string_view linker = config().linker();
  mode.optimizer = chosen(options.optimizer, "optimizer");
  if (options.optimizer.empty() && name == "FAST_COMPILE") mode.optimizer = "fast_compile";
  if (options.optimizer.empty() && name == "FAST_RUN") mode.optimizer = "fast_run";
  mode.interpret = name == "FAST_COMPILE" || (name != "FAST_RUN" && linker == "py");
  mode.keep_buffers = !config().allow_gc() || ends_with(linker, "_nogc");
  if (name == "NanGuardMode") mode.checks = Mode::Checks::numbers;
  if (name == "DebugMode" || name == "DEBUG_MODE") mode.checks = Mode::Checks::everything;
  return mode;
}

std::unique_ptr<StepGuard> guard_of(
    const Mode& mode, const Graph& graph, const Graph& source, const std::string& function) {
  switch (mode.checks) {
    case Mode::Checks::none:
      return nullptr;
    case Mode::Checks::numbers:
      return std::make_unique<NanGuard>(graph, function, NumberChecks::of_flags());
    case Mode::Checks::everything:
      break;
  }
  return std::make_unique<DebugGuard>(graph, source, function);
}

}  // namespace hypatia
