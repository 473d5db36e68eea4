// The card of the selected node: what it is, where it was written, what it costs, what feeds it,
// and the kernel that runs it.

#include <algorithm>
#include <fmt/format.h>

#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

void heading(const char* text) {
  ImGui::Dummy({0, em(0.4F)});
  const WithFont bold(Face::bold);
  ImGui::TextUnformatted(text);
}

void fact(const char* what, const std::string& value) {
  if (value.empty()) return;
  dim_text(what);
  ImGui::SameLine(em(6.2F));
  ImGui::PushTextWrapPos();
  ImGui::TextUnformatted(value.c_str());
  ImGui::PopTextWrapPos();
}

void costs(const Profile& profile, const NodeStats& node) {
  const double total = node.costs.total(), whole = profile.costs.total();
  {
    const Canvas bar("card bar", {ImGui::GetContentRegionAvail().x, em(1.2F)});
    if (total > 0)
      draw_costs(bar.low, bar.height(), node.costs, static_cast<double>(bar.width()) / total);
  }
  const std::string about = node.estimated ? "≈ " : "";
  fact("time", about + time_text(total) + ", " + percent_text(whole > 0 ? total / whole : 0));
  fact("calls", count_text(node.calls));
  if (node.calls > 0) fact("per call", about + time_text(total / static_cast<double>(node.calls)));
  const auto part = [&](const char* what, double time) {
    if (time > 0) fact(what, time_text(time));
  };
  part("host", node.costs.host);
  part("launch", node.costs.launch);
  part("GPU", node.costs.kernel);
  part("copy in", node.costs.copy_in);
  part("copy out", node.costs.copy_out);
  part("waiting", node.costs.sync);
  part("compile", node.costs.compile);
  if (node.flops > 0) fact("rate", flops_text(node.flops, total));
  if (node.bytes > 0) fact("memory", rate_text(node.bytes, total));
  if (node.moved_bytes > 0)
    fact(
        "link",
        bytes_text(static_cast<double>(node.moved_bytes)) + ", " +
            rate_text(static_cast<double>(node.moved_bytes), node.costs.transfer()));
}

void inputs(AppState& state, const Profile& profile, const NodeStats& node) {
  heading("Inputs");
  int number = 0;
  for (const InputRecord& input : node.record->inputs) {
    ImGui::PushID(number);
    const int from = input.node >= 0
                         ? profile.find({node.id.function, static_cast<std::uint32_t>(input.node)})
                         : -1;
    const float room = ImGui::GetContentRegionAvail().x;
    if (from >= 0) {
      const NodeStats& source = profile.nodes[static_cast<std::size_t>(from)];
      ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::accent));
      if (ImGui::Selectable(fit_text(source.record->name, room).c_str())) state.select_node(from);
      ImGui::PopStyleColor();
      state.probe.mark_item(fmt::format("card/input/{}", number));
    } else {
      ImGui::TextUnformatted(fit_text(input.name, room).c_str());
    }
    dim_text(fit_text("   " + input.type, room));
    ImGui::PopID();
    ++number;
  }
  if (number == 0) dim_text("none");
}

void kernel(const Profile& profile, const NodeStats& node) {
  if (node.steps.empty()) return;
  const Recording& recording = *profile.recording;
  const Step* step = recording.step(node.steps.front());
  const PlanRecord* plan = step ? recording.plan(step->plan) : nullptr;
  if (!plan || step->record->source < 0 ||
      step->record->source >= static_cast<int>(plan->sources.size()))
    return;
  heading("Generated kernel");
  if (step->record->nodes.size() > 1)
    dim_text(fmt::format("covers {} nodes", step->record->nodes.size()));
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
  heading("Node");
  fact("label", node.record->label);
  const std::string& function = profile.functions[node.id.function - 1].record->name;
  fact("function", function);
  fact("line", node.line);
  fact("shapes", node.shapes);
  for (const std::string& type : node.record->output_types)
    fact("gives", type);
  fact("why here", node.record->reason);
  inputs(state, profile, node);
  kernel(profile, node);
  ImGui::EndChild();
}

}  // namespace hypatia::gui
