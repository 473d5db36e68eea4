#pragma once
// The engine's flags for programs that are started here.

#include <string>

namespace hypatia::runner {

/// HYPATIA_FLAGS for a device: what the environment holds, then `flags`, then the device.
std::string flags_for(const std::string& device, const std::string& flags);
/// The device that HYPATIA_FLAGS and then `flags` name, or a GPU of the configuration files; "" if
/// none of them does.
std::string configured_device(const std::string& flags);
/// Asks of the configuration what a program would, before anything is built: throws Error (config)
/// if HYPATIA_FLAGS or a configuration file is wrong, Stop (usage) if `flags`, of --flags, are.
void require_flags(const std::string& flags = "");

}  // namespace hypatia::runner
