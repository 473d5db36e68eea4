#pragma once
// What the check asks of the learner's ops. When the exercise is graded, these functions are in the
// learner's program, and the check gets their results.

#include <hypatia/hypatia.h>
#include <string>
#include <tuple>
#include <vector>

namespace probe {

/// The two ops: the product, and the sum and the difference.
enum Which : int { product, sum_diff };

/// What a function of an op alone gave, and how it ran.
struct Ran {
  std::vector<hypatia::Array> values;
  std::string name, source;
  int on_gpu = 0;
  int is_kernel = 0;  // 1: the op has a kernel text of its own
};

template <class R>
auto border_fields(R& ran)
    -> decltype(std::tie(ran.values, ran.name, ran.source, ran.on_gpu, ran.is_kernel)) {
  return std::tie(ran.values, ran.name, ran.source, ran.on_gpu, ran.is_kernel);
}

Ran run_op(int which, const hypatia::Array& x, const hypatia::Array& y);
/// The gradients by both inputs of the sum of one output.
std::vector<hypatia::Array> slopes_of(
    int which, int output, const hypatia::Array& x, const hypatia::Array& y);
/// How many nodes are left of an op's first result, times 2, plus 1.
int nodes_around(int which);
/// The promises that an op breaks, "" if none.
std::string broken_promises(int which, const hypatia::Array& x, const hypatia::Array& y);

}  // namespace probe
