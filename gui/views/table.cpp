// The table of nodes: a stacked bar in each row and the numbers beside it, grouped by node, op,
// class, source line or shape.

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// One row: a node or several taken together.
struct Group {
  std::string title;
  int node = -1;  // the most expensive one
  int nodes = 0;
  Parts costs;
  std::int64_t calls = 0;
  double flops = 0, bytes = 0;
  double median = 0, p90 = 0, roof = 0;  // of a single node
  bool estimated = false;
};

enum Column {
  column_name,
  column_bar,
  column_time,
  column_share,
  column_sum,
  column_calls,
  column_each,
  column_cpu,
  column_gpu,
  column_transfer,
  column_bytes,
  column_rate,
  column_flops,
  column_median,
  column_p90,
  column_roof,
  column_count
};

struct Groups {
  std::uint64_t version = 0;
  Settings settings;
  std::vector<Group> rows;
  std::vector<double> running;  // cumulative share in the order shown
  double longest = 0;
  int sorted_by = -1;
  bool descending = true;
};

std::string group_title(Grouping grouping, const NodeStats& node) {
  switch (grouping) {
    case Grouping::node:
      return node_title(node);
    case Grouping::op:
      return node.record->op;
    case Grouping::op_class:
      return node.record->op_class;
    case Grouping::line:
      return node.line.empty() ? "no source line" : node.line;
    case Grouping::shape:
      return node.shapes.empty() ? "no shape" : node.shapes;
  }
  return "";
}

void add(Group& group, const NodeStats& node, int position, const Profile& profile) {
  if (group.node < 0 || profile.node(group.node).costs().total() < node.costs().total())
    group.node = position;
  ++group.nodes;
  group.costs.add(node.costs());
  group.calls += node.calls();
  group.flops += node.flops;
  group.bytes += node.bytes;
  group.estimated = group.estimated || node.approximate();
  const bool single = group.nodes == 1;
  group.median = single ? node.account->median : 0;
  group.p90 = single ? node.account->p90 : 0;
  group.roof = single ? node.account->rate.roof : 0;
}

void collect(Groups& groups, const Profile& profile) {
  groups.rows.clear();
  std::map<std::string, std::size_t> known;
  const Grouping grouping = groups.settings.grouping;
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i) {
    if (!node_shown(groups.settings, profile, i)) continue;
    const NodeStats& node = profile.node(i);
    std::string title = group_title(grouping, node);
    const std::string key = grouping == Grouping::node ? std::to_string(i) : title;
    const auto [found, fresh] = known.emplace(key, groups.rows.size());
    if (fresh) {
      Group group;
      group.title = std::move(title);
      groups.rows.push_back(std::move(group));
    }
    add(groups.rows[found->second], node, i, profile);
  }
  groups.longest = 0;
  for (const Group& group : groups.rows)
    groups.longest = std::max(groups.longest, group.costs.total());
}

double sort_value(const Group& group, int column) {
  switch (column) {
    case column_calls:
      return static_cast<double>(group.calls);
    case column_each:
      return group.costs.total() / std::max<double>(1, static_cast<double>(group.calls));
    case column_cpu:
      return group.costs.cpu();
    case column_gpu:
      return group.costs.gpu();
    case column_transfer:
      return group.costs.transfer();
    case column_bytes:
      return group.bytes;
    case column_rate:
      return group.bytes / std::max(1.0, group.costs.total());
    case column_flops:
      return group.flops / std::max(1.0, group.costs.total());
    case column_median:
      return group.median;
    case column_p90:
      return group.p90;
    case column_roof:
      return group.roof;
    default:
      return group.costs.total();
  }
}

void sort(Groups& groups, int column, bool descending, double whole) {
  const auto before = [&](const Group& a, const Group& b) {
    if (column == column_name) return descending ? a.title > b.title : a.title < b.title;
    const double left = sort_value(a, column), right = sort_value(b, column);
    return descending ? left > right : left < right;
  };
  std::stable_sort(groups.rows.begin(), groups.rows.end(), before);
  groups.sorted_by = column;
  groups.descending = descending;
  groups.running.clear();
  double sum = 0;
  for (const Group& group : groups.rows) {
    sum += group.costs.total();
    groups.running.push_back(whole > 0 ? sum / whole : 0);
  }
}

void head() {
  const auto column = [](const char* title, float width, ImGuiTableColumnFlags flags = 0) {
    ImGui::TableSetupColumn(
        title,
        ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending | flags,
        em(width));
  };
  column("node", 15, ImGuiTableColumnFlags_NoHide);
  column("CPU / GPU / transfer", 12, ImGuiTableColumnFlags_NoSort);
  column("time", 6, ImGuiTableColumnFlags_DefaultSort);
  column("share", 5);
  column("sum", 5, ImGuiTableColumnFlags_NoSort);
  column("calls", 5);
  column("per call", 6);
  column("CPU", 6);
  column("GPU", 6);
  column("transfer", 6);
  column("bytes", 6);
  column("rate", 7);
  column("FLOP/s", 8);
  column("median", 6);
  column("90 % under", 6);
  column("of roof", 5);
  ImGui::TableSetupScrollFreeze(1, 1);
  ImGui::TableHeadersRow();
}

