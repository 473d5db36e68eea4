// Walks the tree below its fixed top-level folders.
#include "tests/architecture/tree.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "exercises/runner/course.h"
#include "exercises/runner/process.h"
#include "exercises/runner/sha256.h"
#include "tests/checkout.h"

namespace hypatia::architecture {

namespace fs = std::filesystem;

namespace {

constexpr const char* top_folders[] = {
    "engine",
    "profiler",
    "exercises",
    "solutions",
    "bench",
    "gui",
    "tests",
    "docs",
    "cmake",
    ".ci",
};
constexpr const char* top_files[] = {
    "README.md",
    "CMakeLists.txt",
    "CMakePresets.json",
    "hypatia",
    ".clang-tidy",
    ".gitignore",
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_text(const fs::path& path) {
  static const std::set<std::string> kinds{
      ".h",
      ".cpp",
      ".md",
      ".txt",
      ".cmake",
      ".json",
      ".py",
      ".sh",
      ".patch",
      ".cu",
      ".c",
      "",
  };
  return kinds.count(path.extension().string()) > 0;
}

// A learner's own version of an exercise is not the project's text.
bool edited_exercise(const std::string& path, const std::string& text) {
  if (!path.starts_with("exercises/") || !path.ends_with("/exercise.cpp")) return false;
  const std::string sheet = read(fs::path(root()) / fs::path(path).parent_path() / "exercise.json");
  return sheet.find(runner::sha256(text)) == std::string::npos;
}

std::vector<File> read_all() {
  std::vector<File> files;
  for (const char* name : top_files) {
    if (fs::exists(fs::path(root()) / name)) files.push_back({name, read(fs::path(root()) / name)});
  }
  for (const char* folder : top_folders) {
    if (!fs::exists(fs::path(root()) / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root()) / folder)) {
      if (!entry.is_regular_file() || !is_text(entry.path())) continue;
      const std::string path = entry.path().lexically_relative(root()).string();
      if (path.find("__pycache__") != std::string::npos) continue;
      std::string text = read(entry.path());
      if (!edited_exercise(path, text)) files.push_back({path, std::move(text)});
    }
  }
  std::sort(
      files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::string root() {
  const char* given = std::getenv("HYPATIA_ROOT");
  return given && *given ? given : tests::checkout();
}

std::string build_folder() {
  const char* given = std::getenv("HYPATIA_BUILD");
  if (given && *given) return given;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (fs::path at = self.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / "CMakeCache.txt", error)) return at.string();
  }
  return "";
}

const std::vector<File>& texts() {
  static const std::vector<File> all = read_all();
  return all;
}

const std::vector<File>& code() {
  static const std::vector<File> all = [] {
    std::vector<File> some;
    for (const File& file : texts()) {
      if (file.header() || file.source()) some.push_back(file);
    }
    return some;
  }();
  return all;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> code_folders() {
  std::set<std::string> folders;
  for (const File& file : code())
    folders.insert(fs::path(file.path).parent_path().string());
  return {folders.begin(), folders.end()};
}

std::string joined(const std::vector<std::string>& violations) {
  std::string text;
  for (const std::string& violation : violations)
    text += "\n  " + violation;
  return text;
}

Answer shell(const std::string& command) {
  runner::Task task;
  task.words = {"bash", "-c", command};
  task.limit_seconds = 300;
  const runner::Outcome outcome = runner::run(task);
  const int code = outcome.good() ? 0 : outcome.code + outcome.signal + 1;
  return {code, outcome.cpu_seconds, outcome.output};
}

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "hypatia_XXXXXX").string();
  path = ::mkdtemp(pattern.data());
}

Scratch::~Scratch() {
  fs::remove_all(path);
}

bool available(const std::string& program) {
  return shell("command -v " + quoted(program)).code == 0;
}

std::string quoted(const std::string& word) {
  return "'" + word + "'";
}

}  // namespace hypatia::architecture
