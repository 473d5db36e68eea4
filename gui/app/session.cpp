// Between the state of the running GUI and the files beside recordings.

#include "gui/app/session.h"

#include <algorithm>

#include "gui/app/base.h"

namespace hypatia::gui {

void load_session(AppState& state) {
  const Preferences preferences = load_preferences();
  state.theme = preferences.theme;
  state.user_scale = std::clamp(preferences.scale, 0.5F, 3.0F);
  state.recent = preferences.recent;
}

void save_session(AppState& state) {
  try {
    save_preferences({state.theme, state.user_scale, state.recent});
    if (Document* document = state.document(); document && !document->path().empty()) {
      state.sidecar.settings = state.settings;
      save_sidecar(document->path(), state.sidecar);
    }
  } catch (const Error& error) {
    state.log.push_back(error.summary());
  }
}

}  // namespace hypatia::gui
