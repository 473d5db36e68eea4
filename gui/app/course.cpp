// The runner's JSON in, its exercises out; recordings are found in its arguments.

#include "gui/app/course.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

using Json = nlohmann::json;

std::string text(const Json& json, std::initializer_list<const char*> members) {
  for (const char* member : members)
    if (json.contains(member) && json[member].is_string()) return json[member].get<std::string>();
  return "";
}

// The launcher in `folder` or in one that holds it; empty if there is none.
std::string launcher_above(std::filesystem::path folder) {
  while (!folder.empty()) {
    std::error_code failed;
    const auto candidate = folder / "hypatia";
    if (std::filesystem::is_regular_file(candidate, failed)) return candidate.string();
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return "";
}

}  // namespace

std::string Course::command() {
  if (const char* own = std::getenv("HYPATIA_COMMAND"); own && *own) return own;
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  // Beside this program in a build; the launcher would look for something to build first.
  const auto built = program.parent_path() / "hypatia";
  if (std::filesystem::is_regular_file(built, failed)) return built.string();
  const auto here = std::filesystem::current_path(failed);
  for (const auto& folder : {here, program.parent_path()}) {
    std::string found = launcher_above(folder);
    if (!found.empty()) return found;
  }
  return "hypatia";
}

void Course::list(bool again) {
  if ((listed_ && !again) || listing_.running()) return;
  listed_ = true;
  list_lines_.clear();
  try {
    listing_.start({command(), "list", "--json"});
  } catch (const Error& error) {
    error_ = error.summary();
  }
}

void Course::start(
    const std::vector<std::string>& arguments, Aim aim, std::vector<std::string> next) {
  lines_.clear();
  recordings_.clear();
  aim_ = aim;
  next_ = std::move(next);
  end_ = false;
  launch(arguments);
}

void Course::launch(const std::vector<std::string>& arguments) {
  title_.clear();
  recording_.clear();
  opened_ = false;
  std::vector<std::string> all = {command()};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    all.push_back(arguments[i]);
    title_ += (i ? " " : "") + arguments[i];
    if (i > 0 && arguments[i - 1] == "--profile") recording_ = arguments[i];
  }
  if (!recording_.empty()) {
    // What is read while the command runs must be its own.
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(recording_).parent_path(), ignored);
    for (const char* part : {"", "-wal", "-shm"})
      std::filesystem::remove(recording_ + part, ignored);
    recordings_.push_back(recording_);
  }
  try {
    process_.start(all);
  } catch (const Error& error) {
    next_.clear();
    lines_.push_back(error.summary());
  }
}

// After the running command: the next one, or the end of them all.
void Course::ended() {
  if (title_.starts_with("check") || title_.starts_with("hint")) list(true);
  if (process_.status() != 0) {
    next_.clear();
    return;
  }
  if (next_.empty()) {
    end_ = true;
    return;
  }
  launch(std::exchange(next_, {}));
}

bool Course::poll() {
  const bool was_running = process_.running();
  bool changed = process_.poll();
  for (std::string& line : process_.take_lines())
    lines_.push_back(std::move(line));
  if (was_running && !process_.running()) ended();
  const bool was_listing = listing_.running();
  changed = listing_.poll() || changed;
  for (std::string& line : listing_.take_lines())
    list_lines_.push_back(std::move(line));
  if (was_listing && !listing_.running()) read_list(list_lines_);
  return changed;
}

void Course::read_list(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines)
    all += line + "\n";
  const std::size_t first = all.find_first_of("[{");
  Json json = first == std::string::npos ? Json() : Json::parse(all.substr(first), nullptr, false);
  if (json.is_object() && json.contains("exercises")) json = json["exercises"];
  if (!json.is_array()) {
    error_ = "`" + command() + " list --json` gave no list of exercises (exit status " +
             std::to_string(listing_.status()) + ")";
    return;
  }
  error_.clear();
  exercises_.clear();
  for (const Json& item : json) {
    if (!item.is_object()) continue;
    Exercise exercise;
    exercise.id = text(item, {"id", "name"});
    exercise.title = text(item, {"title"});
    exercise.state = text(item, {"state", "status"});
    if (item.contains("attempts") && item["attempts"].is_number_integer())
      exercise.attempts = item["attempts"].get<int>();
    if (!exercise.id.empty()) exercises_.push_back(std::move(exercise));
  }
}

std::string Course::take_recording() {
  std::error_code ignored;
  if (opened_ || recording_.empty() || !std::filesystem::exists(recording_, ignored)) return "";
  opened_ = true;
  return recording_;
}

bool Course::take_end(Aim& aim, std::vector<std::string>& recordings) {
  if (!end_) return false;
  end_ = false;
  aim = aim_;
  recordings = recordings_;
  return true;
}

}  // namespace hypatia::gui
