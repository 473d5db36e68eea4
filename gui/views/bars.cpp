// The chart: CPU, GPU and transfer time of each apply node, one stacked bar each, of one recording
// or of two side by side.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

#include "gui/model/match.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// The rows in their order, kept until what they depend on changes.
struct Rows {
  std::uint64_t version = 0, other_version = 0;
  Settings settings;
  std::vector<NodePair> pairs;
  double longest = 0;  // nanoseconds of the longest bar
};

struct Chart {
  AppState& state;
  const Profile& profile;
  const Profile* other;
  double longest;
  float name_width, value_width, row_height;
};

// What a bar shows of a node: all calls, or one.
Parts shown_costs(const Settings& settings, const NodeStats& node) {
  if (!settings.bars_per_call || node.calls() == 0) return node.costs();
  Parts each;
  each.add(node.costs(), 1.0 / static_cast<double>(node.calls()));
  return each;
}

double sort_value(BarOrder order, const Parts& costs) {
  switch (order) {
    case BarOrder::cpu:
      return costs.cpu();
    case BarOrder::gpu:
      return costs.gpu();
    case BarOrder::transfer:
      return costs.transfer();
    default:
      return costs.total();
  }
}

void sort_pairs(std::vector<NodePair>& pairs, const Settings& settings, const Profile& profile) {
  const BarOrder order = settings.bar_order;
  if (order == BarOrder::execution) return;
  const auto node = [&](const NodePair& pair) -> const NodeStats& {
    return profile.nodes[static_cast<std::size_t>(pair.left)];
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const NodePair& a, const NodePair& b) {
    if (a.left < 0 || b.left < 0) return a.left >= 0 && b.left < 0;
    if (order == BarOrder::name) return node(a).record->name < node(b).record->name;
    return sort_value(order, shown_costs(settings, node(a))) >
           sort_value(order, shown_costs(settings, node(b)));
  });
}

void compute(Rows& rows, const Profile& profile, const Profile* other) {
  rows.pairs.clear();
  rows.longest = 0;
  std::vector<NodePair> all;
  if (other) {
    all = match_nodes(profile, *other);
  } else {
    for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i)
      all.push_back({i, -1});
  }
  for (const NodePair& pair : all) {
    if (pair.left >= 0 && !node_shown(rows.settings, profile, pair.left)) continue;
    if (pair.left < 0 && rows.settings.function >= 0) continue;
    rows.pairs.push_back(pair);
    const auto longest = [&](const Profile& of, int node) {
      if (node < 0) return;
      const NodeStats& stats = of.nodes[static_cast<std::size_t>(node)];
      rows.longest = std::max(rows.longest, shown_costs(rows.settings, stats).total());
    };
    longest(profile, pair.left);
    if (other) longest(*other, pair.right);
  }
  sort_pairs(rows.pairs, rows.settings, profile);
}

const Rows& rows_for(AppState& state, const Profile& profile, const Profile* other) {
  Rows& rows = state.kept<Rows>("bars");
  Settings settings = state.settings;  // only what the order depends on
  settings.bars_per_cent = false;
  settings.time_begin = settings.time_end = 0;
  const std::uint64_t version = state.document()->version();
  const std::uint64_t other_version =
      other ? state.documents[static_cast<std::size_t>(state.baseline)]->version() : 0;
  if (rows.version != version || rows.other_version != other_version ||
      !(rows.settings == settings)) {
    rows.version = version;
    rows.other_version = other_version;
    rows.settings = settings;
    compute(rows, profile, other);
  }
  return rows;
}

void controls(AppState& state) {
  Settings& settings = state.settings;
  choose(
      state, "order", {"total", "CPU", "GPU", "transfer", "execution", "name"}, settings.bar_order);
  int scale = settings.bars_per_cent ? 1 : 0, of = settings.bars_per_call ? 1 : 0;
  if (choose(state, "scale", {"time", "per cent"}, scale)) settings.bars_per_cent = scale == 1;
  ImGui::SameLine(0, em(1.2F));
  if (choose(state, "of", {"all calls", "one call"}, of)) settings.bars_per_call = of == 1;
  if (state.documents.size() > 1) {
    ImGui::SameLine(0, em(1.2F));
    toggle(state, "side by side", settings.bars_compare);
    if (settings.bars_compare && !state.baseline_profile())
      state.baseline = state.shown == 0 ? 1 : 0;
  }
}

void axis(const Chart& chart, const Canvas& canvas, ImVec2 low, float width) {
  const bool per_cent = chart.state.settings.bars_per_cent;
  const double range = per_cent ? 1 : chart.longest;
  const int count = std::max(1, static_cast<int>(width / em(5.5F)));
  const double step = nice_step(range, count);
  for (const double tick : nice_ticks(0, range, count)) {
    const float x = std::floor(low.x + static_cast<float>(tick / range) * width);
    canvas.draw().AddRectFilled({x, low.y + em(1.4F)}, {x + 1, canvas.high.y}, color(Tone::grid));
    const std::string text = per_cent ? fmt::format("{:.0f} %", tick * 100) : tick_text(tick, step);
    const float half = ImGui::CalcTextSize(text.c_str()).x / 2;
    const float left = std::clamp(x - half, low.x, low.x + width - half * 2);
    draw_text({left, low.y}, half * 2 + 1, color(Tone::text_faint), text);
  }
}

