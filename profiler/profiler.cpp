#include "profiler/profiler.h"

namespace hypatia {

std::string profile_text(const std::string& path) {
  return text_report(*Recording::open(path));
}

}  // namespace hypatia
