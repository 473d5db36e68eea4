#pragma once
// Everything the GUI knows while it runs; hosts own it, Ui::frame draws it and changes it.

#include <any>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gui/app/document.h"
#include "gui/app/history.h"
#include "gui/app/probe.h"
#include "gui/app/settings.h"
#include "gui/app/sidecar.h"
#include "gui/app/theme.h"

namespace hypatia::gui {

class Course;

/// What a host must do after a frame.
struct Requests {
  bool quit = false;
  bool screenshot = false;
  bool fonts = false;       // the scale changed: rebuild the atlas before the next frame
  double wake_after = 1e9;  // seconds until another frame is wanted without input
};

struct AppState {
  AppState();
  ~AppState();

  std::vector<std::unique_ptr<Document>> documents;
  int shown = 0;      // position of the recording that the views show
  int baseline = -1;  // of the one it is compared with; -1: none

  Settings settings;
  Selection selection;
  int hovered_node = -1;   // what the mouse was on in the last frame, in every view
  int hovering_node = -1;  // what it is on in this one
  History<Settings> undo;
  History<Place> places;

  Theme theme = Theme::dark;
  float user_scale = 1;     // 0.5 to 3
  float display_scale = 1;  // of the screen

  bool palette_open = false, help_open = false;
  std::string palette_text;
  int palette_row = 0;
  bool focus_filter = false, focus_note = false;
  bool menu_wanted = false;  // the selected node's menu opens at the mouse

  std::deque<std::string> log;
  std::string notice;       // one line shown for a while
  double notice_until = 0;  // ImGui's time

  bool persistent = false;   // keep notes and view state beside recordings
  Sidecar sidecar;           // notes and view state of the recording below
  std::string sidecar_path;  // the recording that `sidecar` belongs to
  std::vector<std::string> recent;
  std::unique_ptr<Course> course;

  /// What a view computed and keeps between frames, by the view's name.
  template <class Value>
  Value& kept(const char* view) {
    std::any& slot = kept_[view];
    if (!std::any_cast<Value>(&slot)) slot = Value{};
    return *std::any_cast<Value>(&slot);
  }

  std::string marks_path;  // where the window host writes what is on the screen; empty: nowhere
  Probe probe;
  Requests requests;

  /// The document that the views show; null if there is none.
  Document* document();
  /// Its profile; null while there is none.
  const Profile* profile();
  /// The profile it is compared with; null if there is none.
  const Profile* baseline_profile();

  /// Opens a file, or shows it if it is open already.
  void open(const std::string& path);
  void close(int position);
  void show(int position);
  /// Selects a node in every view; -1 selects none.
  void select_node(int node);
  void say(std::string text);

  float scale() const { return user_scale * display_scale; }

 private:
  std::map<std::string, std::any> kept_;
};

}  // namespace hypatia::gui
