// Finds the checkout, the build folder and built programs; reads and writes whole files.
#include "exercises/runner/places.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/core/file.h"

#include "exercises/runner/command.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? fs::absolute(value).lexically_normal().string() : "";
}

// The program lies in BUILD/bin, or in BUILD/exercises/runner if CMake was called by hand.
fs::path find_build_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  for (fs::path at = self.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(at / "CMakeCache.txt", ignored)) return at;
  }
  return self.parent_path().parent_path();
}

}  // namespace

const std::string& root() {
  static const std::string place = [] {
    const std::string given = from_environment("HYPATIA_ROOT");
    return given.empty() ? std::string(HYPATIA_SOURCE_DIR) : given;
  }();
  return place;
}

const std::string& build_folder() {
  static const std::string place = [] {
    const std::string given = from_environment("HYPATIA_BUILD");
    return given.empty() ? find_build_folder().string() : given;
  }();
  return place;
}

std::string state_folder() {
  const std::string folder = root() + "/.hypatia";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Stop{exit_environment, "can't make " + folder + ": " + error.message(), ""};
  return folder;
}

std::string program(std::string_view name) {
  static constexpr std::array folders{
      "bin",
      "exercises",
      "solutions",
      "exercises/runner",
      "tests",
      "gui",
      "bench",
  };
  for (const char* folder : folders) {
    const std::string path = build_folder() + "/" + folder + "/" + std::string(name);
    if (::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path)) return path;
  }
  return "";
}

bool no_setup() {
  const char* value = std::getenv("HYPATIA_NO_SETUP");
  return value && *value;
}

std::string shown(const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::path(path).lexically_relative(fs::current_path(error));
  if (error || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

std::string missing_right(const std::string& path) {
  const fs::path whole = fs::absolute(path);
  fs::path at;
  for (const fs::path& part : whole) {
    if (!at.empty() && ::access(at.c_str(), X_OK) != 0 && errno == EACCES) {
      return "you may not enter the folder " + shown(at.string()) + ": the right x is missing";
    }
    at /= part;
  }
  if (::access(at.c_str(), R_OK) != 0 && errno == EACCES) {
    return "you may not read " + shown(at.string()) + ": the right r is missing";
  }
  return "";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Stop{exit_environment, "can't read " + shown(path) + ": " + std::strerror(errno), ""};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  try {
    hypatia::write_file(path, text);
  } catch (const Error& error) {
    throw Stop{exit_environment, error.summary(), error.help()};
  }
}

}  // namespace hypatia::runner
