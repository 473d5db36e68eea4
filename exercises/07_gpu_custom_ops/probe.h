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

/// How an input of the sum and the difference is looked at.
enum View : int { as_it_is, transposed, every_second_row, columns_backwards };

/// What a function of an op gave, and the text that ran.
struct Ran {
  std::vector<hypatia::Array> values;
  std::string source;
};

template <class R>
auto border_fields(R& ran) -> decltype(std::tie(ran.values, ran.source)) {
  return std::tie(ran.values, ran.source);
}

Ran run_product(const hypatia::Array& x, const hypatia::Array& y);
/// The sum and the difference of a view of x and one of y.
Ran run_both(int view_x, int view_y, const hypatia::Array& x, const hypatia::Array& y);
/// The gradients of the sum of (x+y)(x-y), made of both ops.
std::vector<hypatia::Array> slopes(const hypatia::Array& x, const hypatia::Array& y);
/// The promises that an op breaks, "" if none.
std::string broken_promises(int which, const hypatia::Array& x, const hypatia::Array& y);
std::string name_of(int which);
/// The op's text in CUDA C.
std::string cuda_text(int which);

}  // namespace probe
