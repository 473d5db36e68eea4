#include "engine/core/source_file.h"

#include <filesystem>
#include <system_error>

namespace hypatia {

namespace fs = std::filesystem;

std::string source_file(const char* named) {
  std::error_code failed;
  const fs::path path = named;
  if (path.empty() || path.is_absolute() || fs::exists(path, failed)) return named;
  fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  // The program lies in the build's folder or somewhere below it.
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path candidate = folder / path;
    if (fs::exists(candidate, failed)) return candidate.lexically_normal().string();
  }
  return named;
}

}  // namespace hypatia
