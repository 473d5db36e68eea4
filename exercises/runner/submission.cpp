// Bundles and folders of learners' files.
#include "exercises/runner/submission.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "engine/core/error.h"
#include "engine/core/zip.h"

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_source = 1 << 20, most_history = 8 << 20, most_bundle = 64 << 20;
constexpr std::size_t most_members = 10'000;
constexpr int deepest = 4;

// A name that is safe as a file's name and in a table.
std::string tame(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    const bool plain = letter >= 0x80 || std::isalnum(letter) || c == '.' || c == '-' || c == '_' ||
                       c == '@' || c == ' ';
    text += plain ? c : '_';
  }
  while (!text.empty() && (text.front() == '.' || text.front() == ' '))
    text.erase(0, 1);
  if (text.size() > 80) text.resize(80);
  return text.empty() ? "nameless" : text;
}

std::string lower_ending(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

std::vector<Entry> history_of(const std::string& text) {
  std::vector<Entry> entries = journal_of(text);
  if (entries.size() > 100'000) entries.resize(100'000);
  return entries;
}

// Takes a file of a bundle or a folder; `size` is known before it is read.
template <class Read>
void take(Submission& to, const std::string& name, std::uintmax_t size, const Read& read) {
  const std::string last = fs::path(name).filename().string();
  const std::string id = exercise_at(name);
  const std::uintmax_t most = id.empty() ? most_history : most_source;
  if (id.empty() && last != "state.jsonl") return;
  if (size > most) {
    to.notes.push_back(
        name + " has " + std::to_string(size) + " bytes, more than " + std::to_string(most) +
        ", and is left out");
    return;
  }
  if (id.empty()) {
    to.history = history_of(read());
  } else if (!to.files.emplace(id, read()).second) {
    to.notes.push_back(name + ": the exercise is there twice; the first is graded");
  }
}

void read_manifest(Submission& to, const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return;
  if (json.contains("who") && json["who"].is_string()) to.who = tame(json["who"]);
  if (!json.contains("files") || !json["files"].is_array()) return;
  for (const nlohmann::json& file : json["files"]) {
    if (!file.is_object()) continue;
    const auto found = to.files.find(file.value("exercise", ""));
    if (found != to.files.end() && sha256(found->second) != file.value("sha256", "")) {
      to.notes.push_back(found->first + " was changed after the bundle was made");
    }
  }
}

void read_zip(Submission& to) {
  if (fs::file_size(to.path) > most_bundle) {
    to.problem = "the bundle has more than 64 MB";
    return;
  }
  const ZipReader zip(to.path, "bundle");
  if (zip.members().size() > most_members) {
    to.problem = "the bundle has thousands of files";
    return;
  }
  std::string manifest, inner;
  for (const ZipMember& member : zip.members()) {
    if (inner.empty() && lower_ending(member.name) == ".zip") inner = member.name;
    if (fs::path(member.name).filename() == "manifest.json" && member.bytes < most_history) {
      manifest = zip.unpack(member);
    }
    take(to, member.name, member.bytes, [&] { return zip.unpack(member); });
  }
  read_manifest(to, manifest);
  if (to.files.empty() && !inner.empty()) {
    to.problem =
        "it holds " + tame(fs::path(inner).filename().string()) + ": unpack it, or give that";
  }
}

void read_folder(Submission& to, const fs::path& folder, const std::string& below, int depth) {
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  if (entries.size() > most_members) entries.resize(most_members);
  for (const fs::path& path : entries) {
    const std::string name = below + path.filename().string();
    const fs::file_status status = fs::symlink_status(path);
    if (fs::is_symlink(status)) {
      to.notes.push_back(name + " is a link and is left out");
    } else if (fs::is_directory(status)) {
      if (depth < deepest) read_folder(to, path, name + "/", depth + 1);
    } else if (fs::is_regular_file(status)) {
      take(to, name, fs::file_size(path), [&] { return read_file(path.string()); });
    }
  }
}

// By its ending or its first bytes: some systems give what is handed in names of their own.
bool is_zip(const fs::path& path) {
  if (lower_ending(path) == ".zip") return true;
  std::array<char, 4> first{};
  std::ifstream(path, std::ios::binary).read(first.data(), first.size());
  return std::string_view(first.data(), first.size()) == "PK\3\4";
}

// A file beside the submissions that is none itself. What someone may have handed in, in a form
// that can't be read, must not get lost.
bool is_no_ones(const fs::path& path) {
  if (!fs::is_regular_file(fs::symlink_status(path)) || is_zip(path)) return false;
  const std::string ending = lower_ending(path);
  constexpr std::string_view handed_in[] = {
      ".cpp", ".cc", ".cu", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar"};
  return std::find(std::begin(handed_in), std::end(handed_in), ending) == std::end(handed_in);
}

// Of a folder of Moodle's, "Anna Maier_1234_assignsubmission_file_", what is the learner's.
std::string name_of_folder(const fs::path& folder) {
  const fs::path last =
      folder.filename().empty() ? folder.parent_path().filename() : folder.filename();
  const std::string name = last.string();
  const std::size_t end = name.find("_assignsubmission_");
  return tame(end == 0 ? name : name.substr(0, end));
}

// `who` unless the bundle says another; "": by the path.
Submission read_submission(const fs::path& path, const std::string& who = "") {
  Submission found;
  found.path = path.string();
  const bool folder = fs::is_directory(path);
  found.who = !who.empty() ? who : folder ? name_of_folder(path) : tame(path.stem().string());
  try {
    if (folder) {
      read_folder(found, path, "", 0);
    } else if (is_zip(path)) {
      read_zip(found);
    } else {
      found.problem = "neither a folder nor a .zip; unpack it, or ask for ./hypatia submit's";
    }
  } catch (const Stop& stop) {
    found.problem = stop.message;
  } catch (const Error& error) {
    found.problem = error.summary();
  } catch (const fs::filesystem_error& error) {
    const std::string refused = missing_right(error.path1().string());
    found.problem = refused.empty() ? error.code().message() : refused;
  }
  if (!found.problem.empty()) found.files.clear();
  if (found.problem.empty() && found.files.empty()) found.problem = "no exercise file is in it";
  return found;
}

// A folder that holds exercises itself; else it is one of submissions.
bool is_submission(const fs::path& folder) {
  for (const Exercise& exercise : course()) {
    for (const std::string& name :
         {exercise.id + "/exercise.cpp", "exercises/" + exercise.id, exercise.id + ".cpp"}) {
      if (fs::exists(fs::symlink_status(folder / name))) return true;
    }
  }
  return false;
}

// The bundles of a folder which holds nothing else of a learner's, as a download of a course
// system has one for each.
std::vector<fs::path> bundles_in(const fs::path& folder) {
  std::vector<fs::path> bundles;
  if (!fs::is_directory(fs::symlink_status(folder)) || is_submission(folder)) return bundles;
  std::error_code refused;  // told where the folder is read
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, refused)) {
    const bool file = fs::is_regular_file(fs::symlink_status(entry.path()));
    if (file && is_zip(entry.path())) bundles.push_back(entry.path());
  }
  std::sort(bundles.begin(), bundles.end());
  return bundles;
}

