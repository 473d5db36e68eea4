#pragma once
// One op's kernels, run on a device by themselves.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/expr/op.h"

namespace hypatia {

/// Each byte of a result before its kernel runs, and of the memory behind it.
inline constexpr std::uint8_t trial_pattern = 0xA5;

/// What came of a trial.
struct Trial {
  bool has_text = false;  // false: the op has no text for this dialect, and nothing ran
  std::vector<Array> results;
  int changed_input = -1;  // an input that is not as it was
  bool beyond = false;     // bytes beside a result were written
  std::string error;       // what the compiler or the device said
};

/// Compiles the op's text for the device's dialect and runs it on these inputs, which lie on the
/// host; an op whose text takes any strides gets views as they lie.
Trial try_text(const Op& op, const Attrs& attrs, const std::vector<Array>& inputs, Device& device);

}  // namespace hypatia
