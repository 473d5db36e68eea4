// The one list of commands.

#include "gui/app/commands.h"

#include <algorithm>

#include "gui/app/editor.h"
#include "gui/app/input.h"
#include "gui/app/state.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

void step_back(AppState& state, bool forward) {
  state.places.push({state.settings.view, state.selection});
  const Place* place = forward ? state.places.forward() : state.places.back();
  if (!place) return;
  state.settings.view = place->view;
  state.selection = place->selection;
}

void undo(AppState& state, bool forward) {
  state.undo.push(state.settings);
  if (const Settings* settings = forward ? state.undo.forward() : state.undo.back())
    state.settings = *settings;
}

void set_scale(AppState& state, float scale) {
  state.user_scale = std::clamp(scale, 0.5F, 3.0F);
  state.requests.fonts = true;
}

void clear(AppState& state) {
  if (state.palette_open || state.help_open)
    state.palette_open = state.help_open = false;
  else
    state.selection = {};
}

void switch_recording(AppState& state) {
  const int count = static_cast<int>(state.documents.size());
  if (count > 1) state.show((state.shown + 1) % count);
}

void mark_baseline(AppState& state) {
  if (!state.document()) return;
  state.baseline = state.shown;
  state.say(state.document()->short_name() + " is the baseline of comparisons.");
}

void swap_baseline(AppState& state) {
  if (state.baseline < 0 || state.baseline == state.shown) return;
  const int old = state.shown;
  state.show(state.baseline);
  state.baseline = old;
}

// The next or previous node in execution order.
void step_node(AppState& state, int by) {
  const Profile* profile = state.profile();
  if (!profile || profile->nodes.empty()) return;
  const int count = static_cast<int>(profile->nodes.size());
  const int from = state.selection.node < 0 ? (by > 0 ? -1 : count) : state.selection.node;
  state.select_node(std::clamp(from + by, 0, count - 1));
}

void add_views(std::vector<Command>& list) {
  for (const View& view : views())
    list.push_back(
        {std::string("Show ") + view.title,
         view.key ? std::string(1, view.key) : std::string(),
         "Views",
         [name = view.name](AppState& state) { state.settings.view = name; }});
}

void add_navigation(std::vector<Command>& list) {
  list.insert(
      list.end(),
      {{"Back", "alt+left", "Moving", [](AppState& s) { step_back(s, false); }},
       {"Forward", "alt+right", "Moving", [](AppState& s) { step_back(s, true); }},
       {"Undo a change of the view", "ctrl+z", "Moving", [](AppState& s) { undo(s, false); }},
       {"Redo a change of the view", "ctrl+y", "Moving", [](AppState& s) { undo(s, true); }},
       {"Select the next node", "j", "Moving", [](AppState& s) { step_node(s, 1); }},
       {"Select the previous node", "k", "Moving", [](AppState& s) { step_node(s, -1); }},
       {"Next view", "tab", "Moving", [](AppState& s) { step_view(s, 1); }},
       {"Previous view", "shift+tab", "Moving", [](AppState& s) { step_view(s, -1); }},
       {"Filter the nodes", "/", "Moving", [](AppState& s) { s.focus_filter = true; }},
       {"Find", "ctrl+f", "Moving", [](AppState& s) { s.focus_filter = true; }},
       {"Clear the selection", "escape", "Moving", clear},
       {"Show the whole recording",
        "0",
        "Moving",
        [](AppState& s) { s.settings.time_begin = s.settings.time_end = 0; }},
       {"Go to the graph", "g", "Moving", [](AppState& s) { s.settings.view = "graph"; }},
       {"Open the source line (not in the timeline)",
        "s",
        "Moving",
        [](AppState& s) {
          if (s.settings.view != "timeline") open_source(s);
        }},
       {"Open the source line", "shift+s", "Moving", open_source},
       {"Write a note", "m", "Moving", [](AppState& s) {
          s.settings.view = "notes";
          s.focus_note = true;
        }}});
}

void add_recordings(std::vector<Command>& list) {
  list.insert(
      list.end(),
      {{"Mark as the baseline of comparisons", "c", "Recordings", mark_baseline},
       {"Swap recording and baseline", "x", "Recordings", swap_baseline},
       {"Show the next recording", "n", "Recordings", switch_recording},
       {"Close this recording", "ctrl+w", "Recordings", [](AppState& s) { s.close(s.shown); }},
       {"Read the file again", "f5", "Recordings", [](AppState& s) {
          if (s.document()) s.document()->refresh(true);
        }}});
}

void add_window(std::vector<Command>& list) {
  list.insert(
      list.end(),
      {{"Command palette",
        "ctrl+p",
        "Window",
        [](AppState& s) {
          s.palette_open = !s.palette_open;
          s.palette_text.clear();
        }},
       {"Key map", "?", "Window", [](AppState& s) { s.help_open = !s.help_open; }},
       {"Switch between dark and light",
        "t",
        "Window",
        [](AppState& s) { s.theme = s.theme == Theme::dark ? Theme::light : Theme::dark; }},
       {"Larger", "+", "Window", [](AppState& s) { set_scale(s, s.user_scale + 0.1F); }},
       {"Smaller", "-", "Window", [](AppState& s) { set_scale(s, s.user_scale - 0.1F); }},
       {"Normal size", "ctrl+0", "Window", [](AppState& s) { set_scale(s, 1); }},
       {"Show or hide the left panel",
        "ctrl+b",
        "Window",
        [](AppState& s) { s.settings.show_left = !s.settings.show_left; }},
       {"Show or hide the node card",
        "ctrl+i",
        "Window",
        [](AppState& s) { s.settings.show_card = !s.settings.show_card; }},
       {"Show or hide the log",
        "l",
        "Window",
        [](AppState& s) { s.settings.show_log = !s.settings.show_log; }},
       {"Picture of this view", "f12", "Window", [](AppState& s) { s.requests.screenshot = true; }},
       {"Quit", "ctrl+q", "Window", [](AppState& s) { s.requests.quit = true; }}});
}

std::vector<Command> make_commands() {
  std::vector<Command> list;
  add_views(list);
  add_navigation(list);
  add_recordings(list);
  add_window(list);
  return list;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> list = make_commands();
  return list;
}

void run_pressed_commands(AppState& state) {
  static const std::vector<Chord> chords = [] {
    std::vector<Chord> made;
    for (const Command& command : commands())
      made.push_back(command.keys.empty() ? Chord{} : parse_chord(command.keys));
    return made;
  }();
  for (std::size_t i = 0; i < chords.size(); ++i) {
    if (state.palette_open && chords[i].code != key::escape && !chords[i].control) continue;
    if (!pressed(chords[i])) continue;
    commands()[i].run(state);
    return;
  }
}

const std::vector<Gesture>& gestures() {
  static const std::vector<Gesture> list = {
      {"a d", "timeline: move left, right"},
      {"w s", "timeline: zoom in, out"},
      {"q e", "timeline: lanes up, down"},
      {"wheel", "zoom at the mouse; ctrl: finer, shift: faster"},
      {"left drag", "timeline: measure; drag an end to change it"},
      {"right drag", "timeline and graph: move"},
      {"right click", "a node's or an event's menu"},
      {"ctrl click", "the spread of its times"},
      {"middle drag", "timeline: zoom to the range"},
      {"middle click", "zoom to it"},
      {"double click", "zoom to it, open a body; beside it: everything"},
      {"f", "fit the selection"},
      {". ,", "next, previous event of the same node"},
      {"[ ]", "from a kernel to its launch, and back"},
  };
  return list;
}

}  // namespace hypatia::gui