void bar(const Chart& chart, ImVec2 low, float width, float height, const NodeStats& node) {
  const Parts costs = shown_costs(chart.state.settings, node);
  const double range = chart.state.settings.bars_per_cent ? costs.total() : chart.longest;
  if (range > 0) draw_costs(low, height, costs, static_cast<double>(width) / range);
}

std::string value_text(const Settings& settings, const NodeStats* node) {
  if (!node) return "–";
  return (node->approximate() ? "≈ " : "") + time_text(shown_costs(settings, *node).total());
}

void highlight(const Chart& chart, const Canvas& canvas, int node, ImVec2 low, ImVec2 high) {
  if (node >= 0 && node == chart.state.selection.node)
    canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.18F));
  else if (node >= 0 && node == chart.state.hovered_node)
    canvas.draw().AddRectFilled(low, high, color(Tone::hovered, 0.12F));
}

void row(const Chart& chart, const Canvas& canvas, const NodePair& pair, float top) {
  const NodeStats* node =
      pair.left >= 0 ? &chart.profile.nodes[static_cast<std::size_t>(pair.left)] : nullptr;
  const NodeStats* other = chart.other && pair.right >= 0
                               ? &chart.other->nodes[static_cast<std::size_t>(pair.right)]
                               : nullptr;
  const ImVec2 low{canvas.low.x, top}, high{canvas.high.x, top + chart.row_height};
  highlight(chart, canvas, pair.left, low, high);
  const float text_y = top + (em(1.9F) - ImGui::GetTextLineHeight()) / 2;
  const NodeStats& named = node ? *node : *other;
  draw_text(
      {low.x + em(0.4F), text_y},
      chart.name_width - em(0.8F),
      color(node ? Tone::text : Tone::text_faint),
      node_title(named));
  const float left = low.x + chart.name_width;
  const float width = canvas.width() - chart.name_width - chart.value_width;
  const float thick = em(1.15F), inset = (em(1.9F) - thick) / 2;
  if (node) bar(chart, {left, top + inset}, width, thick, *node);
  draw_text(
      {left + width, text_y},
      chart.value_width - em(0.4F),
      color(Tone::text),
      value_text(chart.state.settings, node),
      Align::right);
  if (chart.other) {
    const float second = top + em(1.7F);
    if (other) bar(chart, {left, second}, width, em(0.75F), *other);
    draw_text(
        {low.x + em(1.2F), second - em(0.2F)},
        chart.name_width - em(1.6F),
        color(Tone::text_faint),
        other && node ? "against " + other->record->name : "not there");
    draw_text(
        {left + width, second - em(0.2F)},
        chart.value_width - em(0.4F),
        color(Tone::text_faint),
        value_text(chart.state.settings, other),
        Align::right);
  }
  if (node) node_area(chart.state, canvas, pair.left, low, high);
}

void draw_rows(Chart& chart, const Rows& rows) {
  ImGui::BeginChild("rows", {0, 0}, false, ImGuiWindowFlags_NoBackground);
  const float all = chart.row_height * static_cast<float>(rows.pairs.size());
  const Canvas canvas("rows", {ImGui::GetContentRegionAvail().x, all});
  const float scroll = ImGui::GetScrollY(), view = ImGui::GetWindowHeight();
  const auto count = static_cast<int>(rows.pairs.size());
  const int first = std::clamp(static_cast<int>(scroll / chart.row_height), 0, count);
  const int last = std::clamp(static_cast<int>((scroll + view) / chart.row_height) + 1, 0, count);
  for (int i = first; i < last; ++i) {
    const float top = canvas.low.y + chart.row_height * static_cast<float>(i);
    chart.state.probe.mark(
        fmt::format("bar/{}", i), {canvas.low.x, top}, {canvas.high.x, top + chart.row_height});
    row(chart, canvas, rows.pairs[static_cast<std::size_t>(i)], top);
  }
  ImGui::EndChild();
}

}  // namespace

void draw_bars(AppState& state) {
  const Profile& profile = *state.profile();
  controls(state);
  const Profile* other = state.settings.bars_compare ? state.baseline_profile() : nullptr;
  const Rows& rows = rows_for(state, profile, other);
  legend_sides();
  ImGui::SameLine(0, em(1.5F));
  dim_text(
      profile.functions.empty()
          ? ""
          : "GPU time belongs to the node that launched it; ≈ is a share of a merged kernel");
  ImGui::Spacing();
  if (rows.pairs.empty()) {
    empty_message("No node to show.", "Clear the filter with Ctrl+F, or choose all functions.");
    return;
  }
  const float width = ImGui::GetContentRegionAvail().x;
  Chart chart{
      state,
      profile,
      other,
      rows.longest,
      std::min(em(19), width * 0.34F),
      em(6.5F),
      other ? em(3) : em(1.9F)};
  {
    const Canvas head("axis", {width, em(1.4F)});
    axis(
        chart,
        head,
        head.low + ImVec2{chart.name_width, 0},
        width - chart.name_width - chart.value_width);
  }
  draw_rows(chart, rows);
}

}  // namespace hypatia::gui
