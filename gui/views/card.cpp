// The card of the selected node: what it is, where it was written, what it costs, what feeds it,
// and the kernel that runs it.

#include "gui/views/card.h"

#include <algorithm>
#include <fmt/format.h>

#include "gui/app/editor.h"
#include "gui/model/source_line.h"
#include "gui/views/views.h"

namespace hypatia::gui {

void card_heading(const char* text) {
  ImGui::Dummy({0, em(0.4F)});
  const WithFont bold(Face::bold);
  ImGui::TextUnformatted(text);
}

namespace {

void fact(const char* what, const std::string& value) {
  if (value.empty()) return;
  dim_text(what);
  ImGui::SameLine(em(6.2F));
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(value.c_str());
  ImGui::PopTextWrapPos();
}

void costs(const Profile& profile, const NodeStats& node) {
  const double total = node.costs().total(), whole = profile.costs.total();
  {
    const Canvas bar("card bar", {ImGui::GetContentRegionAvail().x, em(1.2F)});
    if (total > 0)
      draw_costs(bar.low, bar.height(), node.costs(), static_cast<double>(bar.width()) / total);
  }
  const std::string about = node.approximate() ? "≈ " : "";
  fact("time", about + time_text(total) + ", " + percent_text(whole > 0 ? total / whole : 0));
  fact("calls", count_text(node.calls()));
  if (node.calls() > 0)
    fact("per call", about + time_text(total / static_cast<double>(node.calls())));
  const auto part = [&](const char* what, double time) {
    if (time > 0) fact(what, time_text(time));
  };
  for (std::size_t i = 0; i < part_count; ++i) {
    const auto which = static_cast<Part>(i);
    // Waits of many launches run side by side; their sum would say nothing.
    if (which != Part::queue) part(name(which), node.costs()[which]);
  }
  const double calls = std::max(1.0, static_cast<double>(node.calls()));
  if (const double queue = node.costs()[Part::queue] / calls; queue > 0)
    fact("in queue", time_text(queue) + " a call, behind other work");
  if (node.account->median > 0) {
    fact("median", about + time_text(node.account->median));
    fact("90 % under", about + time_text(node.account->p90));
  }
  const Rate& rate = node.account->rate;
  if (rate.gflops > 0) fact("computes", flops_text(rate.gflops, 1));
  if (rate.gigabytes > 0) fact("moves", rate_text(rate.gigabytes, 1));
  if (rate.roof > 0)
    fact(
        "of the roof",
        percent_text(rate.roof) + (rate.memory_bound ? ", memory bound" : ", compute bound"));
}

// What a copied input costs, and why it had to be copied.
void copied(const NodeStats& source) {
  ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::transfer));
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(fmt::format(
                             "   copied here: {} in {}{}",
                             time_text(source.costs().total()),
                             counted(source.calls(), "call"),
                             source.record->reason.empty() ? "" : "; " + source.record->reason)
                             .c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void inputs(AppState& state, const Profile& profile, const NodeStats& node) {
  card_heading("Inputs");
  int number = 0;
  for (const InputRecord& input : node.record->inputs) {
    ImGui::PushID(number);
    const int from = input.node >= 0
                         ? profile.find({node.id.function, static_cast<std::uint32_t>(input.node)})
                         : -1;
    const float room = ImGui::GetContentRegionAvail().x;
    if (from >= 0) {
      const NodeStats& source = profile.node(from);
      ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::accent));
      if (ImGui::Selectable(fit_label(source.record->name, room).c_str())) state.select_node(from);
      ImGui::PopStyleColor();
      state.probe.mark_item(fmt::format("card/input/{}", number));
      if (source.record->side == Side::transfer) {
        copied(source);
        state.probe.mark_item("card/copied");
      }
    } else {
      ImGui::TextUnformatted(fit_text(input.name, room).c_str());
    }
    dim_text(fit_text("   " + input.type, room));
    ImGui::PopID();
    ++number;
  }
  if (number == 0) dim_text("none");
}

