#pragma once
// A folder of a test's own, gone when the test is.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdlib.h>
#include <string>

namespace hypatia::runner {

/// Makes an empty folder; its name has a blank on purpose.
struct Scratch {
  std::filesystem::path path;

  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hypatia test XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  ~Scratch() { std::filesystem::remove_all(path); }

  void write(const std::string& name, const std::string& text, bool program = false) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    if (program) {
      std::filesystem::permissions(
          path / name, std::filesystem::perms::owner_all | std::filesystem::perms::others_exec);
    }
  }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
};

}  // namespace hypatia::runner
