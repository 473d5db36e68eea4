// `hypatia config`: every flag of the engine, what it may be, and what it is now and why.
#include "engine/core/config.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/run/start_up.h"

#include "exercises/runner/command.h"

namespace hypatia::runner {

namespace {

int run_config(const Arguments& arguments) {
  print_notices();
  const std::string text = to_text(config());
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"text", text}}.dump(2).c_str());
  } else if (arguments.words.empty()) {
    std::printf("%s\n", text.c_str());
  } else {
    const std::string& name = arguments.words[0];
    std::printf(
        "%s = %s   (from %s)\n",
        name.c_str(),
        config().get(name).c_str(),
        config().source(name).c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command config_command{
    .name = "config",
    .summary = "the engine's flags and their values",
    .positional = {"FLAG", "one flag; all by default", 0, 1},
    .options = {},
    .run = run_config,
};

}  // namespace hypatia::runner
