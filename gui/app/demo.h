#pragma once
// Recordings made up in memory, so that the GUI can be tried and pictured where nothing ran.

#include <memory>
#include <string>
#include <vector>

#include "gui/model/profile.h"

namespace hypatia::gui {

/// The names that make_demo knows.
const std::vector<std::string>& demo_names();

/// Throws Error for a name it doesn't know.
std::shared_ptr<const Profile> make_demo(const std::string& name);

}  // namespace hypatia::gui
