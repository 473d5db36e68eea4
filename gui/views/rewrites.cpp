// The story of a function's graph: pass by pass, and in each the rewrites one by one with what they
// save.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct Row {
  const PassStory* pass = nullptr;
  const RewriteStory* rewrite = nullptr;  // null: the pass itself
};

/// The rows of one function, kept until another is shown.
struct RewritesKept {
  std::uint64_t version = 0;
  std::uint32_t function = 0;
  std::vector<Row> rows;
  double seconds = 0, flops = 0, bytes = 0;  // of all passes; saved by all rewrites
  std::int64_t rewrites = 0;
};

// The function that is chosen, or the one with the most rewrites.
std::uint32_t function_shown(const Settings& settings, std::span<const PassStory> passes) {
  if (settings.function >= 0) return static_cast<std::uint32_t>(settings.function) + 1;
  std::uint32_t best = 0;
  std::int64_t most = -1, sum = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    sum =
        (i > 0 && passes[i].function == passes[i - 1].function ? sum : 0) + passes[i].rewrite_count;
    if (sum <= most) continue;
    most = sum;
    best = passes[i].function;
  }
  return best;
}

const RewritesKept& kept_for(AppState& state, std::span<const PassStory> passes) {
  RewritesKept& kept = state.kept<RewritesKept>("rewrites");
  const std::uint32_t function = function_shown(state.settings, passes);
  const std::uint64_t version = state.document()->version();
  if (kept.version == version && kept.function == function) return kept;
  kept = {version, function, {}, 0, 0, 0, 0};
  for (const PassStory& pass : passes) {
    if (pass.function != function) continue;
    kept.rows.push_back({&pass, nullptr});
    kept.seconds += pass.seconds;
    kept.rewrites += pass.rewrite_count;
    for (const RewriteStory& rewrite : pass.rewrites) {
      kept.rows.push_back({&pass, &rewrite});
      kept.flops += rewrite.flops_before - rewrite.flops_after;
      kept.bytes += rewrite.bytes_before - rewrite.bytes_after;
    }
  }
  return kept;
}

// "−12.0 KiB", "+400 flop"; empty for no difference.
std::string change_text(double before, double after, bool bytes) {
  const double difference = after - before;
  if (difference == 0) return "";
  const double size = std::abs(difference);
  return (difference < 0 ? "−" : "+") + (bytes ? bytes_text(size) : si_text(size, "flop"));
}

void pass_row(const PassStory& pass) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted(pass.name.c_str());
  }
  ImGui::TableNextColumn();
  const bool quiet = pass.nodes_before == pass.nodes_after;
  const std::string nodes = quiet
                                ? counted(pass.nodes_after, "node")
                                : fmt::format("{} → {} nodes", pass.nodes_before, pass.nodes_after);
  const std::string text =
      pass.rewrite_count > 0 ? nodes + ",  " + counted(pass.rewrite_count, "rewrite") : nodes;
  ImGui::PushStyleColor(ImGuiCol_Text, color(quiet ? Tone::text_faint : Tone::text));
  ImGui::TextUnformatted(fit_text(text, ImGui::GetContentRegionAvail().x).c_str());
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  dim_text(time_text(pass.seconds * 1e9));
}

// Selects the first node that was written on the same line.
void select_line(AppState& state, const Origin& origin) {
  const Profile& profile = *state.profile();
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    const Origin& other = profile.node(i).record->origin;
    if (!other || other.line != origin.line || std::string_view(other.file) != origin.file)
      continue;
    state.select_node(i);
    return;
  }
}

void rewrite_row(AppState& state, const RewriteStory& rewrite, int index) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(index);
  const float room = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable(
          fit_label("   " + rewrite.rule, room).c_str(),
          false,
          ImGuiSelectableFlags_SpanAllColumns) &&
      rewrite.origin)
    select_line(state, rewrite.origin);
  if (ImGui::IsItemHovered()) {
    const std::string line =
        rewrite.origin ? fmt::format(
                             "\n{}:{}",
                             std::filesystem::path(rewrite.origin.file).filename().string(),
                             rewrite.origin.line)
                       : "";
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(em(40));
    ImGui::TextUnformatted(rewrite.before.c_str());
    ImGui::TextUnformatted(("→ " + rewrite.after).c_str());
    dim_text(fmt::format(
        "flops {:.6g} → {:.6g}, bytes {:.6g} → {:.6g}{}",
        rewrite.flops_before,
        rewrite.flops_after,
        rewrite.bytes_before,
        rewrite.bytes_after,
        line));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  state.probe.mark_item("rewrite/" + rewrite.rule);
  ImGui::PopID();
  ImGui::TableNextColumn();
  dim_text(fit_text(rewrite.before + " → " + rewrite.after, ImGui::GetContentRegionAvail().x));
  ImGui::TableNextColumn();
  const std::string flops = change_text(rewrite.flops_before, rewrite.flops_after, false);
  const std::string bytes = change_text(rewrite.bytes_before, rewrite.bytes_after, true);
  const bool worse = rewrite.bytes_after > rewrite.bytes_before;
  ImGui::PushStyleColor(ImGuiCol_Text, color(worse ? Tone::text_dim : Tone::good));
  ImGui::TextUnformatted(
      (flops.empty() || bytes.empty() ? flops + bytes : flops + ", " + bytes).c_str());
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
}

void story(AppState& state, const RewritesKept& kept) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("rewrites", 4, flags)) return;
  ImGui::TableSetupColumn("pass and rule", ImGuiTableColumnFlags_WidthStretch, 3);
  ImGui::TableSetupColumn("what changed", ImGuiTableColumnFlags_WidthStretch, 6);
  ImGui::TableSetupColumn("saves", ImGuiTableColumnFlags_WidthFixed, em(11));
  ImGui::TableSetupColumn("took", ImGuiTableColumnFlags_WidthFixed, em(5));
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(kept.rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Row& row = kept.rows[static_cast<std::size_t>(i)];
      if (row.rewrite)
        rewrite_row(state, *row.rewrite, i);
      else
        pass_row(*row.pass);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_rewrites(AppState& state) {
  const std::span<const PassStory> passes = state.profile()->recording->passes();
  const RewritesKept& kept = kept_for(state, passes);
  if (kept.rows.empty()) {
    empty_message(
        "No rewrite was recorded.",
        "Compile the function while the recording runs to see its passes one by one.");
    return;
  }
  const FunctionRecord* function = state.profile()->recording->function(kept.function);
  {
    const WithFont bold(Face::bold);
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(fmt::format(
                               "{}: {} in {}{}{}",
                               function ? function->name : "a function",
                               counted(kept.rewrites, "rewrite"),
                               time_text(kept.seconds * 1e9),
                               kept.flops > 0 ? ", " + si_text(kept.flops, "flop") + " less" : "",
                               kept.bytes > 0 ? ", " + bytes_text(kept.bytes) + " less moved" : "")
                               .c_str());
    ImGui::PopTextWrapPos();
  }
  state.probe.mark_item("rewrites/story");
  dim_text(fit_text(
      "Costs are of one run of the nodes that went and came; unknown sizes count as 1,000.",
      ImGui::GetContentRegionAvail().x));
  story(state, kept);
}

}  // namespace hypatia::gui
