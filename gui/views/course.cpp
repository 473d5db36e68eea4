// The course: exercises with their state, and buttons that run, check and profile them with their
// output beside.

#include "gui/app/course.h"

#include <fmt/format.h>
#include <unistd.h>

#include "gui/app/sidecar.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// Which exercise the buttons are for, and on which device they run it.
struct Choice {
  std::string id;
  int device = 0;
};

constexpr std::array<const char*, 3> devices = {"cpu", "sim", "cuda"};

std::string recording_path(const std::string& id, const char* device, bool solution) {
  return fmt::format(
      "{}/recordings/{}-{}{}.hyp", state_folder(), id, device, solution ? "-solution" : "");
}

void start_profile(AppState& state, const Choice& choice, bool solution) {
  const char* device = devices[static_cast<std::size_t>(choice.device)];
  std::vector<std::string> arguments = {"run", choice.id, "--device", device};
  if (solution) arguments.emplace_back("--solution");
  arguments.emplace_back("--profile");
  arguments.push_back(recording_path(choice.id, device, solution));
  state.course->start(arguments);
}

void list(AppState& state, Choice& choice) {
  for (const Exercise& exercise : state.course->exercises()) {
    const Tone mark = exercise.state == "passed" ? Tone::good
                      : exercise.attempts > 0    ? Tone::warning
                                                 : Tone::border;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {at.x + em(0.5F), at.y + ImGui::GetTextLineHeight() / 2}, em(0.3F), color(mark));
    ImGui::Dummy({em(1), ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, em(0.4F));
    const std::string text =
        exercise.title.empty() ? exercise.id : exercise.id + "   " + exercise.title;
    ImGui::PushID(exercise.id.c_str());
    if (ImGui::Selectable(
            fit_label(text, ImGui::GetContentRegionAvail().x).c_str(), exercise.id == choice.id))
      choice.id = exercise.id;
    ImGui::PopID();
    state.probe.mark_item("exercise/" + exercise.id);
  }
}

void buttons(AppState& state, Choice& choice) {
  choose(state, "device", {"cpu", "simulated GPU", "GPU"}, choice.device);
  const bool busy = state.course->running();
  ImGui::BeginDisabled(busy || choice.id.empty());
  const auto button = [&](const char* word) {
    const bool clicked = ImGui::Button(word);
    state.probe.mark_item(std::string("course/") + word);
    ImGui::SameLine();
    return clicked;
  };
  const char* device = devices[static_cast<std::size_t>(choice.device)];
  if (button("run")) state.course->start({"run", choice.id, "--device", device});
  if (button("check")) state.course->start({"check", choice.id});
  if (button("hint")) state.course->start({"hint", choice.id});
  if (button("profile")) start_profile(state, choice, false);
  if (button("profile the solution")) start_profile(state, choice, true);
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!busy);
  if (ImGui::Button("stop")) state.course->stop();
  ImGui::EndDisabled();
}

void output(AppState& state) {
  const Course& course = *state.course;
  if (course.title().empty()) return;
  const std::string status = course.running() ? "running …"
                             : course.status() == 0
                                 ? "done"
                                 : fmt::format("ended with status {}", course.status());
  dim_text("hypatia " + course.title() + "   " + status);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, color(Tone::panel));
  ImGui::BeginChild("output", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
  {
    const WithFont mono(Face::mono);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(course.lines().size()));
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
        ImGui::TextUnformatted(course.lines()[static_cast<std::size_t>(i)].c_str());
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

}  // namespace

void draw_course(AppState& state) {
  Choice& choice = state.kept<Choice>("course");
  state.course->list();
  if (state.course->exercises().empty()) {
    if (state.course->running())
      empty_message("Asking for the exercises …", "");
    else
      empty_message(
          "The course is not here.",
          "Start the GUI in the suite's folder, or set HYPATIA_COMMAND to its program.");
    return;
  }
  const float room = ImGui::GetContentRegionAvail().y;
  ImGui::BeginChild("exercises", {0, room * (state.course->title().empty() ? 0.85F : 0.45F)});
  list(state, choice);
  ImGui::EndChild();
  buttons(state, choice);
  output(state);
}

}  // namespace hypatia::gui
