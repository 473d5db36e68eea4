#pragma once
// Colours by meaning, not by value, in two themes; the same three colours tell CPU, GPU and
// transfer apart in every view.

#include <cstdint>
#include <imgui.h>

namespace hypatia::gui {

enum class Theme : std::uint8_t { dark, light };

enum class Tone : std::uint8_t {
  background,  // behind everything
  panel,       // bars and side panels
  raised,      // headers, cards, buttons
  border,
  grid,  // thin lines inside charts
  text,
  text_dim,    // secondary
  text_faint,  // hints, disabled
  accent,      // what can be clicked, the active tab
  selected,    // outline of the selection
  hovered,     // wash over what the mouse is on
  cpu,
  gpu,
  transfer,
  launch,
  sync,
  compile,
  idle,
  on_color,  // text on cpu, gpu and transfer
  good,
  bad,
  warning,
  count,
};

/// The current theme's colour, ready for a draw list.
ImU32 color(Tone tone);
/// The same with its opacity multiplied.
ImU32 color(Tone tone, float opacity);
ImVec4 color_vector(Tone tone);

/// A colour between two, 0 giving `from` and 1 giving `to`.
ImU32 mix(ImU32 from, ImU32 to, float share);

/// Makes `theme` current and sets ImGui's style for it at `scale` (1 is 100 %).
void apply_theme(Theme theme, float scale);

/// A length in units of the current font's size, so that everything scales with it.
float em(float count);

}  // namespace hypatia::gui
