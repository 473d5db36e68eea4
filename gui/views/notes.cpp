// Notes on nodes and ranges, kept beside the recording.

#include <fmt/format.h>

#include "gui/app/session.h"
#include "gui/views/draw.h"
#include "gui/views/views.h"

namespace hypatia::gui {

namespace {

/// The note being written.
struct Draft {
  std::string text;
};

std::string subject(const AppState& state, const Profile& profile) {
  if (state.selection.has_range())
    return fmt::format(
        "the range {} to {}",
        time_text(state.selection.range_begin),
        time_text(state.selection.range_end));
  if (state.selection.node >= 0) return profile.node(state.selection.node).record->name;
  return "the whole recording";
}

void add(AppState& state, const Profile& profile, Draft& draft) {
  Note note;
  note.text = draft.text;
  if (state.selection.has_range()) {
    note.begin = state.selection.range_begin;
    note.end = state.selection.range_end;
  } else if (state.selection.node >= 0) {
    note.node = profile.node(state.selection.node).record->name;
  }
  state.sidecar.notes.push_back(std::move(note));
  draft.text.clear();
  save_session(state);
}

void go_to(AppState& state, const Profile& profile, const Note& note) {
  if (note.end > note.begin) {
    state.selection.range_begin = note.begin;
    state.selection.range_end = note.end;
    state.settings.view = "timeline";
    return;
  }
  for (int i = 0; i < static_cast<int>(profile.nodes.size()); ++i)
    if (profile.node(i).record->name == note.node) {
      state.select_node(i);
      return;
    }
}

// A teacher's way to give notes along with a recording.
void hand_out_button(AppState& state) {
  const std::string& path = state.sidecar_path;
  if (path.empty()) return;
  if (ImGui::Button("hand out with the recording")) {
    try {
      hand_out(path, state.sidecar.notes);
      state.sidecar.handed_out = state.sidecar.notes;
      state.say("Whoever gets " + notes_path(path) + " beside the recording sees these notes.");
    } catch (const Error& error) {
      state.say(error.summary());
    }
  }
  state.probe.mark_item("notes/hand out");
}

void handed_out(AppState& state, const Profile& profile) {
  if (state.sidecar.handed_out.empty()) return;
  ImGui::Dummy({0, em(0.6F)});
  {
    const WithFont bold(Face::bold);
    ImGui::TextUnformatted("From the teacher");
  }
  int number = 0;
  for (const Note& note : state.sidecar.handed_out) {
    ImGui::PushID(++number);
    ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::accent));
    const std::string on = note.node.empty() ? "the recording" : note.node;
    if (ImGui::Selectable(fit_label(on, ImGui::GetContentRegionAvail().x).c_str()))
      go_to(state, profile, note);
    ImGui::PopStyleColor();
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(note.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopID();
  }
}

}  // namespace

void draw_notes(AppState& state) {
  const Profile& profile = *state.profile();
  Draft& draft = state.kept<Draft>("notes");
  dim_text(fit_text("On " + subject(state, profile), ImGui::GetContentRegionAvail().x));
  ImGui::SetNextItemWidth(-em(6));
  if (state.focus_note) ImGui::SetKeyboardFocusHere();
  state.focus_note = false;
  text_field("##note", "Write what you see", draft.text);
  state.probe.mark_item("notes/field");
  ImGui::SameLine();
  if (ImGui::Button("add") && !draft.text.empty()) add(state, profile, draft);
  state.probe.mark_item("notes/add");
  ImGui::Spacing();
  int gone = -1;
  for (int i = 0; i < static_cast<int>(state.sidecar.notes.size()); ++i) {
    const Note& note = state.sidecar.notes[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    const std::string on = !note.node.empty() ? note.node
                           : note.end > note.begin
                               ? time_text(note.begin) + " to " + time_text(note.end)
                               : "the whole recording";
    ImGui::PushStyleColor(ImGuiCol_Text, color(Tone::accent));
    const float room = ImGui::GetContentRegionAvail().x - em(6);
    if (ImGui::Selectable(fit_label(on, room).c_str(), false, 0, {room, 0}))
      go_to(state, profile, note);
    ImGui::PopStyleColor();
    ImGui::SameLine();
    if (ImGui::SmallButton("remove")) gone = i;
    ImGui::PushTextWrapPos();
    ImGui::TextUnformatted(note.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    ImGui::PopID();
  }
  if (state.sidecar.notes.empty())
    dim_text("No notes yet. They are kept beside the recording, never in it.");
  else
    hand_out_button(state);
  handed_out(state, profile);
  if (gone < 0) return;
  state.sidecar.notes.erase(state.sidecar.notes.begin() + gone);
  save_session(state);
}

}  // namespace hypatia::gui
