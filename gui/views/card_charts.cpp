// Small charts without axes: what they show is said in words below them. Clicking one opens its
// view.

#include <cmath>
#include <fmt/format.h>

#include "gui/model/node_times.h"
#include "gui/model/roofs.h"
#include "gui/views/card.h"
#include "gui/views/plot.h"

namespace hypatia::gui {

namespace {

Tone tone_of_side(Side side) {
  return side == Side::cpu ? Tone::cpu : side == Side::gpu ? Tone::gpu : Tone::transfer;
}

void open_on_click(AppState& state, const Canvas& canvas, const char* view) {
  state.probe.mark(std::string("card/") + view, canvas.low, canvas.high);
  if (canvas.hovered) ImGui::SetTooltip("Click for the whole view.");
  if (canvas.pressed) state.settings.view = view;
}

void draw_small_roof(const Canvas& canvas, const Axis& x, const Axis& y, const Roof& roof) {
  const double corner = roof.flops / roof.bandwidth;
  const ImU32 tint = color(tone_of_side(roof.side), 0.8F);
  canvas.draw().AddLine(
      {x.at(x.low), y.at(roof.at(x.low))}, {x.at(corner), y.at(roof.flops)}, tint, 1.5F);
  canvas.draw().AddLine(
      {x.at(corner), y.at(roof.flops)}, {x.at(x.high), y.at(roof.flops)}, tint, 1.5F);
  if (roof.cache <= roof.bandwidth) return;
  const ImU32 faint = color(tone_of_side(roof.side), 0.4F);
  const double bend = std::max(x.low, roof.flops / roof.cache);
  canvas.draw().AddLine(
      {x.at(x.low), y.at(std::min(roof.flops, roof.cache * x.low))},
      {x.at(bend), y.at(roof.flops)},
      faint,
      1.5F);
}

struct ChartsKept {
  std::uint64_t version = 0;
  int node = -2;
  NodeTimes times;
  Histogram histogram;
};

const ChartsKept& runs_of(AppState& state) {
  ChartsKept& kept = state.kept<ChartsKept>("card runs");
  const std::uint64_t version = state.document()->version();
  if (kept.version == version && kept.node == state.selection.node) return kept;
  kept.version = version;
  kept.node = state.selection.node;
  kept.times = node_times(*state.profile(), kept.node);
  kept.histogram = make_histogram(kept.times, 32, true);
  return kept;
}

void small_roofline(AppState& state, const Roof& roof, const RoofDot& dot) {
  const Canvas canvas("card roof", {ImGui::GetContentRegionAvail().x, em(6)});
  canvas.draw().AddRectFilled(canvas.low, canvas.high, color(Tone::background));
  const double corner = roof.flops / roof.bandwidth;
  const Axis x{
      std::min(dot.intensity, corner) / 10,
      std::max(dot.intensity, corner) * 10,
      canvas.low.x,
      canvas.high.x,
      true};
  const Axis y{
      std::min(dot.flops, roof.at(x.low)) / 3,
      std::max(dot.flops, roof.flops) * 4,
      canvas.high.y,
      canvas.low.y,
      true};
  draw_small_roof(canvas, x, y, roof);
  const ImVec2 at{x.at(dot.intensity), y.at(dot.flops)};
  canvas.draw().AddLine(at, {at.x, y.at(roof.at(dot.intensity))}, color(Tone::text_faint), 1);
  canvas.draw().AddCircleFilled(at, em(0.4F), color(tone_of_side(roof.side)));
  canvas.draw().AddCircle(at, em(0.4F), color(Tone::selected), 0, 1.5F);
  open_on_click(state, canvas, "roofline");
}

void small_histogram(AppState& state, const ChartsKept& kept) {
  const Canvas canvas("card histogram", {ImGui::GetContentRegionAvail().x, em(3.6F)});
  canvas.draw().AddRectFilled(canvas.low, canvas.high, color(Tone::background));
  const std::vector<double>& counts = kept.histogram.counts;
  const double most = *std::max_element(counts.begin(), counts.end());
  const float step = canvas.width() / static_cast<float>(counts.size());
  const Tone tone = tone_of_side(state.profile()->node(kept.node).record->side);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] <= 0) continue;
    const float left = canvas.low.x + step * static_cast<float>(i);
    const float height = std::max(1.0F, static_cast<float>(counts[i] / most) * canvas.height());
    draw_block({left, canvas.high.y - height}, {left + step - 1, canvas.high.y}, tone);
  }
  open_on_click(state, canvas, "histogram");
}

void caption(const std::string& text) {
  dim_text(fit_text(text, ImGui::GetContentRegionAvail().x));
}

}  // namespace

void card_roofline(AppState& state, const NodeStats& node) {
  const Profile& profile = *state.profile();
  const RoofDot dot = roof_dot(profile, state.selection.node);
  if (dot.node < 0) return;
  const Side side = node.record->side == Side::cpu ? Side::cpu : Side::gpu;
  for (const Roof& roof : roofs_of(*profile.recording)) {
    if (roof.side != side) continue;
    card_heading("Roofline");
    small_roofline(state, roof, dot);
    caption(fmt::format(
        "{:.3g} operations a byte; {} of {}",
        dot.intensity,
        percent_text(node.account->rate.roof),
        roof.name));
    return;
  }
}

void card_histogram(AppState& state) {
  const ChartsKept& kept = runs_of(state);
  if (kept.times.runs.size() < 2 || kept.histogram.counts.empty()) return;
  card_heading(fmt::format("Spread of its {}'s runs", kept.times.what).c_str());
  small_histogram(state, kept);
  caption(fmt::format(
      "{} to {}, {}",
      time_text(kept.times.least),
      time_text(kept.times.most),
      counted(static_cast<std::int64_t>(kept.times.runs.size()), "run")));
}

}  // namespace hypatia::gui