void right_text(const std::string& text) {
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::TextUnformatted(text.c_str());
}

void number_cells(const Group& group, double share, double running) {
  const double total = group.costs.total();
  const auto cell = [](const std::string& text) {
    ImGui::TableNextColumn();
    right_text(text);
  };
  cell((group.estimated ? "≈ " : "") + time_text(total));
  cell(percent_text(share));
  cell(percent_text(running));
  cell(count_text(group.calls));
  cell(group.calls > 0 ? time_text(total / static_cast<double>(group.calls)) : "–");
  cell(time_text(group.costs.cpu()));
  cell(time_text(group.costs.gpu()));
  cell(time_text(group.costs.transfer()));
  cell(group.bytes > 0 ? bytes_text(group.bytes) : "–");
  cell(rate_text(group.bytes, total));
  cell(flops_text(group.flops, total));
  cell(group.median > 0 ? time_text(group.median) : "–");
  cell(group.p90 > 0 ? time_text(group.p90) : "–");
  cell(group.roof > 0 ? percent_text(group.roof) : "–");
}

void row(AppState& state, const Profile& profile, const Groups& groups, int index) {
  const Group& group = groups.rows[static_cast<std::size_t>(index)];
  const double whole = profile.costs.total();
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(index);
  const bool chosen = group.node >= 0 && group.node == state.selection.node;
  const std::string title =
      group.nodes > 1 ? fmt::format("{}  ({} nodes)", group.title, group.nodes) : group.title;
  const float room = ImGui::GetContentRegionAvail().x;
  if (ImGui::Selectable("##row", chosen, ImGuiSelectableFlags_SpanAllColumns))
    state.select_node(group.node);
  state.probe.mark_item(fmt::format("row/{}/{}", index, group.title));
  if (ImGui::IsItemHovered()) state.hovering_node = group.node;
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) open_node_menu(state, group.node);
  const ImVec2 at = ImGui::GetItemRectMin();
  draw_text({at.x, at.y + ImGui::GetStyle().ItemSpacing.y / 2}, room, color(Tone::text), title);
  ImGui::TableNextColumn();
  const ImVec2 bar = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (groups.longest > 0)
    draw_costs(
        {bar.x, bar.y + em(0.15F)},
        em(0.85F),
        group.costs,
        static_cast<double>(width) / groups.longest);
  ImGui::Dummy({width, ImGui::GetTextLineHeight()});
  number_cells(
      group,
      whole > 0 ? group.costs.total() / whole : 0,
      groups.running[static_cast<std::size_t>(index)]);
  ImGui::PopID();
}

void copy_as_csv(const Groups& groups) {
  std::string text = "name,nodes,calls,cpu_ns,gpu_ns,transfer_ns,bytes,flops\n";
  for (const Group& group : groups.rows)
    text += fmt::format(
        "\"{}\",{},{},{:.0f},{:.0f},{:.0f},{:.0f},{:.0f}\n",
        group.title,
        group.nodes,
        group.calls,
        group.costs.cpu(),
        group.costs.gpu(),
        group.costs.transfer(),
        group.bytes,
        group.flops);
  ImGui::SetClipboardText(text.c_str());
}

}  // namespace

void draw_table(AppState& state) {
  const Profile& profile = *state.profile();
  Groups& groups = state.kept<Groups>("nodes");
  choose(state, "by", {"node", "op", "class", "line", "shape"}, state.settings.grouping);
  ImGui::SameLine(0, em(1.2F));
  if (ImGui::Button("copy CSV")) {
    copy_as_csv(groups);
    state.say("The table is on the clipboard.");
  }
  Settings wanted;
  wanted.grouping = state.settings.grouping;
  wanted.filter = state.settings.filter;
  wanted.function = state.settings.function;
  const bool stale = groups.version != state.document()->version() || !(groups.settings == wanted);
  if (stale) {
    groups.version = state.document()->version();
    groups.settings = wanted;
    collect(groups, profile);
  }
  const ImGuiTableFlags flags =
      ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
      ImGuiTableFlags_Reorderable | ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings;
  if (!ImGui::BeginTable("nodes", column_count, flags)) return;
  head();
  ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs && specs->SpecsCount > 0 && (stale || specs->SpecsDirty)) {
    const bool descending = specs->Specs->SortDirection == ImGuiSortDirection_Descending;
    sort(groups, specs->Specs->ColumnIndex, descending, profile.costs.total());
    specs->SpecsDirty = false;
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(groups.rows.size()));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      if (groups.running.size() == groups.rows.size()) row(state, profile, groups, i);
  ImGui::EndTable();
}

}  // namespace hypatia::gui