void add_submissions(std::vector<Submission>& to, const fs::path& entry) {
  const Submission own = read_submission(entry);
  const std::vector<fs::path> bundles =
      own.files.empty() ? bundles_in(entry) : std::vector<fs::path>{};
  if (bundles.empty()) to.push_back(own);
  for (const fs::path& bundle : bundles)
    to.push_back(read_submission(bundle, name_of_folder(entry)));
}

// When a file, or the last of a folder's, was changed.
std::time_t changed(const fs::path& path) {
  struct stat status {};

  std::time_t last = ::stat(path.c_str(), &status) == 0 ? status.st_mtime : 0;
  if (!S_ISDIR(status.st_mode)) return last;
  last = 0;
  std::error_code refused;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, refused)) {
    const bool file = fs::is_regular_file(fs::symlink_status(entry.path()));
    if (file && ::stat(entry.path().c_str(), &status) == 0) last = std::max(last, status.st_mtime);
  }
  return last;
}

std::string both_are(const Submission& a, const Submission& b) {
  const std::time_t of_a = changed(a.path), of_b = changed(b.path);
  const std::string text = a.path + " and " + b.path + " are both of " + a.who + ": ";
  if (of_a == of_b) return text + "they were changed at the same time";
  std::tm parts{};
  const std::time_t last = std::max(of_a, of_b);
  ::gmtime_r(&last, &parts);
  char when[32];
  std::strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &parts);
  return text + (of_a > of_b ? a.path : b.path) + " was changed later, on " + when;
}

