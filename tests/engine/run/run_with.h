#pragma once
// The body of a death test: a process of its own with flags of its own.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "engine/core/config.h"
#include "engine/core/text.h"

namespace hypatia {

/// Runs `body` in this process with these flags and ends it: 0, or 3 after an exception, whose text
/// it prints.
template <class Body>
[[noreturn]] void run_with(const std::string& flags, Body body) {
  config().reset();
  int code = 0;
  try {
    for (const std::string& flag : split(flags, ','))
      config().set(flag.substr(0, flag.find('=')), flag.substr(flag.find('=') + 1));
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = 3;
  }
  std::fflush(stderr);
  std::_Exit(code);
}

}  // namespace hypatia
