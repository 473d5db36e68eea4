// Two recordings node by node: what was added, removed, moved, made faster or slower. Differences
// grow in colour up to a factor of two; those that may be chance stay grey.

#include "gui/model/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct CompareKept {
  std::uint64_t before = 0, after = 0;
  ComparedProfiles comparison;
};

const ComparedProfiles& comparison_for(
    AppState& state, const Profile& before, const Profile& after) {
  CompareKept& kept = state.kept<CompareKept>("compare");
  const std::uint64_t left = state.documents[static_cast<std::size_t>(state.baseline)]->version();
  const std::uint64_t right = state.document()->version();
  if (kept.before != left || kept.after != right) kept = {left, right, compare(before, after)};
  return kept.comparison;
}

ImU32 change_color(const ComparedNode& node) {
  if (node.change == Change::same) return color(Tone::text_faint);
  const double low = std::max(1.0, std::min(node.time_before, node.time_after));
  const double ratio = std::max(node.time_before, node.time_after) / low;
  const auto strength = static_cast<float>(std::clamp(std::log2(ratio), 0.25, 1.0));
  return mix(
      color(Tone::text_dim), color(node.difference() <= 0 ? Tone::good : Tone::bad), strength);
}

struct Columns {
  float name, before, after, difference, change;  // where each ends, from the left
};

Columns columns_for(float width) {
  const float number = em(5.4F), word = em(7.5F);
  const float bar = std::max(width - number * 3 - word, em(12));
  return {bar, bar + number, bar + number * 2, bar + number * 3, bar + number * 3 + word};
}

void number(ImVec2 row, float end, ImU32 tint, const std::string& text) {
  const float width = em(5.2F);
  draw_text({row.x + end - width, row.y}, width, tint, text, Align::right);
}

// From the middle to the right for slower, to the left for faster.
void difference_bar(
    const Canvas& canvas, ImVec2 row, float end, const ComparedNode& node, double most) {
  const float half = end * 0.2F, middle = row.x + end - half - em(0.5F);
  const float y = row.y, height = ImGui::GetTextLineHeight();
  canvas.draw().AddRectFilled(
      {middle, y - em(0.3F)}, {middle + 1, y + height + em(0.3F)}, color(Tone::border));
  if (most <= 0) return;
  const float length = static_cast<float>(node.difference() / most) * half;
  canvas.draw().AddRectFilled(
      {std::min(middle, middle + length), y + em(0.1F)},
      {std::max(middle, middle + length), y + height - em(0.1F)},
      change_color(node));
}

void row(
    AppState& state,
    const Canvas& canvas,
    const Columns& columns,
    const Profile& before,
    const Profile& after,
    const ComparedNode& node,
    double most,
    float top) {
  const ImVec2 low{canvas.low.x, top}, high{canvas.high.x, top + em(1.8F)};
  if (node.pair.right >= 0 && node.pair.right == state.selection.node)
    canvas.draw().AddRectFilled(low, high, color(Tone::accent, 0.18F));
  const ImVec2 text{low.x + em(0.4F), top + em(0.35F)};
  const NodeStats& named =
      node.pair.right >= 0 ? after.node(node.pair.right) : before.node(node.pair.left);
  draw_text(
      text,
      columns.name * 0.55F - em(0.6F),
      color(node.change == Change::removed ? Tone::text_faint : Tone::text),
      node_title(named));
  difference_bar(canvas, text, columns.name, node, most);
  const auto time = [](int there, double value) {
    return there < 0 ? std::string("–") : time_text(value);
  };
  number(text, columns.before, color(Tone::text_dim), time(node.pair.left, node.time_before));
  number(text, columns.after, color(Tone::text), time(node.pair.right, node.time_after));
  const double difference = node.difference();
  number(
      text,
      columns.difference,
      change_color(node),
      (difference > 0   ? "+"
       : difference < 0 ? "−"
                        : "") +
          time_text(std::abs(difference)));
  const bool both = node.pair.left >= 0 && node.pair.right >= 0;
  const std::string word =
      both && node.change != Change::same && node.time_after > 0 && node.time_before > 0
          ? fmt::format(
                "{} {}",
                name(node.change),
                ratio_text(
                    std::max(node.time_before, node.time_after) /
                    std::min(node.time_before, node.time_after)))
      : node.change == Change::same && std::abs(node.difference()) > 0.1 * node.time_before
          ? "in the noise"
          : name(node.change);
  draw_text(
      {low.x + columns.difference + em(0.8F), text.y},
      columns.change - columns.difference - em(1),
      change_color(node),
      word);
  if (node.pair.right >= 0) node_area(state, canvas, node.pair.right, low, high);
}

