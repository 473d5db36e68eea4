// Functions around the learner's ops.
#include "probe.h"

using namespace hypatia;

// The learner's ops.
const Op& product_op();
const Op& sum_diff_op();

namespace probe {

namespace {

// While it lives, no call is answered by the reference evaluation because the kernel is still being
// compiled.
struct KernelsOnly {
  ChangeFlags flags{{{"compile.background", "False"}}};
};

const Op& op_of(int which) {
  return which == product ? product_op() : sum_diff_op();
}

}  // namespace

Ran run_op(int which, const Array& a, const Array& b) {
  auto x = matrix("x");
  auto y = matrix("y");
  const Op& op = op_of(which);
  const KernelsOnly kernels;
  const Function f = function({x, y}, apply_all(op, {x, y}), {.on_unused_input = "ignore"});
  const Results results = f(a, b);
  Ran ran;
  for (const Array& value : results)
    ran.values.push_back(value);
  ran.name = op.name;
  ran.source = f.source();
  ran.on_gpu = f.uses_gpu() ? 1 : 0;
  ran.is_kernel = op.is_kernel() ? 1 : 0;
  return ran;
}

std::vector<Array> slopes_of(int which, int output, const Array& a, const Array& b) {
  auto x = matrix("x");
  auto y = matrix("y");
  const Vars outputs = apply_all(op_of(which), {x, y});
  const Vars slopes = grad(outputs.at(static_cast<std::size_t>(output)).sum(), {x, y});
  const Results results =
      function({x, y}, {slopes[0], slopes[1]}, {.on_unused_input = "ignore"})(a, b);
  return {results[0], results[1]};
}

int nodes_around(int which) {
  auto x = matrix("x");
  auto y = matrix("y");
  const Function f = function({x, y}, apply_all(op_of(which), {x, y}).at(0) * 2 + 1);
  return static_cast<int>(f.toposort().size());
}

std::string broken_promises(int which, const Array& a, const Array& b) {
  const KernelsOnly kernels;
  const std::vector<Array> sample{a, b};
  const std::vector<Broken> broken = check_op(op_of(which), {sample});
  return broken.empty() ? "" : std::string(op_of(which).name) + ": " + to_text(broken);
}

}  // namespace probe
