#include "engine/core/warning.h"

#include <atomic>
#include <cstdio>

namespace hypatia {

namespace {

void to_stderr(const std::string& text) {
  std::fprintf(stderr, "warning: %s\n", text.c_str());
}

std::atomic<WarningHandler> current{to_stderr};

}  // namespace

void warn(const std::string& text) {
  current.load()(text);
}

WarningHandler set_warning_handler(WarningHandler handler) {
  const WarningHandler before = current.exchange(handler ? handler : to_stderr);
  return before == to_stderr ? nullptr : before;
}

}  // namespace hypatia
