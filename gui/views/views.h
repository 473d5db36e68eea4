#pragma once
// The views: one file each, functions that only draw what the model computed and change settings
// and selection.

#include <span>

namespace hypatia::gui {

struct AppState;
struct Profile;

struct View {
  const char* name;      // for --view and scripts
  const char* title;     // on its tab
  const char* group;     // tabs of one group stand side by side
  char key;              // 0: none
  const char* question;  // what it answers, shown when the mouse rests on its tab
  bool needs_profile;
  void (*draw)(AppState& state);
};

/// All views, in the order of their tabs.
std::span<const View> views();

/// The view of this name; null if there is none.
const View* find_view(const char* name);

/// Shows the view `by` tabs further.
void step_view(AppState& state, int by);

void draw_bars(AppState& state);
void draw_summary(AppState& state);
void draw_table(AppState& state);
void draw_timeline(AppState& state);
void draw_graph(AppState& state);
void draw_compare(AppState& state);
void draw_histogram(AppState& state);
void draw_roofline(AppState& state);
void draw_transfers(AppState& state);
void draw_launch(AppState& state);
void draw_gaps(AppState& state);
void draw_path(AppState& state);
void draw_memory(AppState& state);
void draw_rewrites(AppState& state);
void draw_compile(AppState& state);
void draw_notes(AppState& state);
void draw_live(AppState& state);
void draw_course(AppState& state);

/// Moves the timeline so that the selected event is in it.
void show_event(AppState& state);

/// The menu of the selected node, while it is open.
void draw_node_menu(AppState& state);

/// The panels around the views.
void draw_card(AppState& state);
void draw_nodes_panel(AppState& state);

}  // namespace hypatia::gui
