// Ops of one's own: the same descriptor as the engine's, written in one's own file. The type rule,
// the reference evaluation, the kernel in C and in CUDA C, and the gradient.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

// The result has the type of the first input.
void same_as_first(const TypeCall& call, Types& out) {
  out.push_back(call.in[0]);
}

// The elements of an input as doubles, in row-major order.
Array elements_of(const Array& x) {
  return x.copy().astype(DType::float64);
}

// 2x: a whole op, as an example.
const Op& double_op() {
  static const Op op{
      .name = "DoubleOp",
      .doc = "twice each element",
      .arity = 1,
      .infer = same_as_first,
      .lowering =
          KernelLowering{
              .host_c = "for (long i = first; i < last; ++i) z0[i] = 2 * x0[i];",
              .cuda_c = "const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i < z0_size) z0[i] = 2 * x0[i];",
          },
      .eval = [](const EvalCall& call) -> std::vector<Array> {
        Array z = elements_of(call.in[0]);
        for (double& value : z.span<double>())
          value *= 2;
        return {z.astype(call.in[0].dtype())};
      },
      .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * 2}; },
  };
  return op;
}

// x*y, element by element, of two values of the same shape.
const Op& product_op() {
  // >>> edit between these marks
  static const Op op{
      .name = "ProdOp",
      .doc = "the product of the elements at the same place",
      .arity = 2,
      .infer = same_as_first,
      .lowering =
          KernelLowering{
              .host_c = "for (long i = first; i < last; ++i) z0[i] = 2 * x0[i];",
              .cuda_c = "const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i < z0_size) z0[i] = 2 * x0[i];",
          },
      .eval = [](const EvalCall& call) -> std::vector<Array> {
        Array z = elements_of(call.in[0]);
        for (double& value : z.span<double>())
          value *= 2;
        return {z.astype(call.in[0].dtype())};
      },
      .pullback = [](const Adjoint& a) -> Vars {
        return {a.out_bar[0] * 2, Variable()};
      },
  };
  return op;
  // <<< edit between these marks
}

// x+y and x-y, two outputs of one op.
const Op& sum_diff_op() {
  // >>> edit between these marks
  static const Op op{
      .name = "SumDiffOp",
      .doc = "the sum and the difference of the elements at the same place",
      .arity = 2,
      .infer =
          [](const TypeCall& call, Types& out) {
            out = {call.in[0], call.in[0]};
          },
      .lowering = HostLowering{},  // runs by its reference evaluation, on the host
      .eval = [](const EvalCall& call) -> std::vector<Array> {
        return {call.in[0].copy(), call.in[0].copy()};
      },
  };
  return op;
  // <<< edit between these marks
}

void show(const char* title, const Op& op, const std::vector<Array>& sample) {
  const std::vector<Broken> broken = check_op(op, {sample});
  std::printf("%s\n%s\n", title, broken.empty() ? "keeps its promises\n" : to_text(broken).c_str());
}

int main() {
  auto x = matrix("x");
  auto y = matrix("y");
  RandomState rng(22);
  const Array a = rng.rand({5, 4}), b = rng.rand({5, 4});
  show("DoubleOp", double_op(), {a});
  show("ProdOp", product_op(), {a, b});
  show("SumDiffOp", sum_diff_op(), {a, b});

  const Function f = function({x}, apply(double_op(), {x}), {.name = "double"});
  const Array numbers = Array({{1, 2}, {3, 4}}).astype(config().float_x());
  std::printf("%s\n", debugprint(f).c_str());
  std::printf("2 * x =\n%s\n", to_text(Array(f(numbers))).c_str());
  std::printf("The kernel:\n%s", f.source().c_str());
  return 0;
}
