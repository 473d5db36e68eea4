#pragma once
// One frame of the whole GUI, free of any window system.

#include "gui/app/state.h"

namespace hypatia::gui {

class Ui {
 public:
  /// Between ImGui::NewFrame and ImGui::Render.
  static void frame(AppState& state);
};

/// The parts around the centre; each draws into the window that is open.
void draw_top_bar(AppState& state);
void draw_tabs(AppState& state);
void draw_log(AppState& state);
void draw_palette(AppState& state);
void draw_key_map(AppState& state);
void draw_start_page(AppState& state);
void draw_notice(AppState& state);
/// The line under a picture that F12 takes: what it shows, of which recording.
void draw_caption(AppState& state);

}  // namespace hypatia::gui
