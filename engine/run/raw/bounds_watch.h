#pragma once
// Sees where hand-written kernels write beside their arrays, on real GPUs too.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/dtype.h"

namespace hypatia::cuda {

/// What a launch wrote beside one of its arrays.
struct WrittenBeside {
  std::string kernel, parameter;
  std::int64_t elements = 0;  // of the array
  std::int64_t count = 0;     // elements beside it that were written
  std::int64_t first = 0;     // the lowest index among them: negative before the array's beginning
};

/// While it lives, each array that a launch of this thread copies (In, Out, InOut) lies in the
/// middle of a larger allocation, whose margins of `margin` bytes hold a pattern. What a kernel
/// writes there is noted, and disturbs nothing else. A write of the pattern's own bytes is missed,
/// and so is one beyond a margin. Watches nest: the innermost one hears.
class BoundsWatch {
 public:
  static constexpr std::size_t margin = std::size_t{1} << 19;
  static constexpr std::uint8_t pattern = 0xA5;

  BoundsWatch();
  ~BoundsWatch();
  BoundsWatch(const BoundsWatch&) = delete;
  BoundsWatch& operator=(const BoundsWatch&) = delete;

  /// One entry for each argument of each launch with writes beside it, in the launches' order.
  const std::vector<WrittenBeside>& found() const { return found_; }

  /// This thread's, or null.
  static BoundsWatch* current();

  /// Notes what changed in an array's margins of `margin` bytes each.
  void look(
      WrittenBeside where, DType dtype, const std::uint8_t* before, const std::uint8_t* after);

 private:
  BoundsWatch* outer_;
  std::vector<WrittenBeside> found_;
};

}  // namespace hypatia::cuda
