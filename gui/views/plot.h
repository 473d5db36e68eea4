#pragma once
// Axes for views that plot values: linear or logarithmic, with round ticks.

#include <functional>
#include <string>

#include "gui/views/draw.h"

namespace hypatia::gui {

/// Values to pixels. On a logarithmic axis `low` must be above 0.
struct Axis {
  double low = 0, high = 1;
  float from = 0, to = 1;  // pixels of low and high
  bool logarithmic = false;
  bool binary = false;  // round in powers of 1024
  bool whole = false;   // ticks at whole numbers only

  float at(double value) const;
  double value(float pixel) const;
};

/// The rectangle that values are drawn in.
struct PlotArea {
  ImVec2 low, high;
};

/// What an axis is called and how its values are written.
struct AxisText {
  const char* title;
  std::function<std::string(double)> text;
};

/// Reserves room for the ticks' texts and sets the axes' pixels.
PlotArea plot_area(const Canvas& canvas, Axis& x, Axis& y);

/// Grid lines, tick texts and titles.
void draw_axes(
    const Canvas& canvas,
    const PlotArea& area,
    const Axis& x,
    const AxisText& x_text,
    const Axis& y,
    const AxisText& y_text);

}  // namespace hypatia::gui
