// Kernels inside ops: CUDA C written by hand becomes a node of a graph, with a launch of its own, a
// gradient, several outputs, and inputs that are read where they lie.
#include <algorithm>
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

// The result has the type of the first input.
void same_as_first(const TypeCall& call, Types& out) {
  out.push_back(call.in[0]);
}

// Two results of the type of the first input.
void two_as_first(const TypeCall& call, Types& out) {
  out = {call.in[0], call.in[0]};
}

// The elements of an input as doubles, in row-major order.
Array elements_of(const Array& x) {
  return x.copy().astype(DType::float64);
}

// As many whole blocks as hold `threads` threads, and at least one.
std::uint32_t blocks_for(std::int64_t items, std::int64_t threads) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, (items + threads - 1) / threads));
}

// A thread for each element of the result, 512 in a block.
KernelGrid in_a_row(const CostCall& call) {
  const Dims& dims = call.out[0].dims();
  return {.grid = {blocks_for(dims[0] * dims[1], 512), 1, 1}, .block = {512, 1, 1}};
}

// A thread for each element of the result, in blocks of 16 rows and 16 columns.
KernelGrid in_tiles(const CostCall& call) {
  const Dims& dims = call.out[0].dims();
  return {.grid = {blocks_for(dims[1], 16), blocks_for(dims[0], 16), 1}, .block = {16, 16, 1}};
}

// 2x of a matrix: a whole op, as an example. It has no text in C: on the CPU `eval` does the work.
const Op& double_op() {
  static const Op op{
      .name = "DoubleOp",
      .doc = "twice each element of a matrix",
      .arity = 1,
      .infer = same_as_first,
      .lowering =
          KernelLowering{
              .cuda_c = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i < z0_size) z0[i] = 2 * x0[i];",
              .grid = in_a_row,
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

// x*y, element by element, of two matrices of the same shape.
const Op& product_op() {
  static const Op op{
      .name = "ProdOp",
      .doc = "the product of the elements at the same place",
      .arity = 2,
      .infer = same_as_first,
      .lowering =
          KernelLowering{
              .cuda_c = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "if (i < z0_size) z0[i] = x0[i] * x1[i];",
              .grid = in_a_row,
          },
      .eval = [](const EvalCall& call) -> std::vector<Array> {
        Array z = elements_of(call.in[0]);
        const Array y = elements_of(call.in[1]);
        for (std::int64_t i = 0; i < z.elements(); ++i)
          z.data<double>()[i] *= y.data<double>()[i];
        return {z.astype(call.in[0].dtype())};
      },
      .pullback = [](const Adjoint& a) -> Vars {
        return {a.out_bar[0] * a.in[1], a.out_bar[0] * a.in[0]};
      },
  };
  return op;
}

// x+y and x-y of two matrices of the same shape, by one kernel that takes views as they lie.
const Op& sum_diff_op() {
  static const Op op{
      .name = "SumDiffOp",
      .doc = "the sum and the difference of the elements at the same place",
      .arity = 2,
      .infer = two_as_first,
      .lowering =
          KernelLowering{
              .cuda_c = "const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "const int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                        "if (row >= z0_dim0 || column >= z0_dim1) return;\n"
                        "const x0_t a = x0[row * x0_stride0 + column * x0_stride1];\n"
                        "const x1_t b = x1[row * x1_stride0 + column * x1_stride1];\n"
                        "const long long i = row * z0_dim1 + column;\n"
                        "z0[i] = a + b;\n"
                        "z1[i] = a - b;",
              .grid = in_tiles,
              .strided = true,
          },
      .eval = [](const EvalCall& call) -> std::vector<Array> {
        Array s = elements_of(call.in[0]), d = elements_of(call.in[0]);
        const Array y = elements_of(call.in[1]);
        for (std::int64_t i = 0; i < s.elements(); ++i) {
          s.data<double>()[i] += y.data<double>()[i];
          d.data<double>()[i] -= y.data<double>()[i];
        }
        return {s.astype(call.in[0].dtype()), d.astype(call.in[0].dtype())};
      },
      .pullback = [](const Adjoint& a) -> Vars {
        // An output that the cost does not use has no gradient: it counts as zero.
        const Variable s = a.out_bar[0] ? a.out_bar[0] : zeros_like(a.out[0]);
        const Variable d = a.out_bar[1] ? a.out_bar[1] : zeros_like(a.out[1]);
        return {s + d, s - d};
      },
  };
  return op;
}

void show(const char* title, const Op& op, const std::vector<Array>& sample) {
  const std::vector<Broken> broken = check_op(op, {sample});
  std::printf("%s\n%s\n", title, broken.empty() ? "keeps its promises\n" : to_text(broken).c_str());
}

int main() {
  RandomState rng(22);
  const Array a = rng.rand({20, 10}), b = rng.rand({20, 10});
  show("DoubleOp", double_op(), {a});
  show("ProdOp", product_op(), {a, b});
  show("SumDiffOp", sum_diff_op(), {a, b});

  const Variable x = fmatrix("x");
  const Function twice = function({x}, apply(double_op(), {x}), {.name = "twice"});
  const Array ones = Array::ones(DType::float32, {4, 5});
  std::printf("2 * ones =\n%s\n\n", to_text(Array(twice(ones))).c_str());

  // y upside down and x on its side: views, the same bytes looked at in another way.
  const Variable y = fmatrix("y");
  const Variable flipped = y[slice(none, none, -1)];
  const Vars both = apply_all(sum_diff_op(), {x.T(), flipped});
  const Function f = function({x, y}, {both[0], both[1]}, {.name = "sum_diff"});
  const Results r =
      f(Array({{1, 2}, {3, 4}}).astype(DType::float32), ones.slice(0, 0, 2).slice(1, 0, 2));
  std::printf("x.T + y =\n%s\nx.T - y =\n%s\n\n", to_text(r[0]).c_str(), to_text(r[1]).c_str());
  std::printf("Its nodes: %s\n\nIts text:\n%s", to_text(f.toposort()).c_str(), f.source().c_str());
  return 0;
}
