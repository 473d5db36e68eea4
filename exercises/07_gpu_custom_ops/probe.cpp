// Functions around the learner's ops.
#include "probe.h"

using namespace hypatia;

// The learner's ops.
const Op& product_op();
const Op& sum_diff_op();

namespace probe {

namespace {

const Op& op_of(int which) {
  return which == product ? product_op() : sum_diff_op();
}

Variable seen(int view, const Variable& x) {
  switch (view) {
    case transposed:
      return x.T();
    case every_second_row:
      return x[slice(none, none, 2)];
    case columns_backwards:
      return x(every, slice(none, none, -1));
    default:
      return x;
  }
}

Ran ran(const Function& f, const Array& a, const Array& b) {
  const Results results = f(a, b);
  Ran made;
  for (const Array& value : results)
    made.values.push_back(value);
  made.source = f.source();
  return made;
}

}  // namespace

Ran run_product(const Array& a, const Array& b) {
  const Variable x = fmatrix("x"), y = fmatrix("y");
  const Vars outputs = apply_all(product_op(), {x, y});
  return ran(function({x, y}, outputs, {.on_unused_input = "ignore"}), a, b);
}

Ran run_both(int view_x, int view_y, const Array& a, const Array& b) {
  const Variable x = fmatrix("x"), y = fmatrix("y");
  const Vars outputs = apply_all(sum_diff_op(), {seen(view_x, x), seen(view_y, y)});
  return ran(function({x, y}, outputs, {.on_unused_input = "ignore"}), a, b);
}

std::vector<Array> slopes(const Array& a, const Array& b) {
  const Variable x = fmatrix("x"), y = fmatrix("y");
  const Vars both = apply_all(sum_diff_op(), {x, y});
  const Variable cost = (apply(product_op(), {both.at(0), both.at(1)})).sum();  // x² - y²
  const Vars found = grad(cost, {x, y});
  const Results results =
      function({x, y}, {found[0], found[1]}, {.on_unused_input = "ignore"})(a, b);
  return {results[0], results[1]};
}

std::string broken_promises(int which, const Array& a, const Array& b) {
  const std::vector<Array> sample{a, b};
  const std::vector<Broken> broken = check_op(op_of(which), {sample});
  return broken.empty() ? "" : name_of(which) + ": " + to_text(broken);
}

std::string name_of(int which) {
  return std::string(op_of(which).name);
}

std::string cuda_text(int which) {
  const auto* kernel = std::get_if<KernelLowering>(&op_of(which).lowering);
  return kernel ? std::string(kernel->cuda_c) : "";
}

}  // namespace probe
