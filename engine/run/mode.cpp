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

/// The optimizer that options name, or their mode; "" for the flag's.
std::string optimizer_of(const FunctionOptions& options, const std::string& mode) {
  if (!options.optimizer.empty()) return options.optimizer;
  if (!options.mode.optimizer.empty()) return options.mode.optimizer;
  if (mode == "FAST_COMPILE") return "fast_compile";
  return mode == "FAST_RUN" ? "fast_run" : config().get("optimizer");
}

}  // namespace

RunMode run_mode_of(const FunctionOptions& options) {
  const std::string name = chosen(options.mode.name, "mode");
  const std::string linker = chosen(options.mode.linker, "linker");
  const bool interpreter = linker == "py" || linker == "vm" || linker == "vm_nogc";
  RunMode mode;
  mode.optimizer = optimizer_of(options, name);
  mode.interpret = name == "FAST_COMPILE" || (name != "FAST_RUN" && interpreter);
  mode.keep_buffers = !config().allow_gc() || linker.ends_with("_nogc");
  if (name == "NanGuardMode") mode.checks = RunMode::Checks::numbers;
  if (name == "DebugMode" || name == "DEBUG_MODE") mode.checks = RunMode::Checks::everything;
  return mode;
}

std::unique_ptr<StepGuard> guard_of(
    const RunMode& mode, const Graph& graph, const Graph& source, const std::string& function) {
  switch (mode.checks) {
    case RunMode::Checks::nothing:
      return nullptr;
    case RunMode::Checks::numbers:
      return std::make_unique<NanGuard>(graph, function, NumberChecks::of_flags());
    case RunMode::Checks::everything:
      break;
  }
  return std::make_unique<DebugGuard>(graph, source, function);
}

}  // namespace hypatia
