#pragma once
// The small vocabulary that views draw with: text, bars, hatching, choices, axes, tooltips.

#include <imgui.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gui/app/fonts.h"
#include "gui/app/format.h"
#include "gui/app/state.h"
#include "gui/app/theme.h"

namespace hypatia::gui {

inline ImVec2 operator+(ImVec2 a, ImVec2 b) {
  return {a.x + b.x, a.y + b.y};
}

inline ImVec2 operator-(ImVec2 a, ImVec2 b) {
  return {a.x - b.x, a.y - b.y};
}

enum class Align { left, center, right };

/// Draws text that is cut with … to `width`; returns the width that it took.
float draw_text(
    ImVec2 at, float width, ImU32 tint, std::string_view text, Align align = Align::left);

/// Diagonal lines over a rectangle: what tells transfer apart without colour.
void draw_hatch(ImVec2 low, ImVec2 high, ImU32 tint);

/// A filled rectangle in a tone, hatched if it is the transfer tone.
void draw_block(ImVec2 low, ImVec2 high, Tone tone);

/// CPU, GPU and transfer side by side; `scale` is pixels per nanosecond.
void draw_costs(ImVec2 low, float height, const Parts& costs, double scale);

/// A little coloured square with a word, for each; on one line.
void legend(std::initializer_list<std::pair<Tone, const char*>> entries);

/// CPU, GPU, transfer.
void legend_sides();

/// A row of words of which one is chosen; true if the choice changed. Marked
/// "choice/<label>/<word>".
bool choose(
    AppState& state, const char* label, std::initializer_list<const char*> words, int& chosen);

template <class Enum>
bool choose(
    AppState& state, const char* label, std::initializer_list<const char*> words, Enum& chosen) {
  int number = static_cast<int>(chosen);
  const bool changed = choose(state, label, words, number);
  chosen = static_cast<Enum>(number);
  return changed;
}

/// A word that is on or off.
bool toggle(AppState& state, const char* label, bool& on);

/// A part of the view that is drawn by hand: reserves `size`, clips, and tells about the mouse.
class Canvas {
 public:
  Canvas(const char* name, ImVec2 size);
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  ~Canvas();

  ImDrawList& draw() const { return *draw_; }

  ImVec2 low, high;
  bool hovered = false;
  bool pressed = false;  // the left button went down on it
  bool active = false;   // and is still down

  float width() const { return high.x - low.x; }

  float height() const { return high.y - low.y; }

 private:
  ImDrawList* draw_;
};

/// True if the mouse is in a rectangle of the canvas.
bool mouse_in(const Canvas& canvas, ImVec2 low, ImVec2 high);

/// Round values of `low` to `high`, at most `count` apart from the first, in steps of 1, 2 or 5
/// times ten to n.
std::vector<double> nice_ticks(double low, double high, int count);

/// The smallest of nice_ticks' steps that gives at most `count` of them.
double nice_step(double range, int count);

/// A time on an axis whose ticks are `step` apart, with as many digits as tell them apart.
std::string tick_text(double nanoseconds, double step);

/// A short name for a node: its label if it has one, then its op's name.
std::string node_title(const NodeStats& node);

/// All that is known of a node in a few lines, at the mouse.
void node_tooltip(const NodeStats& node, double whole);

/// True when the right button is let go on the canvas without having dragged it.
bool right_clicked(const Canvas& canvas);

/// Selects the node and asks for its menu, which opens at the mouse.
void open_node_menu(AppState& state, int node);

/// A rectangle that stands for a node: hovering and clicking it reach every view; with Ctrl its
/// spread is shown, with the right button its menu. True if clicked.
bool node_area(AppState& state, const Canvas& canvas, int node, ImVec2 low, ImVec2 high);

/// True if the node passes the function choice and the filter of the settings.
bool node_shown(const Settings& settings, const Profile& profile, int node);

/// Says in the middle of what is left why there is nothing to see, and what to do.
void empty_message(std::string_view what, std::string_view help);

/// A field of at most 255 bytes; true in the frame in which it changed.
bool text_field(const char* label, const char* hint, std::string& text);

/// Groups of words in dim text; lines break between groups only.
void dim_words(const std::vector<std::string>& groups);

/// A line of dim text.
void dim_text(std::string_view text);

}  // namespace hypatia::gui