void head(const Canvas& canvas, const Columns& columns) {
  const ImVec2 row = canvas.low + ImVec2{em(0.4F), 0};
  const ImU32 tint = color(Tone::text_faint);
  draw_text(row, columns.name * 0.4F, tint, "node, per call");
  number(row, columns.before, tint, "before");
  number(row, columns.after, tint, "after");
  number(row, columns.difference, tint, "difference");
}

// The sum of all differences from the largest on: where it bends, the rest doesn't matter.
void cumulative(const Canvas& canvas, const ComparedProfiles& comparison) {
  double sum = 0, least = 0, most = 0;
  for (const ComparedNode& node : comparison.nodes) {
    sum += node.difference();
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  if (most - least <= 0) return;
  const auto y = [&](double value) {
    return canvas.high.y - em(0.3F) -
           static_cast<float>((value - least) / (most - least)) * (canvas.height() - em(0.6F));
  };
  const float step = canvas.width() / std::max(1.0F, static_cast<float>(comparison.nodes.size()));
  canvas.draw().AddRectFilled({canvas.low.x, y(0)}, {canvas.high.x, y(0) + 1}, color(Tone::border));
  sum = 0;
  ImVec2 last{canvas.low.x, y(0)};
  for (std::size_t i = 0; i < comparison.nodes.size() && i < 4000; ++i) {
    sum += comparison.nodes[i].difference();
    const ImVec2 next{canvas.low.x + step * static_cast<float>(i + 1), y(sum)};
    canvas.draw().AddLine(last, {next.x, last.y}, color(Tone::accent), 1.5F);
    canvas.draw().AddLine({next.x, last.y}, next, color(Tone::accent), 1.5F);
    last = next;
  }
}

void choose_baseline() {
  empty_message(
      "Nothing to compare with.",
      "Open a second recording, press C on the one to compare with, then N for the other.");
}

}  // namespace

void draw_compare(AppState& state) {
  const Profile* before = state.baseline_profile();
  if (!before) {
    choose_baseline();
    return;
  }
  const Profile& after = *state.profile();
  const ComparedProfiles& comparison = comparison_for(state, *before, after);
  ImGui::PushTextWrapPos();
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted(unbroken(comparison.verdict).c_str());
  }
  dim_text(
      "Nodes are matched by the graph above them; grey is within the spread of the calls. The "
      "line is the sum of the differences, from the largest on.");
  ImGui::PopTextWrapPos();
  state.probe.mark_item("compare/verdict");
  const float width = ImGui::GetContentRegionAvail().x;
  const Columns columns = columns_for(width);
  {
    const Canvas canvas("sum", {width, em(4)});
    cumulative(canvas, comparison);
  }
  {
    const Canvas canvas("head", {width, em(1.4F)});
    head(canvas, columns);
  }
  ImGui::BeginChild("compared");
  const float row_height = em(1.8F);
  const auto count = static_cast<int>(comparison.nodes.size());
  const Canvas canvas("rows", {width, row_height * static_cast<float>(count)});
  const double most = count > 0 ? std::abs(comparison.nodes.front().difference()) : 0;
  const int first = std::clamp(static_cast<int>(ImGui::GetScrollY() / row_height), 0, count);
  const int last =
      std::min(count, first + static_cast<int>(ImGui::GetWindowHeight() / row_height) + 2);
  for (int i = first; i < last; ++i)
    row(state,
        canvas,
        columns,
        *before,
        after,
        comparison.nodes[static_cast<std::size_t>(i)],
        most,
        canvas.low.y + row_height * static_cast<float>(i));
  ImGui::EndChild();
}

}  // namespace hypatia::gui
