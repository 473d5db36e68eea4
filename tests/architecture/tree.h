#pragma once
// The repository's files, as the rules about them read them.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::architecture {

/// A text file of the tree.
struct File {
  std::string path;  // relative to the root, "engine/core/array.h"
  std::string text;

  bool header() const { return path.ends_with(".h"); }

  bool source() const { return path.ends_with(".cpp"); }

  bool below(std::string_view folder) const { return path.starts_with(std::string(folder) + "/"); }
};

/// The checkout's root: HYPATIA_ROOT, else where the tests were built from.
std::string root();
/// The build folder, or "" if it is not known.
std::string build_folder();
/// C++ headers and sources of all folders, read once. Learners' edited files are left out.
const std::vector<File>& code();
/// Every text file of the repository: code, pages, scripts, build files.
const std::vector<File>& texts();
/// The lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);
/// Folders (relative to the root) that hold code directly.
std::vector<std::string> code_folders();
/// Violations as one text for a failure message.
std::string joined(const std::vector<std::string>& violations);

/// The output of a shell command and its exit code; standard error is included.
struct Answer {
  int code = 0;
  double cpu_seconds = 0;
  std::string output;
};

Answer shell(const std::string& command);

/// A folder of one test, gone at its end.
struct Scratch {
  std::filesystem::path path;

  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
};

/// True if a program of that name can be found.
bool available(const std::string& program);
/// A word quoted for the shell.
std::string quoted(const std::string& word);

}  // namespace hypatia::architecture
