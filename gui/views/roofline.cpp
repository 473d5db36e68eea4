// Nodes under the roofs of the machine: how much they compute for what they move, and how near that
// is to what the device can do.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/model/match.h"
#include "gui/model/roofs.h"
#include "gui/views/plot.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

Tone tone_of_roof(const Roof& roof) {
  return roof.side == Side::cpu ? Tone::cpu : roof.side == Side::gpu ? Tone::gpu : Tone::transfer;
}

std::vector<RoofDot> dots_of(const Settings& settings, const Profile& profile) {
  std::vector<RoofDot> out;
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    const RoofDot dot = roof_dot(profile, i);
    if (dot.node >= 0 && node_shown(settings, profile, i)) out.push_back(dot);
  }
  return out;
}

// Around all dots and the roofs' corners.
void fit_axes(Axis& x, Axis& y, const std::vector<RoofDot>& dots, const std::vector<Roof>& roofs) {
  x = {0.01, 100, 0, 1, true};
  y = {1e8, 1e9, 0, 1, true};
  for (const Roof& roof : roofs) {
    x.high = std::max(x.high, roof.flops / roof.bandwidth * 4);
    y.high = std::max(y.high, roof.flops * 3);
  }
  for (const RoofDot& dot : dots) {
    x.low = std::min(x.low, dot.intensity / 2);
    x.high = std::max(x.high, dot.intensity * 2);
    y.low = std::min(y.low, dot.flops / 3);
    y.high = std::max(y.high, dot.flops * 3);
  }
  x.high = std::min(x.high, x.low * 1e9);
}

void draw_roof(const Canvas& canvas, const Axis& x, const Axis& y, const Roof& roof) {
  const double corner = roof.flops / roof.bandwidth;
  const ImU32 tint = color(tone_of_roof(roof), 0.9F);
  const float thick = std::max(1.5F, em(0.12F));
  const ImVec2 start{x.at(x.low), y.at(roof.bandwidth * x.low)};
  const ImVec2 bend{x.at(corner), y.at(roof.flops)};
  canvas.draw().AddLine(start, bend, tint, thick);
  if (tone_of_roof(roof) != Tone::transfer)
    canvas.draw().AddLine(bend, {x.at(x.high), y.at(roof.flops)}, tint, thick);
  if (roof.cache <= roof.bandwidth) return;
  // What lies in the caches may stand as high as this.
  const ImU32 faint = color(tone_of_roof(roof), 0.4F);
  const ImVec2 upper{x.at(roof.flops / roof.cache), y.at(roof.flops)};
  canvas.draw().AddLine({x.at(x.low), y.at(roof.cache * x.low)}, upper, faint, thick);
  canvas.draw().AddLine(upper, bend, faint, thick);
}

std::string text_of(const Roof& roof) {
  if (tone_of_roof(roof) == Tone::transfer) return rate_text(roof.bandwidth, 1e9);
  const std::string caches =
      roof.cache > roof.bandwidth ? ", caches " + rate_text(roof.cache, 1e9) : "";
  return flops_text(roof.flops, 1e9) + ", " + rate_text(roof.bandwidth, 1e9) + caches;
}

// The names stand in a legend, so that they never meet.
void roof_legend(const std::vector<Roof>& roofs) {
  bool first = true;
  for (const Roof& roof : roofs) {
    const std::string text = text_of(roof);
    if (!first) ImGui::SameLine(0, em(1.5F));
    const float width = ImGui::CalcTextSize((roof.name + text).c_str()).x + em(2);
    if (!first && ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    first = false;
    legend({{tone_of_roof(roof), roof.name.c_str()}});
    ImGui::SameLine(0, em(0.5F));
    dim_text(text);
  }
}

// Beside the dot, where there is room, on a ground of its own: roofs may pass behind it.
void name_dot(const Canvas& canvas, ImVec2 at, float radius, const std::string& name) {
  const float height = ImGui::GetTextLineHeight(), gap = radius + em(0.3F);
  const ImVec2 from = canvas.draw().GetClipRectMin(), to = canvas.draw().GetClipRectMax();
  const bool right = to.x - at.x >= at.x - from.x;
  const float room = (right ? to.x - at.x : at.x - from.x) - gap - em(0.3F);
  const float width = std::min(ImGui::CalcTextSize(name.c_str()).x, room);
  const ImVec2 low{right ? at.x + gap : at.x - gap - width, at.y - height / 2};
  canvas.draw().AddRectFilled(
      low, {low.x + width + em(0.3F), low.y + height}, color(Tone::background, 0.85F));
  draw_text(low, room, color(Tone::text), name);
}

// From where each node stood in the baseline to where it stands now.
void draw_trails(AppState& state, const Canvas& canvas, const Axis& x, const Axis& y) {
  const Profile* before = state.baseline_profile();
  if (!before) return;
  for (const NodePair& pair : match_nodes(*before, *state.profile())) {
    if (pair.left < 0 || pair.right < 0) continue;
    if (!node_shown(state.settings, *state.profile(), pair.right)) continue;
    const RoofDot from = roof_dot(*before, pair.left), to = roof_dot(*state.profile(), pair.right);
    if (from.node < 0 || to.node < 0) continue;
    const ImVec2 start{x.at(from.intensity), y.at(from.flops)};
    const ImU32 tint = color(Tone::text_faint, 0.9F);
    canvas.draw().AddLine(start, {x.at(to.intensity), y.at(to.flops)}, tint, 1);
    canvas.draw().AddCircle(start, em(0.25F), tint, 0, 1.5F);
  }
}

void draw_dots(
    AppState& state,
    const Canvas& canvas,
    const Axis& x,
    const Axis& y,
    const std::vector<RoofDot>& dots) {
  const Profile& profile = *state.profile();
  const double whole = std::max(1.0, profile.costs.total());
  for (const RoofDot& dot : dots) {
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
    if (chosen) name_dot(canvas, at, radius, node.record->name);
  }
}

}  // namespace

void draw_roofline(AppState& state) {
  const Profile& profile = *state.profile();
  const std::vector<Roof> roofs = roofs_of(*profile.recording);
  const std::vector<RoofDot> dots = dots_of(state.settings, profile);
  if (roofs.empty() && dots.empty()) {
    empty_message("No roofs and no dots.", "No node states both its operations and its bytes.");
    return;
  }
  roof_legend(roofs);
  dim_text(fit_text(
      dots.empty() ? "No node states both its operations and its bytes."
      : state.baseline_profile()
          ? "Each dot is a node, its area its time; lines lead from where it stood in the baseline."
          : "Each dot is a node, its area its time. Under a slope: bound by memory; "
            "under the flat part: by arithmetic.",
      ImGui::GetContentRegionAvail().x));
  const bool on_cpu = std::any_of(dots.begin(), dots.end(), [&](const RoofDot& dot) {
    return profile.node(dot.node).record->side == Side::cpu;
  });
  const bool cpu_roof = std::any_of(
      roofs.begin(), roofs.end(), [](const Roof& roof) { return roof.side == Side::cpu; });
  if (on_cpu && !cpu_roof)
    dim_text(
        "What the processor can do is not known, and no roof is drawn for it: "
        "./hypatia doctor --roofs measures it for later recordings.");
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
  draw_trails(state, canvas, x, y);
  draw_dots(state, canvas, x, y, dots);
  canvas.draw().PopClipRect();
}

}  // namespace hypatia::gui
