// Nodes under the roofs of the machine: how much they compute for what they move, and how near that
// is to what the device can do.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/views/plot.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct Roof {
  std::string name;
  Tone tone;
  double flops, bandwidth;  // a second
};

std::vector<Roof> roofs_of(const Recording& recording) {
  std::vector<Roof> out;
  for (const DeviceInfo& device : recording.header().devices) {
    const bool cpu = device.name == "cpu";
    if (device.limits.f32_flops > 0 && device.limits.memory_bandwidth > 0)
      out.push_back(
          {device.name,
           cpu ? Tone::cpu : Tone::gpu,
           device.limits.f32_flops,
           device.limits.memory_bandwidth});
    if (!cpu && device.limits.copy_in_bandwidth > 0)
      out.push_back(
          {"link", Tone::transfer, device.limits.f32_flops, device.limits.copy_in_bandwidth});
  }
  return out;
}

struct Dot {
  int node;
  double intensity, flops;
};

std::vector<Dot> dots_of(const Settings& settings, const Profile& profile) {
  std::vector<Dot> out;
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    const Rate& rate = profile.node(i).account->rate;
    if (rate.flops > 0 && rate.bytes > 0 && rate.gflops > 0 && node_shown(settings, profile, i))
      out.push_back({i, rate.flops / rate.bytes, rate.gflops * 1e9});
  }
  return out;
}

// Around all dots and the roofs' corners.
void fit_axes(Axis& x, Axis& y, const std::vector<Dot>& dots, const std::vector<Roof>& roofs) {
  x = {0.01, 100, 0, 1, true};
  y = {1e8, 1e9, 0, 1, true};
  for (const Roof& roof : roofs) {
    x.high = std::max(x.high, roof.flops / roof.bandwidth * 4);
    y.high = std::max(y.high, roof.flops * 3);
  }
  for (const Dot& dot : dots) {
    x.low = std::min(x.low, dot.intensity / 2);
    x.high = std::max(x.high, dot.intensity * 2);
    y.low = std::min(y.low, dot.flops / 3);
    y.high = std::max(y.high, dot.flops * 3);
  }
  x.high = std::min(x.high, x.low * 1e9);
}

void draw_roof(const Canvas& canvas, const Axis& x, const Axis& y, const Roof& roof) {
  const double corner = roof.flops / roof.bandwidth;
  const ImU32 tint = color(roof.tone, 0.9F);
  const float thick = std::max(1.5F, em(0.12F));
  const ImVec2 start{x.at(x.low), y.at(roof.bandwidth * x.low)};
  const ImVec2 bend{x.at(corner), y.at(roof.flops)};
  canvas.draw().AddLine(start, bend, tint, thick);
  if (roof.tone != Tone::transfer)
    canvas.draw().AddLine(bend, {x.at(x.high), y.at(roof.flops)}, tint, thick);
}

// The names stand in a legend, so that they never meet.
void roof_legend(const std::vector<Roof>& roofs) {
  bool first = true;
  for (const Roof& roof : roofs) {
    if (!first) ImGui::SameLine(0, em(1.5F));
    first = false;
    legend({{roof.tone, roof.name.c_str()}});
    ImGui::SameLine(0, em(0.5F));
    dim_text(
        roof.tone == Tone::transfer
            ? rate_text(roof.bandwidth, 1e9)
            : flops_text(roof.flops, 1e9) + ", " + rate_text(roof.bandwidth, 1e9));
  }
}

void draw_dots(
    AppState& state,
    const Canvas& canvas,
    const Axis& x,
    const Axis& y,
    const std::vector<Dot>& dots) {
  const Profile& profile = *state.profile();
  const double whole = std::max(1.0, profile.costs.total());
  for (const Dot& dot : dots) {
    const NodeStats& node = profile.node(dot.node);
    const auto share = static_cast<float>(std::sqrt(node.costs().total() / whole));
    const float radius = em(0.3F) + em(1.4F) * share;
    const ImVec2 at{x.at(dot.intensity), y.at(dot.flops)};
    const Tone tone = node.record->side == Side::cpu ? Tone::cpu : Tone::gpu;
    const bool chosen = dot.node == state.selection.node, hovered = dot.node == state.hovered_node;
    canvas.draw().AddCircleFilled(at, radius, color(tone, 0.75F));
    canvas.draw().AddCircle(
        at,
        radius,
        color(
            chosen    ? Tone::selected
            : hovered ? Tone::hovered
                      : Tone::background),
        0,
        chosen ? 2.5F : 1.5F);
    node_area(state, canvas, dot.node, at - ImVec2{radius, radius}, at + ImVec2{radius, radius});
    if (chosen)
      draw_text(
          {at.x + radius + em(0.3F), at.y - ImGui::GetTextLineHeight() / 2},
          canvas.high.x - at.x - radius - em(0.5F),
          color(Tone::text),
          node.record->name);
  }
}

}  // namespace

void draw_roofline(AppState& state) {
  const Profile& profile = *state.profile();
  const std::vector<Roof> roofs = roofs_of(*profile.recording);
  const std::vector<Dot> dots = dots_of(state.settings, profile);
  if (roofs.empty() && dots.empty()) {
    empty_message("No roofs and no dots.", "Run `hypatia bench --calibrate`, then record again.");
    return;
  }
  roof_legend(roofs);
  dim_text(fit_text(
      dots.empty() ? "No node states both its operations and its bytes."
                   : "Each dot is a node, its area its time. Under a slope: bound by memory; "
                     "under the flat part: by arithmetic.",
      ImGui::GetContentRegionAvail().x));
  const Canvas canvas("roofline", ImGui::GetContentRegionAvail());
  Axis x, y;
  fit_axes(x, y, dots, roofs);
  const PlotArea area = plot_area(canvas, x, y);
  draw_axes(
      canvas,
      area,
      x,
      {"operations per byte", [](double v) { return fmt::format("{:g}", v); }},
      y,
      {"operations a second", [](double v) { return si_text(v, "FLOP/s"); }});
  canvas.draw().PushClipRect(area.low, area.high, true);
  for (const Roof& roof : roofs)
    draw_roof(canvas, x, y, roof);
  draw_dots(state, canvas, x, y, dots);
  canvas.draw().PopClipRect();
}

}  // namespace hypatia::gui
