// The folders tried, in order: dlopen's own, the toolkit's, those of pip and conda environments.
#include "engine/device/cuda/loader.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/core/config.h"

namespace hypatia {

namespace {

namespace fs = std::filesystem;

constexpr const char* search_variable = "HYPATIA_CUDA_LIBRARIES";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    if (end != 0) parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// pip's wheels lay libraries out as nvidia/cu13/lib (13) or nvidia/cublas/lib (12).
void add_wheels(const fs::path& packages, std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const fs::directory_entry& part : fs::directory_iterator(packages / "nvidia", ignored)) {
    const fs::path lib = part.path() / "lib";
    if (fs::is_directory(lib, ignored)) folders.push_back(lib.string());
  }
}

void add_python(const fs::path& prefix, std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", ignored)) {
    if (entry.path().filename().string().rfind("python3", 0) != 0) continue;
    add_wheels(entry.path() / "site-packages", folders);
    add_wheels(entry.path() / "dist-packages", folders);
  }
}

void add_toolkit(const std::string& root, std::vector<std::string>& folders) {
  if (root.empty()) return;
  folders.push_back(root + "/lib64");
  folders.push_back(root + "/lib");
}

}  // namespace

std::string cuda_search_key() {
  return variable(search_variable);
}

std::vector<std::string> cuda_library_folders() {
  if (std::getenv(search_variable)) return split(variable(search_variable));
  std::vector<std::string> folders{""};
  add_toolkit(config().get("cuda.root"), folders);
  add_toolkit(variable("CUDA_HOME"), folders);
  add_toolkit(variable("CUDA_PATH"), folders);
  add_toolkit("/usr/local/cuda", folders);
  folders.insert(
      folders.end(),
      {
          "/usr/lib/wsl/lib",
          "/usr/local/nvidia/lib64",
          "/usr/lib/x86_64-linux-gnu/nvidia/current",
          "/usr/lib/aarch64-linux-gnu/nvidia/current",
      });
  if (const std::string conda = variable("CONDA_PREFIX"); !conda.empty()) {
    folders.push_back(conda + "/lib");
  }
  // A virtual environment's python stands in PATH as prefix/bin.
  for (const std::string& entry : split(variable("PATH"))) {
    if (fs::path(entry).filename() == "bin") add_python(fs::path(entry).parent_path(), folders);
  }
  if (const std::string home = variable("HOME"); !home.empty())
    add_python(home + "/.local", folders);
  return folders;
}

LoadedLibrary load_cuda_library(const std::vector<std::string>& names) {
  LoadedLibrary library;
  for (const std::string& folder : cuda_library_folders()) {
    for (const std::string& name : names) {
      library.path = folder.empty() ? name : folder + "/" + name;
      std::error_code ignored;
      if (!folder.empty() && !fs::exists(library.path, ignored)) continue;
      library.handle = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_LOCAL);
      if (library.handle) return library;
      // A file that is there but does not open says more than one that is not there.
      if (!folder.empty()) library.reason = dlerror();
    }
  }
  if (library.reason.empty()) {
    library.reason = "there is no " + names.front();
    if (std::getenv(search_variable)) library.reason += " in " + variable(search_variable);
  }
  library.path.clear();
  return library;
}

}  // namespace hypatia
