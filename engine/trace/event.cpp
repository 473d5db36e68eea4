#include "engine/trace/event.h"

#include <array>

namespace hypatia {

const char* name(EventKind kind) {
  static constexpr std::array<const char*, event_kind_count> names{
      "call",
      "step",
      "launch",
      "kernel",
      "copy_in",
      "copy_out",
      "copy_on",
      "fill",
      "sync",
      "allocate",
      "release",
      "compile",
      "pass",
      "overhead",
      "user",
  };
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace hypatia
