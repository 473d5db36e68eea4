// Reads the folders of exercises and finds exercises by name.
#include "exercises/runner/course.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sheet.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

struct Read {
  std::vector<Exercise> course;
  std::vector<LeftOut> left_out;
};

// "missing: exercises/12_x/check.cpp, solutions/12_x/solution.cpp", as cmake says it; "" if all
// that its programs are built of is there.
std::string missing_parts(const std::string& id) {
  std::string missing;
  const std::string folder = root() + "/exercises/" + id;
  for (const std::string& path :
       {folder + "/exercise.json",
        folder + "/check.cpp",
        root() + "/solutions/" + id + "/solution.cpp"}) {
    if (!fs::exists(path)) missing += (missing.empty() ? "" : ", ") + shown(path);
  }
  return missing.empty() ? "" : "missing: " + missing;
}

void read_into(Read& read, const fs::path& folder) {
  const std::string id = folder.filename().string();
  try {
    const std::string missing = missing_parts(id);
    if (!missing.empty()) {
      throw Stop{
          exit_authoring,
          "exercise " + id + " is left out; " + missing,
          "./hypatia dev new writes all files of an exercise; copy what is missing from one"};
    }
    read.course.push_back(read_exercise(folder.string()));
  } catch (const Stop& stop) {
    read.left_out.push_back({id, stop});
  }
}

Read read_course() {
  static const std::regex numbered("[0-9][0-9]_.*");
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(root() + "/exercises")) {
    const bool named = std::regex_match(entry.path().filename().string(), numbered);
    if (named && entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  Read read;
  for (const fs::path& folder : folders)
    read_into(read, folder);
  return read;
}

const Read& whole_course() {
  static const Read read = read_course();
  return read;
}

// "1", "01", "exp_test" and "01_exp_test" name 01_exp_test.
bool is_named(const std::string& id, const std::string& padded) {
  return id == padded || id.substr(0, 2) == padded || id.substr(3) == padded;
}

// "01_exp_test" of "exercises/01_exp_test/exercise.cpp", from wherever it is named; other words
// stay.
std::string named_by_path(const std::string& word) {
  const fs::path path = fs::absolute(word).lexically_normal();
  const bool is_path = word.find('/') != std::string::npos || path.extension() == ".cpp";
  if (!is_path) return word;
  const fs::path below = path.lexically_relative(root());
  auto part = below.begin();
  const bool ours = part != below.end() && (*part == "exercises" || *part == "solutions");
  return ours && ++part != below.end() ? part->string() : word;
}

}  // namespace

std::string Exercise::solution() const {
  return root() + "/solutions/" + id + "/solution.cpp";
}

bool Exercise::runs_on(std::string_view spec) const {
  // "cuda1" and "sim:gtx1060" are kinds with a number or a card.
  return std::any_of(devices.begin(), devices.end(), [&](const std::string& kind) {
    return spec.substr(0, kind.size()) == kind;
  });
}

const std::vector<Exercise>& course() {
  static const bool told = [] {
    for (const LeftOut& other : left_out()) {
      std::fprintf(stderr, "hypatia: %s\n", other.why.message.c_str());
      if (!other.why.help.empty()) std::fprintf(stderr, "  %s\n", other.why.help.c_str());
    }
    return true;
  }();
  static_cast<void>(told);
  return whole_course().course;
}

const std::vector<LeftOut>& left_out() {
  return whole_course().left_out;
}

const Exercise& find_exercise(std::string_view name) {
  const std::string asked = named_by_path(std::string(name));
  const std::string padded = asked.size() == 1 ? "0" + asked : asked;
  std::vector<std::string> names, short_names;
  for (const Exercise& exercise : whole_course().course) {
    if (is_named(exercise.id, padded)) return exercise;
    names.push_back(exercise.id);
    short_names.push_back(exercise.id.substr(3));
  }
  for (const LeftOut& other : left_out()) {
    if (is_named(other.id, padded)) throw Stop{other.why};
  }
  const std::string near = near_names(padded, short_names);
  throw Stop{
      exit_usage,
      "there is no exercise '" + std::string(name) + "'",
      near.rfind("Did", 0) == 0 ? near : near_names(padded, names)};
}

void require_source(const Exercise& exercise) {
  if (std::filesystem::exists(exercise.source())) return;
  throw Stop{
      exit_no_build,
      shown(exercise.source()) + " is not there",
      "./hypatia undo " + exercise.number + " brings back what was checked last, ./hypatia reset " +
          exercise.number + " the start"};
}

const std::string& pristine(const Exercise& exercise) {
  for (const Starter& starter : starters()) {
    if (starter.id == exercise.id) return starter.text;
  }
  throw Stop{
      exit_environment,
      "the pristine starter of " + exercise.id + " is not known",
      "it was edited before the first build and is not in git's history; get a fresh copy"};
}

}  // namespace hypatia::runner
