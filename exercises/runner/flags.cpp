#include "exercises/runner/flags.h"

#include <cstdlib>

#include "engine/core/config.h"
#include "engine/core/error.h"

#include "exercises/runner/command.h"

namespace hypatia::runner {

std::string flags_for(const std::string& device, const std::string& flags) {
  const char* before = std::getenv("HYPATIA_FLAGS");
  std::string all = before ? before : "";
  for (const std::string& more : {flags, device.empty() ? "" : "device=" + device}) {
    if (more.empty()) continue;
    if (!all.empty()) all += ",";
    all += more;
  }
  return all;
}

std::string configured_device(const std::string& flags) {
  ConfigSources sources = ConfigSources::of_environment();
  sources.flags = flags_for("", flags);
  const std::string device = Config(sources).get("device");
  // A processor may be what is configured, or what is had without a word.
  const bool named = ("," + sources.flags).find(",device=") != std::string::npos;
  return named || device != "cpu" ? device : "";
}

void require_flags(const std::string& flags) {
  const Config inherited(ConfigSources::of_environment());
  ConfigSources sources;
  sources.flags = flags;
  try {
    const Config given(sources);
  } catch (const Error& error) {
    throw Stop{exit_usage, "--flags: " + error.summary(), error.help()};
  }
}

}  // namespace hypatia::runner
