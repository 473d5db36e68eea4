#pragma once
// What outlives a window: theme, scale, recent files, and each recording's notes and view state.

#include "gui/app/state.h"

namespace hypatia::gui {

void load_session(AppState& state);

/// Keeps the sidecar of the recording that was shown and reads that of the one that is shown now,
/// if they differ. Nothing while the state is not persistent.
void follow_document(AppState& state);

/// Tells in the log if it can't be written; the window closes all the same.
void save_session(AppState& state);

}  // namespace hypatia::gui
