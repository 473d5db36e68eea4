// The journal and the snapshots below .hypatia/.
#include "exercises/runner/state.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string journal_path() {
  return state_folder() + "/state.jsonl";
}

std::string snapshot_folder(const Exercise& exercise) {
  return state_folder() + "/snapshots/" + exercise.id;
}

}  // namespace

void record(Entry entry) {
  nlohmann::json line{
      {"time", time_now()},
      {"exercise", entry.exercise},
      {"event", entry.event},
      {"sha256", entry.sha256},
  };
  if (!entry.status.empty()) line["status"] = entry.status;
  if (!entry.tags.empty()) line["tags"] = entry.tags;
  if (entry.level > 0) line["level"] = entry.level;
  if (entry.seconds > 0) line["seconds"] = entry.seconds;
  if (!entry.answers.empty()) line["answers"] = entry.answers;
  if (!entry.measured.empty()) line["measured"] = entry.measured;
  const std::string text = line.dump() + "\n";
  const int file = ::open(journal_path().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  // One write call: lines of two programs at once do not mix.
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!written) {
    throw Stop{
        exit_environment,
        "can't write " + shown(journal_path()) + ": " + std::strerror(reason),
        reason == ENOSPC ? "make room on the disk" : "work in a checkout of your own"};
  }
}

void or_warn(const char* what, const std::function<void()>& remember) {
  try {
    remember();
  } catch (const Stop& stop) {
    std::fprintf(stderr, "hypatia: %s is not remembered: %s\n", what, stop.message.c_str());
    if (!stop.help.empty()) std::fprintf(stderr, "  %s\n", stop.help.c_str());
  }
}

std::vector<Entry> journal() {
  if (!fs::exists(journal_path())) return {};
  return journal_of(read_file(journal_path()));
}

std::vector<Entry> journal_of(const std::string& text) {
  std::vector<Entry> entries;
  for (const std::string& line : lines_of(text)) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    try {
      entries.push_back({
          json.value("time", ""),
          json.value("exercise", ""),
          json.value("event", ""),
          json.value("sha256", ""),
          json.value("status", ""),
          json.value("tags", std::vector<std::string>{}),
          json.value("level", 0),
          json.value("seconds", 0.0),
          json.value("answers", std::map<std::string, double>{}),
          json.value("measured", std::map<std::string, double>{}),
      });
    } catch (const nlohmann::json::type_error&) {
      // A field of another type: a line that can't be read.
    }
  }
  return entries;
}

std::string keep_snapshot(const Exercise& exercise, const std::string& text) {
  const std::string hash = sha256(text);
  const std::string path = snapshot_folder(exercise) + "/" + hash + ".cpp";
  if (!fs::exists(path)) write_file(path, text);
  return hash;
}

std::string snapshot(const Exercise& exercise, const std::string& hash) {
  std::vector<std::string> found;
  if (fs::exists(snapshot_folder(exercise))) {
    for (const fs::directory_entry& entry : fs::directory_iterator(snapshot_folder(exercise))) {
      if (entry.path().filename().string().rfind(hash, 0) == 0) {
        found.push_back(entry.path().string());
      }
    }
  }
  if (found.size() != 1) {
    throw Stop{
        exit_usage,
        (found.empty() ? "no snapshot of " : "several snapshots of ") + exercise.id +
            " begin with '" + hash + "'",
        "./hypatia undo " + exercise.number + " --list shows them"};
  }
  return read_file(found[0]);
}

Progress progress(const Exercise& exercise) {
  Progress at;
  std::set<int> hints;
  for (const Entry& entry : journal()) {
    if (entry.exercise != exercise.id) continue;
    if (entry.event == "hint") hints.insert(entry.level);
    if (entry.event == "reset") at.passed = false;
    if (entry.event != "check") continue;
    at.tried = true;
    ++at.attempts;
    at.last_tags = entry.tags;
    at.passed = at.passed || entry.status == "pass";
  }
  at.hints = static_cast<int>(hints.size());
  return at;
}

}  // namespace hypatia::runner