void make_names_differ(std::vector<Submission>& all) {
  std::map<std::string, std::size_t> taken;  // by name, where
  for (std::size_t at = 0; at < all.size(); ++at) {
    Submission& each = all[at];
    std::string name = each.who;
    for (int i = 2; !taken.emplace(name, at).second; ++i)
      name = each.who + " (" + std::to_string(i) + ")";
    if (name == each.who) continue;
    Submission& first = all[taken.at(each.who)];
    const std::string note = both_are(first, each);
    first.notes.push_back(note);
    each.notes.push_back(note);
    each.who = name;
  }
}

}  // namespace

std::string exercise_at(const std::string& path) {
  const bool outside = path.empty() || path[0] == '/' || path.find('\\') != std::string::npos ||
                       path.find('\0') != std::string::npos;
  const fs::path parts(path);
  if (outside || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    throw Stop{
        exit_usage, "the bundle names a path outside of itself: " + tame(path).substr(0, 60), ""};
  }
  for (const Exercise& exercise : course()) {
    const bool own_folder =
        parts.filename() == "exercise.cpp" && parts.parent_path().filename() == exercise.id;
    if (own_folder || parts.filename() == exercise.id + ".cpp") return exercise.id;
  }
  return "";
}

std::vector<Submission> find_submissions(
    const std::vector<std::string>& paths, std::vector<std::string>* left_out) {
  std::vector<Submission> all;
  for (const std::string& word : paths) {
    if (!fs::exists(word)) {
      throw Stop{exit_usage, "there is no " + word, "name bundles (.zip), or a folder of them"};
    }
    if (!fs::is_directory(word) || is_submission(word)) {
      all.push_back(read_submission(word));
      continue;
    }
    std::vector<fs::path> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(word)) {
      const bool hidden = entry.path().filename().string()[0] == '.';
      // What an earlier grading wrote is no submission.
      const bool results = fs::exists(entry.path() / "grading.jsonl");
      if (!hidden && !results) entries.push_back(entry.path());
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      if (!is_no_ones(entry)) {
        add_submissions(all, entry);
      } else if (left_out) {
        left_out->push_back(entry.filename().string());
      }
    }
  }
  make_names_differ(all);
  return all;
}

std::string name_in_class(const std::string& who) {
  return tame(who);
}

std::string owner_of_bundle(const std::string& path) {
  try {
    const ZipReader zip(path, "bundle");
    for (const ZipMember& member : zip.members()) {
      if (member.name != "manifest.json" || member.bytes >= most_history) continue;
      const nlohmann::json json = nlohmann::json::parse(zip.unpack(member), nullptr, false);
      if (json.is_object() && json.contains("who") && json["who"].is_string()) return json["who"];
    }
  } catch (const Error&) {
    // No zip that can be read: none of submit's.
  }
  return "";
}

std::vector<Bundled> write_bundle(const std::string& who, const std::string& path) {
  std::vector<Bundled> all;
  nlohmann::json files = nlohmann::json::array();
  const std::vector<Entry> history = journal();
  ZipWriter zip(path);
  for (const Exercise& exercise : course()) {
    const std::string text = read_file(exercise.source());
    const std::string hash = sha256(text);
    if (hash == exercise.starter_sha256) continue;
    const std::string name = "exercises/" + exercise.id + "/exercise.cpp";
    zip.add(name, text, true);
    files.push_back({{"exercise", exercise.id}, {"path", name}, {"sha256", hash}});
    const bool passed = std::any_of(history.begin(), history.end(), [&](const Entry& entry) {
      return entry.event == "check" && entry.exercise == exercise.id && entry.sha256 == hash &&
             entry.status == "pass";
    });
    all.push_back({exercise.id, passed});
  }
  if (files.empty()) {
    throw Stop{exit_usage, "no exercise was edited: there is nothing to hand in", "./hypatia next"};
  }
  const std::string known = state_folder() + "/state.jsonl";
  if (fs::exists(known)) zip.add("state.jsonl", read_file(known), true);
  const nlohmann::json manifest{{"schema", 1}, {"who", tame(who)}, {"files", files}};
  zip.add("manifest.json", manifest.dump(2), true);
  zip.commit();
  return all;
}

}  // namespace hypatia::runner
