#include "engine/core/warning.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "engine/core/error.h"

namespace hypatia {

namespace {

void to_stderr(const std::string& text) {
  std::fprintf(stderr, "warning: %s\n", text.c_str());
}

std::atomic<WarningHandler> current{to_stderr};

bool has_debugger() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int process = 0;
    if (word == "TracerPid:") return status >> process && process != 0;
  }
  return false;
}

}  // namespace

void warn(const std::string& text) {
  current.load()(text);
}

WarningHandler set_warning_handler(WarningHandler handler) {
  const WarningHandler before = current.exchange(handler ? handler : to_stderr);
  return before == to_stderr ? nullptr : before;
}

void report(std::string_view action, const Error& finding) {
  if (action == "ignore") return;
  if (action == "warn") return warn(finding.what());
  if (action == "pdb" && has_debugger()) std::raise(SIGTRAP);
  throw Error(finding);
}

}  // namespace hypatia
