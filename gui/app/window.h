#pragma once
// The window host: GLFW and OpenGL 3. It sleeps while nothing happens.

#include "gui/app/state.h"

namespace hypatia::gui {

/// Shows the window until it is closed. Throws Error of kind device if there is no display.
void run_window(AppState& state);

}  // namespace hypatia::gui
