#pragma once
// A folder for one test's files, removed afterwards.

#include <filesystem>
#include <string>
#include <unistd.h>

namespace hypatia {

class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hypatia-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }

  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace hypatia
