// The course: exercises with their state, and buttons that run, check and profile them with their
// output beside.

#include "gui/app/course.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

#include "gui/app/editor.h"
#include "gui/app/sidecar.h"
#include "gui/model/source_line.h"
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

std::vector<std::string> recorded_run(const Choice& choice, bool solution) {
  const char* device = devices[static_cast<std::size_t>(choice.device)];
  std::vector<std::string> words = {"run", choice.id, "--device", device};
  if (solution) words.emplace_back("--solution");
  words.emplace_back("--profile");
  words.push_back(recording_path(choice.id, device, solution));
  return words;
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

// The exercise's file is where the course is.
void edit(AppState& state, const std::string& id) {
  const std::string place = "exercises/" + id + "/exercise.cpp";
  const char* root = std::getenv("HYPATIA_ROOT");
  const Origin origin{place.c_str(), "", 1};
  const std::string file =
      root ? std::string(root) + "/" + place : source_file(RecordingHeader{}, origin);
  if (file.empty() || !std::filesystem::exists(file))
    state.say(place + " was not found from this folder.");
  else
    open_in_editor(state, file, 1);
}

void buttons(AppState& state, Choice& choice) {
  choose(state, "device", {"cpu", "simulated GPU", "GPU"}, choice.device);
  Course& course = *state.course;
  ImGui::BeginDisabled(course.busy() || choice.id.empty());
  bool first = true;
  const auto button = [&](const char* word) {
    if (!first) ImGui::SameLine();
    first = false;
    const float width = ImGui::CalcTextSize(word).x + ImGui::GetStyle().FramePadding.x * 2;
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    const bool clicked = ImGui::Button(word);
    state.probe.mark_item(std::string("course/") + word);
    return clicked;
  };
  const char* device = devices[static_cast<std::size_t>(choice.device)];
  if (button("edit")) edit(state, choice.id);
  if (button("run")) course.start({"run", choice.id, "--device", device});
  if (button("check")) course.start({"check", choice.id, "--device", device});
  if (button("hint")) course.start({"hint", choice.id});
  if (button("profile")) course.start(recorded_run(choice, false), Aim::profile);
  if (button("profile the solution")) course.start(recorded_run(choice, true), Aim::profile);
  if (button("beside the solution")) course.start({"compare", choice.id, "--device", device});
  if (button("compare with the solution"))
    course.start(recorded_run(choice, false), Aim::comparison, recorded_run(choice, true));
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!course.busy());
  if (button("stop")) course.stop();
  ImGui::EndDisabled();
}

/// What a command's end means to whoever started it.
struct Verdict {
  Tone tone;
  const char* word;  // for scripts
  const char* text;
};

// By the runner's exit codes.
Verdict verdict_of(const Course& course) {
  if (course.busy()) return {Tone::text_dim, "running", "running …"};
  const bool check = course.title().starts_with("check");
  switch (course.status()) {
    case 0:
      return {Tone::good, "passed", check ? "passed" : "done"};
    case 1:
      return {Tone::warning, "not yet", "not yet: the lines below say what is missing"};
    case 3:
      return {Tone::bad, "no build", "it does not compile: see the first error below"};
    case 4:
      return {Tone::bad, "timeout", "stopped: it took too long"};
    case 5:
      return {Tone::bad, "crash", "it crashed: see below"};
    case 6:
    case 7:
      return {Tone::warning, "environment", "this machine lacks something: see below"};
    default:
      return {Tone::bad, "failed", "it ended with an error: see below"};
  }
}

void verdict(AppState& state) {
  const Course& course = *state.course;
  const Verdict verdict = verdict_of(course);
  dim_text("hypatia " + course.title());
  {
    const WithFont large(Face::large);
    ImGui::TextColored(color_vector(verdict.tone), "%s", verdict.text);
  }
  state.probe.mark_item(std::string("course/verdict/") + verdict.word);
  if (!course.busy()) state.probe.mark_item("course/ended");
}

// What the command has recorded until now: its most expensive nodes, while it runs.
void live_profile(AppState& state) {
  const Course& course = *state.course;
  if (!course.busy() || course.recording().empty()) return;
  const Profile* profile = state.profile();
  if (!profile || state.document()->path() != course.recording() || profile->nodes.empty()) return;
  dim_text(fmt::format(
      "recorded until now: {}, {}", counted(profile->calls, "call"), time_text(profile->length())));
  state.probe.mark_item("course/live");
  std::vector<int> nodes(profile->nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    nodes[i] = static_cast<int>(i);
  const auto shown = static_cast<std::ptrdiff_t>(std::min<std::size_t>(nodes.size(), 5));
  std::partial_sort(nodes.begin(), nodes.begin() + shown, nodes.end(), [&](int a, int b) {
    return profile->node(a).costs().total() > profile->node(b).costs().total();
  });
  const Canvas canvas(
      "live", {ImGui::GetContentRegionAvail().x, em(1.5F) * static_cast<float>(shown)});
  const double longest = profile->node(nodes[0]).costs().total();
  const float names = std::min(em(18), canvas.width() * 0.4F);
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const NodeStats& node = profile->node(nodes[static_cast<std::size_t>(i)]);
    const ImVec2 low{canvas.low.x, canvas.low.y + em(1.5F) * static_cast<float>(i)};
    draw_text(low, names - em(0.5F), color(Tone::text), node.record->name);
    const float room = canvas.width() - names - em(6);
    if (longest > 0)
      draw_costs(
          {low.x + names, low.y + em(0.1F)},
          em(0.9F),
          node.costs(),
          static_cast<double>(room) / longest);
    draw_text(
        {canvas.high.x - em(5.5F), low.y},
        em(5.5F),
        color(Tone::text_dim),
        time_text(node.costs().total()),
        Align::right);
  }
}

void output(AppState& state) {
  const Course& course = *state.course;
  if (course.title().empty()) return;
  verdict(state);
  live_profile(state);
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
  const float rows = static_cast<float>(state.course->exercises().size());
  const float wanted = rows * ImGui::GetTextLineHeightWithSpacing() + em(0.6F);
  ImGui::BeginChild(
      "exercises", {0, std::min(wanted, room * (state.course->title().empty() ? 0.85F : 0.45F))});
  list(state, choice);
  ImGui::EndChild();
  buttons(state, choice);
  output(state);
}

}  // namespace hypatia::gui
