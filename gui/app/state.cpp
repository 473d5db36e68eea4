// Opening, showing and selecting.

#include "gui/app/state.h"

#include <algorithm>
#include <filesystem>
#include <imgui.h>

#include "gui/app/course.h"

namespace hypatia::gui {

AppState::AppState() : course(std::make_unique<Course>()) {}

AppState::~AppState() = default;

Document* AppState::document() {
  return shown >= 0 && shown < static_cast<int>(documents.size())
             ? documents[static_cast<std::size_t>(shown)].get()
             : nullptr;
}

const Profile* AppState::profile() {
  const Document* current = document();
  return current ? current->profile() : nullptr;
}

const Profile* AppState::baseline_profile() {
  if (baseline < 0 || baseline >= static_cast<int>(documents.size()) || baseline == shown)
    return nullptr;
  return documents[static_cast<std::size_t>(baseline)]->profile();
}

void AppState::open(const std::string& path) {
  std::error_code ignored;
  const std::string full = std::filesystem::absolute(path, ignored).string();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (documents[i]->path() != full) continue;
    documents[i]->refresh(true);
    show(static_cast<int>(i));
    return;
  }
  documents.push_back(std::make_unique<Document>(full));
  show(static_cast<int>(documents.size()) - 1);
  std::erase(recent, full);
  recent.insert(recent.begin(), full);
  if (recent.size() > 12) recent.resize(12);
}

void AppState::close(int position) {
  if (position < 0 || position >= static_cast<int>(documents.size())) return;
  documents.erase(documents.begin() + position);
  if (baseline == position) baseline = -1;
  if (baseline > position) --baseline;
  show(std::min(shown > position ? shown - 1 : shown, static_cast<int>(documents.size()) - 1));
}

void AppState::show(int position) {
  shown = std::max(position, 0);
  selection = {};
  hovered_node = hovering_node = -1;
  settings.function = -1;
  settings.time_begin = settings.time_end = 0;
  settings.graph_zoom = 0;
  settings.graph_turned.clear();
}

void AppState::select_node(int node) {
  const Profile* current = profile();
  if (node >= 0 && (!current || node >= static_cast<int>(current->nodes.size()))) return;
  selection.node = node;
  selection.track = -1;
  selection.event = -1;
}

void AppState::say(std::string text) {
  notice = text;
  notice_until = ImGui::GetTime() + 5;
  log.push_back(std::move(text));
  if (log.size() > 2000) log.pop_front();
}

}  // namespace hypatia::gui
