// The price of a function before it runs: gradient, rewrites, code, compilers; and the first call
// against a usual one.

#include <algorithm>
#include <fmt/format.h>

#include "gui/model/builds.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

struct CompileKept {
  std::uint64_t version = 0;
  Builds builds;
};

const Builds& builds_for(AppState& state) {
  CompileKept& kept = state.kept<CompileKept>("builds");
  if (kept.version != state.document()->version())
    kept = {state.document()->version(), find_builds(*state.profile())};
  return kept.builds;
}

struct Stage {
  const char* word;
  double FunctionRecord::*seconds;
  Tone tone;
};

constexpr std::array<Stage, 4> stages = {
    {{"gradient", &FunctionRecord::grad_seconds, Tone::launch},
     {"rewrites", &FunctionRecord::rewrite_seconds, Tone::cpu},
     {"code", &FunctionRecord::codegen_seconds, Tone::warning},
     {"compilers", &FunctionRecord::compile_seconds, Tone::compile}}};

double build_time(const FunctionRecord& function) {
  double sum = 0;
  for (const Stage& stage : stages)
    sum += function.*stage.seconds * 1e9;
  return sum;
}

void function_row(const Canvas& canvas, const FunctionStats& function, double longest, float top) {
  const ImVec2 low{canvas.low.x, top};
  const float names = canvas.width() * 0.2F, numbers = std::min(em(22), canvas.width() * 0.5F),
              y = top + em(0.35F);
  draw_text(
      {low.x + em(0.3F), y},
      names - em(0.6F),
      color(Tone::text),
      function.record->name.empty() ? "a function" : function.record->name);
  float x = low.x + names;
  const float room = canvas.width() - names - numbers;
  for (const Stage& stage : stages) {
    const float width =
        longest > 0 ? static_cast<float>(function.record->*stage.seconds * 1e9 / longest) * room
                    : 0;
    if (width > 0.2F) draw_block({x, top + em(0.35F)}, {x + width, top + em(1.4F)}, stage.tone);
    x += width;
  }
  const FunctionAccount& account = *function.account;
  std::string text = time_text(build_time(*function.record));
  if (account.first_call > 0)
    text += fmt::format(
        ",  first call {}, then {}", time_text(account.first_call), time_text(account.median));
  draw_text(
      {canvas.high.x - numbers, y}, numbers - em(0.3F), color(Tone::text_dim), text, Align::right);
}

void step_list(AppState& state, const char* name, const std::vector<BuildStep>& steps) {
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable(name, 3, flags)) return;
  ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthStretch, 4);
  ImGui::TableSetupColumn("took", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("began at", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(steps.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const BuildStep& step = steps[static_cast<std::size_t>(i)];
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(i);
      const std::string title = fit_label(step.name, ImGui::GetContentRegionAvail().x);
      if (ImGui::Selectable(title.c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) {
        state.selection.track = step.track;
        state.selection.event = step.event;
        state.settings.view = "timeline";
        show_event(state);
      }
      ImGui::PopID();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(time_text(step.time).c_str());
      ImGui::TableNextColumn();
      dim_text(time_text(step.begin));
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_compile(AppState& state) {
  const Profile& profile = *state.profile();
  legend(
      {{Tone::launch, "gradient"},
       {Tone::cpu, "rewrites"},
       {Tone::warning, "code"},
       {Tone::compile, "compilers"}});
  double longest = 0;
  for (const FunctionStats& function : profile.functions)
    longest = std::max(longest, build_time(*function.record));
  const auto shown = std::min<std::size_t>(profile.functions.size(), 30);
  {
    const Canvas canvas(
        "functions", {ImGui::GetContentRegionAvail().x, em(1.8F) * static_cast<float>(shown)});
    for (std::size_t i = 0; i < shown; ++i)
      function_row(
          canvas, profile.functions[i], longest, canvas.low.y + em(1.8F) * static_cast<float>(i));
  }
  const Builds& builds = builds_for(state);
  ImGui::Spacing();
  if (builds.compiles.empty()) {
    dim_text(
        "No compiler ran while recording: the kernels came from the cache or the interpreter.");
    return;
  }
  step_list(state, "what was compiled", builds.compiles);
}

}  // namespace hypatia::gui
