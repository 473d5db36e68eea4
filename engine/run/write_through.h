#pragma once
// Results that a kernel writes to the host's memory itself, instead of a copy after it.

#include <vector>

#include "engine/plan/plan.h"

namespace hypatia {

/// The kernel that writes buffer `from` may write buffer `to` in its place, and the copy between
/// them then has nothing to do.
struct WriteThrough {
  int from = -1, to = -1;
};

/// Copies from a device to a result that can be saved: of a whole temporary that one loop without
/// folds writes in order, element by element, and nothing else reads. The device's kernels must
/// reach the result's memory. A kernel's writes over the link are as fast as a copy if neighbours
/// write neighbouring elements of 4 bytes or more, and overlap with its reads.
std::vector<WriteThrough> write_through(const Plan& plan);

}  // namespace hypatia