// The line that the user wrote, with its neighbours, where the file can be found.
void source_line(AppState& state, const Profile& profile, const NodeStats& node) {
  if (node.line.empty()) return;

  struct Kept {
    std::string line;
    std::vector<SourceLine> lines;
  };

  Kept& kept = state.kept<Kept>("source line");
  if (kept.line != node.line)
    kept = {node.line, source_lines(profile.recording->header(), node.record->origin, 1)};
  fact("line", node.line);
  state.probe.mark_item("card/line/" + node.line);
  if (!kept.lines.empty()) {
    ImGui::SameLine();
    if (ImGui::SmallButton("open")) open_source(state);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Open it in your editor (key S).");
    state.probe.mark_item("card/open");
  }
  if (kept.lines.empty()) return;
  const WithFont mono(Face::mono);
  for (const SourceLine& line : kept.lines) {
    const bool it = line.number == node.record->origin.line;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
    if (it)
      ImGui::GetWindowDrawList()->AddRectFilled(
          at, {at.x + room, at.y + height + em(0.1F)}, color(Tone::accent, 0.18F));
    draw_text(at, room, color(it ? Tone::text : Tone::text_faint), line.text);
    ImGui::Dummy({room, height});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", line.text.c_str());
  }
  state.probe.mark_item("card/source");
}

void advice(const Profile& profile, const NodeStats& node) {
  bool first = true;
  for (const Advice& item : profile.advice) {
    if (std::find(item.nodes.begin(), item.nodes.end(), node.id) == item.nodes.end()) continue;
    if (first) card_heading("What to do");
    first = false;
    ImGui::PushTextWrapPos();
    ImGui::TextColored(
        color_vector(item.positive ? Tone::good : Tone::warning), "%s", item.title.c_str());
    dim_text(item.evidence);
    ImGui::TextUnformatted(item.fix.c_str());
    ImGui::PopTextWrapPos();
  }
}

void notes(
    AppState& state, const NodeStats& node, const char* title, const std::vector<Note>& all) {
  bool first = true;
  for (const Note& note : all) {
    if (note.node != node.record->name) continue;
    if (first) card_heading(title);
    first = false;
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(note.text.c_str());
    ImGui::PopTextWrapPos();
    state.probe.mark_item(std::string("card/") + title);
  }
}

// What the last launch of the node's kernel asked for, as its events say.
void launch_facts(const Recording& recording, const std::string& kernel) {
  for (const DetailRecord& detail : recording.details()) {
    if (detail.name != kernel || detail.grid[0] == 0) continue;
    dim_text(fmt::format(
        "grid {}×{}×{}, block {}×{}×{}",
        detail.grid[0],
        detail.grid[1],
        detail.grid[2],
        detail.block[0],
        detail.block[1],
        detail.block[2]));
    const std::int32_t shared = detail.static_shared + detail.dynamic_shared;
    if (detail.registers > 0 || shared > 0)
      dim_text(fmt::format("{} registers, {} shared", detail.registers, bytes_text(shared)));
    return;
  }
}

void kernel(const Profile& profile, const NodeStats& node) {
  const Recording& recording = *profile.recording;
  const RecordedStep* step = recording.step(node.account->step);
  const PlanRecord* plan = step ? recording.plan(step->plan) : nullptr;
  if (!plan || step->record->source < 0 ||
      step->record->source >= static_cast<int>(plan->sources.size()))
    return;
  card_heading("Generated kernel");
  if (step->record->nodes.size() > 1)
    dim_text(fmt::format("covers {} nodes", step->record->nodes.size()));
  launch_facts(recording, step->record->name);
  const std::string& text = plan->sources[static_cast<std::size_t>(step->record->source)];
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color(Tone::background));
  const float lines = static_cast<float>(std::count(text.begin(), text.end(), '\n')) + 2;
  ImGui::BeginChild(
      "kernel",
      {0, std::clamp(lines * em(1.2F), em(5), em(26))},
      false,
      ImGuiWindowFlags_HorizontalScrollbar);
  {
    const WithFont mono(Face::mono);
    ImGui::TextUnformatted(text.c_str());
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace

void draw_card(AppState& state) {
  const Profile& profile = *state.profile();
  if (state.selection.node < 0) {
    empty_message("No node is selected.", "Click a bar, a row or an event.");
    return;
  }
  const NodeStats& node = profile.nodes[static_cast<std::size_t>(state.selection.node)];
  ImGui::BeginChild("card content");
  {
    const WithFont bold(Face::bold);
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(node.record->name.c_str());
    ImGui::PopTextWrapPos();
  }
  state.probe.mark_item("card/name");
  costs(profile, node);
  card_histogram(state);
  card_roofline(state, node);
  card_heading("Node");
  fact("label", node.record->label);
  const std::string& function = profile.functions[node.id.function - 1].record->name;
  fact("function", function);
  source_line(state, profile, node);
  fact("shapes", node.shapes);
  for (const std::string& type : node.record->output_types)
    fact("gives", type);
  fact("why here", node.record->reason);
  inputs(state, profile, node);
  advice(profile, node);
  notes(state, node, "From the teacher", state.sidecar.handed_out);
  notes(state, node, "Notes", state.sidecar.notes);
  kernel(profile, node);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
