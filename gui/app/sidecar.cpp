// JSON files named by the hash of the recording's path.

#include "gui/app/sidecar.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

using Json = nlohmann::json;

std::string sidecar_path(const std::string& recording) {
  std::error_code ignored;
  const std::string full = std::filesystem::weakly_canonical(recording, ignored).string();
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a: the same in every run
  for (const char c : full)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  const std::string stem = std::filesystem::path(recording).stem().string();
  return state_folder() + "/views/" + stem + "-" + std::to_string(hash) + ".json";
}

// Null where there is no such file or it isn't JSON.
Json read_json(const std::string& path) {
  std::ifstream file(path);
  return file ? Json::parse(file, nullptr, false) : Json();
}

void write_json(const std::string& path, const Json& json) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const std::string partial = path + ".partial";
  {
    std::ofstream file(partial);
    file << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    file.flush();
    if (!file) {
      std::remove(partial.c_str());
      throw Error(
          Error::Kind::file,
          "can't keep the views' state in " + path,
          "set HYPATIA_STATE to a folder that may be written to");
    }
  }
  std::rename(partial.c_str(), path.c_str());
}

// Takes a member if it is there and of the right type.
template <class Value>
void take(const Json& json, const char* member, Value& value) {
  if (!json.is_object() || !json.contains(member)) return;
  try {
    value = json[member].get<Value>();
  } catch (const Json::exception&) {
    return;  // keep the default
  }
}

template <class Choice>
void take_choice(const Json& json, const char* member, Choice& value, int count) {
  int number = -1;
  take(json, member, number);
  if (number >= 0 && number < count) value = static_cast<Choice>(number);
}

Json to_json(const Settings& s) {
  return {
      {"view", s.view},
      {"function", s.function},
      {"filter", s.filter},
      {"bar_order", static_cast<int>(s.bar_order)},
      {"bars_per_cent", s.bars_per_cent},
      {"bars_per_call", s.bars_per_call},
      {"grouping", static_cast<int>(s.grouping)},
      {"graph_cost", static_cast<int>(s.graph_cost)},
      {"graph_bodies", s.graph_bodies},
      {"graph_turned", s.graph_turned},
      {"time_begin", s.time_begin},
      {"time_end", s.time_end},
      {"show_left", s.show_left},
      {"show_card", s.show_card},
      {"show_log", s.show_log},
      {"left_width", s.left_width},
      {"card_width", s.card_width},
      {"log_height", s.log_height},
  };
}

Settings settings_from(const Json& json) {
  Settings s;
  take(json, "view", s.view);
  take(json, "function", s.function);
  take(json, "filter", s.filter);
  take_choice(json, "bar_order", s.bar_order, 6);
  take(json, "bars_per_cent", s.bars_per_cent);
  take(json, "bars_per_call", s.bars_per_call);
  take_choice(json, "grouping", s.grouping, 5);
  take_choice(json, "graph_cost", s.graph_cost, 5);
  take(json, "graph_bodies", s.graph_bodies);
  take(json, "graph_turned", s.graph_turned);
  take(json, "time_begin", s.time_begin);
  take(json, "time_end", s.time_end);
  take(json, "show_left", s.show_left);
  take(json, "show_card", s.show_card);
  take(json, "show_log", s.show_log);
  take(json, "left_width", s.left_width);
  take(json, "card_width", s.card_width);
  take(json, "log_height", s.log_height);
  return s;
}

std::vector<Note> notes_from(const Json& json) {
  std::vector<Note> notes;
  if (!json.is_object() || !json.contains("notes") || !json["notes"].is_array()) return notes;
  for (const Json& item : json["notes"]) {
    Note note;
    take(item, "node", note.node);
    take(item, "begin", note.begin);
    take(item, "end", note.end);
    take(item, "text", note.text);
    notes.push_back(note);
  }
  return notes;
}

Json to_json(const std::vector<Note>& notes) {
  Json json = Json::array();
  for (const Note& note : notes)
    json.push_back(
        {{"node", note.node}, {"begin", note.begin}, {"end", note.end}, {"text", note.text}});
  return json;
}

}  // namespace

std::string state_folder() {
  if (const char* own = std::getenv("HYPATIA_STATE"); own && *own) return own;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::string(state) + "/hypatia";
  const char* home = std::getenv("HOME");
  return std::string(home && *home ? home : "/tmp") + "/.local/state/hypatia";
}

Sidecar load_sidecar(const std::string& recording) {
  const Json json = read_json(sidecar_path(recording));
  Sidecar sidecar;
  if (!json.is_object()) return sidecar;
  if (json.contains("settings")) sidecar.settings = settings_from(json["settings"]);
  sidecar.notes = notes_from(json);
  return sidecar;
}

std::string notes_path(const std::string& recording) {
  return recording + ".notes.json";
}

std::vector<Note> load_handed_out(const std::string& recording) {
  return notes_from(read_json(notes_path(recording)));
}

void hand_out(const std::string& recording, const std::vector<Note>& notes) {
  write_json(notes_path(recording), {{"notes", to_json(notes)}});
}

void save_sidecar(const std::string& recording, const Sidecar& sidecar) {
  write_json(
      sidecar_path(recording),
      {{"recording", recording},
       {"settings", to_json(sidecar.settings)},
       {"notes", to_json(sidecar.notes)}});
}

Preferences load_preferences() {
  const Json json = read_json(state_folder() + "/gui.json");
  Preferences preferences;
  take_choice(json, "theme", preferences.theme, 2);
  take(json, "scale", preferences.scale);
  preferences.scale = std::clamp(preferences.scale, 0.5F, 3.0F);
  take(json, "recent", preferences.recent);
  return preferences;
}

void save_preferences(const Preferences& preferences) {
  write_json(
      state_folder() + "/gui.json",
      {{"theme", static_cast<int>(preferences.theme)},
       {"scale", preferences.scale},
       {"recent", preferences.recent}});
}

}  // namespace hypatia::gui
