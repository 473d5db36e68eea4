// Ticks by 1, 2, 5 on linear axes and by powers of ten on logarithmic ones.

#include "gui/views/plot.h"

#include <algorithm>
#include <cmath>

namespace hypatia::gui {

namespace {

std::vector<double> linear_ticks(const Axis& axis, int count) {
  double unit = 1;
  while (axis.binary && axis.high / unit >= 1024)
    unit *= 1024;
  std::vector<double> ticks = nice_ticks(axis.low / unit, axis.high / unit, count);
  for (double& tick : ticks)
    tick *= unit;
  if (axis.whole) std::erase_if(ticks, [](double tick) { return tick != std::floor(tick); });
  return ticks;
}

std::vector<double> ticks_of(const Axis& axis, float spacing) {
  const int count = std::max(1, static_cast<int>(std::abs(axis.to - axis.from) / spacing));
  if (!axis.logarithmic) return linear_ticks(axis, count);
  std::vector<double> out;
  const double low = std::log10(axis.low), high = std::log10(axis.high);
  if (high - low < 0.7) return nice_ticks(axis.low, axis.high, count);
  const double step = std::max(1.0, std::ceil((high - low) / count));
  const bool finer = high - low < 2.5;  // few powers of ten: 2 and 5 between them
  for (double power = std::floor(low); power <= high + 1e-9; power += step)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, power);
      if (tick >= axis.low * 0.999 && tick <= axis.high * 1.001 && (finer || digit == 1.0))
        out.push_back(tick);
    }
  return out;
}

}  // namespace

float Axis::at(double value) const {
  double share = 0;
  if (logarithmic)
    share = std::log(std::max(value, low * 1e-3) / low) / std::log(std::max(high / low, 1.0000001));
  else
    share = (value - low) / std::max(high - low, 1e-300);
  return from + static_cast<float>(std::clamp(share, -2.0, 3.0)) * (to - from);
}

double Axis::value(float pixel) const {
  const double share = static_cast<double>((pixel - from) / (to - from));
  return logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
}

PlotArea plot_area(const Canvas& canvas, Axis& x, Axis& y) {
  const PlotArea area{
      canvas.low + ImVec2{em(7), em(1.6F)}, canvas.high - ImVec2{em(1.2F), em(3.2F)}};
  x.from = area.low.x;
  x.to = std::max(area.high.x, area.low.x + 1);
  y.from = std::max(area.high.y, area.low.y + 1);
  y.to = area.low.y;
  return area;
}

void draw_axes(
    const Canvas& canvas,
    const PlotArea& area,
    const Axis& x,
    const AxisText& x_text,
    const Axis& y,
    const AxisText& y_text) {
  ImDrawList& draw = canvas.draw();
  for (const double tick : ticks_of(x, em(5))) {
    const float at = std::floor(x.at(tick));
    draw.AddRectFilled({at, area.low.y}, {at + 1, area.high.y}, color(Tone::grid));
    draw_text(
        {at - em(3), area.high.y + em(0.3F)},
        em(6),
        color(Tone::text_faint),
        x_text.text(tick),
        Align::center);
  }
  for (const double tick : ticks_of(y, em(2))) {
    const float at = std::floor(y.at(tick));
    draw.AddRectFilled({area.low.x, at}, {area.high.x, at + 1}, color(Tone::grid));
    draw_text(
        {canvas.low.x, at - ImGui::GetTextLineHeight() / 2},
        area.low.x - canvas.low.x - em(0.5F),
        color(Tone::text_faint),
        y_text.text(tick),
        Align::right);
  }
  draw.AddRectFilled(
      {area.low.x, area.high.y}, {area.high.x, area.high.y + 1}, color(Tone::border));
  draw_text(
      {area.low.x, area.high.y + em(1.6F)},
      area.high.x - area.low.x,
      color(Tone::text_dim),
      x_text.title,
      Align::center);
  draw_text({canvas.low.x + em(0.3F), canvas.low.y}, em(20), color(Tone::text_dim), y_text.title);
}

}  // namespace hypatia::gui
