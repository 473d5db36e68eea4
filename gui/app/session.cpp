// Between the state of the running GUI and the files beside recordings.

#include "gui/app/session.h"

#include <algorithm>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

void keep_sidecar(AppState& state) {
  if (!state.persistent || state.sidecar_path.empty()) return;
  try {
    save_sidecar(state.sidecar_path, state.sidecar);
  } catch (const Error& error) {
    state.log.push_back(error.summary());
  }
}

}  // namespace

void load_session(AppState& state) {
  const Preferences preferences = load_preferences();
  state.persistent = true;
  state.theme = preferences.theme;
  state.user_scale = std::clamp(preferences.scale, 0.5F, 3.0F);
  state.recent = preferences.recent;
}

void follow_document(AppState& state) {
  const Document* document = state.document();
  const std::string path = document ? document->path() : "";
  if (path == state.sidecar_path) return;
  keep_sidecar(state);
  state.sidecar_path = path;
  if (path.empty()) {
    state.sidecar = {};
    return;
  }
  const std::string view = state.settings.view;
  if (!state.persistent) {
    state.sidecar = {};
    state.sidecar.handed_out = load_handed_out(path);
    return;
  }
  state.sidecar = load_sidecar(path);
  state.sidecar.handed_out = load_handed_out(path);
  state.settings = state.sidecar.settings;
  state.settings.view = view;
}

void save_session(AppState& state) {
  if (!state.persistent) return;
  state.sidecar.settings = state.settings;
  keep_sidecar(state);
  try {
    save_preferences({state.theme, state.user_scale, state.recent});
  } catch (const Error& error) {
    state.log.push_back(error.summary());
  }
}

}  // namespace hypatia::gui
