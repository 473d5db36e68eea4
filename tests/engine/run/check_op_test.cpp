// An honest op of a user's own passes check_op; each planted lie is found and named.
#include "engine/run/check_op.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/rewrite/pass.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

void same_as_first(const TypeCall& call, Types& out) {
  out.push_back(call.in[0]);
}

/// 2·x in the reference evaluation, whatever the strides.
std::vector<Array> twice(const EvalCall& call) {
  Array out = call.in[0].copy();
  for (double& v : out.span<double>())
    v *= 2;
  return {out};
}

Vars twice_pullback(const Adjoint& a) {
  return {a.out_bar[0] * 2};
}

constexpr std::string_view host_text = "  for (long i = first; i < last; ++i) z0[i] = 2 * x0[i];";
constexpr std::string_view cuda_text =
    "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < z0_size) z0[i] = 2 * x0[i];";

Op honest() {
  return Op{
      .name = "DoubleOp",
      .doc = "2x",
      .infer = same_as_first,
      .lowering = KernelLowering{.host_c = host_text, .cuda_c = cuda_text},
      .eval = twice,
      .pullback = twice_pullback,
  };
}

KernelLowering& text_of(Op& op) {
  return std::get<KernelLowering>(op.lowering);
}

std::vector<std::vector<Array>> samples() {
  return {{Array({{1, 2, 3}, {4, 5, 6.5}})}};
}

bool names(const std::vector<Broken>& broken, const std::string& promise) {
  return std::any_of(
      broken.begin(), broken.end(), [&](const Broken& b) { return b.promise == promise; });
}

TEST(CheckOp, FindsNothingInAnHonestOp) {
  const Op op = honest();
  const std::vector<Broken> broken = check_op(op, samples());
  EXPECT_TRUE(broken.empty()) << to_text(broken);
}

TEST(CheckOp, FindsNothingInTheEnginesOps) {
  EXPECT_TRUE(check_op(tanh_op, samples()).empty());
  EXPECT_TRUE(check_op(mul_op, {{Array({1, 2}), Array({3, 4})}}).empty());
}

/// Each lie is an honest op with one thing changed.
struct Lie {
  const char* what;
  const char* promise;
  void (*plant)(Op& op);
};

const Lie lies[] = {
    {"the evaluation works in place and does not say so",
     "input",
     [](Op& op) {
       op.eval = [](const EvalCall& call) -> std::vector<Array> {
         double* x = call.in[0].data<double>();
         for (std::int64_t i = 0; call.in[0].contiguous() && i < call.in[0].elements(); ++i)
           x[i] *= 2;
         return {call.in[0].copy()};
       };
     }},
    {"the C text writes over its input",
     "input",
     [](Op& op) {
       text_of(op).host_c =
           "  for (long i = first; i < last; ++i) ((double*)x0)[i] = z0[i] = 2 * x0[i];";
     }},
    {"the shape is wrong where there is nothing",
     "shape",
     [](Op& op) {
       op.infer = [](const TypeCall& call, Types& out) {
         Dims dims = call.in[0].dims();
         for (std::int64_t& d : dims)
           d = d == 0 ? 1 : d;
         out.emplace_back(call.in[0].dtype(), dims);
       };
     }},
    {"the dtype is not the one promised",
     "type",
     [](Op& op) {
       op.infer = [](const TypeCall& call, Types& out) {
         out.push_back(call.in[0].with_dtype(DType::float32));
       };
     }},
    {"the gradient has the wrong sign",
     "gradient",
     [](Op& op) { op.pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0] * -2}; }; }},
    {"the gradient has another rank",
     "gradient",
     [](Op& op) { op.pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0].sum()}; }; }},
    {"the R-op forgets the factor",
     "R_op",
     [](Op& op) { op.pushforward = [](const Tangent& t) -> Vars { return {t.in_dot[0] * 1}; }; }},
    {"the CUDA text leaves the last element out",
     "cuda_c",
     [](Op& op) {
       text_of(op).cuda_c =
           "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i + 1 < z0_size) z0[i] = 2 * x0[i];";
     }},
    {"the CUDA text writes one element too many",
     "cuda_c",
     [](Op& op) {
       text_of(op).cuda_c =
           "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i <= z0_size) z0[i] = i < z0_size ? 2 * x0[i] : 0;";
     }},
    {"the C text computes something else",
     "host_c",
     [](Op& op) {
       text_of(op).host_c = "  for (long i = first; i < last; ++i) z0[i] = 2 * x0[i] + 1e-3;";
     }},
    {"the C text does not compile",
     "host_c",
     [](Op& op) {
       text_of(op).host_c = "  for (long i = first; i < last; ++i) z0[i] = 2 * y[i];";
     }},
    {"the evaluation takes its input for one without gaps",
     "strides",
     [](Op& op) {
       op.eval = [](const EvalCall& call) -> std::vector<Array> {
         Array out(DType::float64, call.in[0].dims());
         const double* x = call.in[0].data<double>();
         for (std::int64_t i = 0; i < out.elements(); ++i)
           out.data<double>()[i] = 2 * x[i];
         return {out};
       };
     }},
    {"the evaluation remembers its last call",
     "repeatable",
     [](Op& op) {
       op.eval = [](const EvalCall& call) -> std::vector<Array> {
         static double drift = 0;
         Array out = twice(call)[0];
         for (double& v : out.span<double>())
           v += drift += 0.5;
         return {out};
       };
     }},
};

TEST(CheckOp, FindsEachPlantedLie) {
  for (const Lie& lie : lies) {
    Op op = honest();
    lie.plant(op);
    const std::vector<Broken> broken = check_op(op, samples());
    EXPECT_TRUE(names(broken, lie.promise)) << lie.what << "\n" << to_text(broken);
  }
}

TEST(OwnOp, BringsFunctionsOfItsOwn) {
  Op op = honest();
  text_of(op).support = "static __device__ double twice_of(double x) { return 2 * x; }";
  text_of(op).host_c = "  for (long i = first; i < last; ++i) z0[i] = twice_of(x0[i]);";
  text_of(op).cuda_c =
      "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < z0_size) z0[i] = twice_of(x0[i]);";
  const std::vector<Broken> broken = check_op(op, samples());
  EXPECT_TRUE(broken.empty()) << to_text(broken);
  const Variable x = vector("x", DType::float64);
  const Array four = asarray(Array(function({x}, apply(op, {apply(op, {x})}))(Array({1, 2}))));
  EXPECT_TRUE(same_elements(four, Array({4, 8}))) << to_text(four);
}

TEST(CheckOp, FindsAnOpThatIsNotCommutative) {
  Op op = sub_op;
  op.commutative = true;
  EXPECT_TRUE(names(check_op(op, {{Array({1, 2}), Array({3, 5})}}), "commutative"));
}

TEST(CheckOp, TakesSamplesThatSuitTheOp) {
  EXPECT_THROW(check_op(mul_op, {{Array({1, 2})}}), Error);
}

// An op of two outputs, of strided inputs, in a function: x + y and x - y.
const Op sum_and_difference{
    .name = "SumDiff",
    .doc = "x + y and x - y",
    .arity = 2,
    .infer =
        [](const TypeCall& call, Types& out) {
          out = {call.in[0], call.in[0]};
        },
    .lowering =
        KernelLowering{
            .host_c = "  for (long n = first; n < last; ++n) {\n"
                      "    const long i = n / z0_dim1, j = n % z0_dim1;\n"
                      "    const x0_t a = x0[i * x0_stride0 + j * x0_stride1];\n"
                      "    const x1_t b = x1[i * x1_stride0 + j * x1_stride1];\n"
                      "    z0[n] = a + b;\n"
                      "    z1[n] = a - b;\n"
                      "  }",
            .cuda_c = "  const long long n = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (n >= z0_size) return;\n"
                      "  const long long i = n / z0_dim1, j = n % z0_dim1;\n"
                      "  const x0_t a = x0[i * x0_stride0 + j * x0_stride1];\n"
                      "  const x1_t b = x1[i * x1_stride0 + j * x1_stride1];\n"
                      "  z0[n] = a + b;\n"
                      "  z1[n] = a - b;",
            .strided = true,
        },
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      const Array a = call.in[0].copy(), b = call.in[1].copy();
      Array s = a.copy(), d = a.copy();
      for (std::int64_t i = 0; i < a.elements(); ++i) {
        s.data<double>()[i] = a.data<double>()[i] + b.data<double>()[i];
        d.data<double>()[i] = a.data<double>()[i] - b.data<double>()[i];
      }
      return {s, d};
    },
    .pullback = [](const Adjoint& a) -> Vars {
      const Variable s = a.out_bar[0] ? a.out_bar[0] : zeros_like(a.out_bar[1]);
      const Variable d = a.out_bar[1] ? a.out_bar[1] : zeros_like(a.out_bar[0]);
      return {s + d, s - d};
    },
};

TEST(OwnOp, GivesTwoOutputsFromViews) {
  const Array x({{1, 2}, {3, 4}}), y({{10, 20}, {30, 40}});
  const std::vector<Broken> broken = check_op(sum_and_difference, {{x, y}});
  EXPECT_TRUE(broken.empty()) << to_text(broken);
  const Variable a = matrix("a", DType::float64), b = matrix("b", DType::float64);
  const Variable back = b[slice(none, none, -1)];
  const Vars both = apply_all(sum_and_difference, {a.T(), back});
  const Function f = function({a, b}, {both[0], both[1]});
  const Results r = f(x, y);
  EXPECT_TRUE(same_elements(asarray(r[0]), Array({{31, 43}, {12, 24}}))) << to_text(r[0]);
  EXPECT_TRUE(same_elements(asarray(r[1]), Array({{-29, -37}, {-8, -16}}))) << to_text(r[1]);
  EXPECT_NE(f.source().find("x0_stride0"), std::string::npos);
}

/// x's own strides, each input's, of the kernels' texts: lies that row-major inputs do not show.
TEST(CheckOp, TriesTextsThatTakeViewsOnViews) {
  const auto without_strides = [](std::string_view text) {
    std::string plain(text);
    const std::string read = "x0[i * x0_stride0 + j * x0_stride1]";
    plain.replace(plain.find(read), read.size(), "x0[n]");
    return plain;
  };
  const auto& right = std::get<KernelLowering>(sum_and_difference.lowering);
  const std::string host_c = without_strides(right.host_c);
  const std::string cuda_c = without_strides(right.cuda_c);
  const std::vector<std::vector<Array>> two{
      {Array({{1, 2, 3}, {4, 5, 6.5}}), Array({{1, 0, 2}, {7, 5, 1}})}};
  for (const std::string promise : {"host_c", "cuda_c"}) {
    Op op = sum_and_difference;
    text_of(op).host_c = promise == "host_c" ? host_c : text_of(op).host_c;
    text_of(op).cuda_c = promise == "cuda_c" ? cuda_c : text_of(op).cuda_c;
    const std::vector<Broken> broken = check_op(op, two);
    ASSERT_TRUE(names(broken, promise)) << to_text(broken);
    EXPECT_EQ(broken.size(), 1U) << to_text(broken);
    EXPECT_NE(to_text(broken).find("transposed"), std::string::npos) << to_text(broken);
    text_of(op).strided = false;  // the same text is right where the engine copies views
    text_of(op).host_c = host_c;
    text_of(op).cuda_c = cuda_c;
    EXPECT_TRUE(check_op(op, two).empty()) << to_text(check_op(op, two));
  }
}

/// One broken promise of an honest op with the lie in it.
std::string told(const char* what, const std::vector<Array>& sample) {
  for (const Lie& lie : lies) {
    if (std::string(lie.what) != what) continue;
    Op op = honest();
    lie.plant(op);
    return to_text(check_op(op, {sample}));
  }
  return "there is no such lie";
}

TEST(CheckOp, SaysWhereTwoArraysDiffer) {
  const std::vector<Array> sample{Array::ones(DType::float64, {5, 4})};
  const std::string text = told("the CUDA text leaves the last element out", sample);
  EXPECT_NE(text.find("in 1 of 20 elements"), std::string::npos) << text;
  EXPECT_NE(text.find("[4, 3]"), std::string::npos) << text;
  EXPECT_NE(text.find("should be 2"), std::string::npos) << text;
  EXPECT_NE(text.find("never written"), std::string::npos) << text;
}

TEST(CheckOp, TellsEachLieInAFewShortLines) {
  for (const Lie& lie : lies) {
    const std::string text = told(lie.what, {Array::ones(DType::float64, {40, 25})});
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 12) << text;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      EXPECT_LE(end - from, 100U) << text;
      from = end + 1;
    }
  }
}

TEST(CheckOp, AsksForTheForwardDerivativeOnceTheGradientIsRight) {
  const std::vector<Array> sample{Array({{1, 2, 3}, {4, 5, 6.5}})};
  const std::string gradient = told("the gradient has the wrong sign", sample);
  EXPECT_EQ(gradient.find("R_op"), std::string::npos) << gradient;
  const std::string forward = told("the R-op forgets the factor", sample);
  EXPECT_NE(forward.find("forward derivative (R_op)"), std::string::npos) << forward;
}

TEST(OwnOp, NamesItsPullbackWhereThatFails) {
  Op op = sum_and_difference;
  op.pullback = [](const Adjoint& a) -> Vars {
    return {a.out_bar[0] + a.out_bar[1], a.out_bar[0]};
  };
  const Variable x = matrix("x", DType::float64), y = matrix("y", DType::float64);
  const Vars both = apply_all(op, {x, y});
  try {
    grad(both[0].sum(), x);
    FAIL() << "an empty variable was added";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("in the pullback of SumDiff (check_op_test.cpp:"), std::string::npos)
        << said;
    EXPECT_NE(said.find("out_bar[1] is empty"), std::string::npos) << said;
  }
}

// z0 begins with the values of x0: only the odd places are left to do.
const Op negate_odd{
    .name = "NegateOdd",
    .doc = "every second element with its sign changed",
    .infer = same_as_first,
    .lowering =
        KernelLowering{
            .host_c = "  for (long i = first; i < last; ++i) if (i % 2) z0[i] = -z0[i];",
            .cuda_c = "  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (i < z0_size && i % 2) z0[i] = -z0[i];",
            .inplace = 0,
        },
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      Array out = call.in[0].copy();
      for (std::int64_t i = 1; i < out.elements(); i += 2)
        out.data<double>()[i] *= -1;
      return {out};
    },
};

TEST(OwnOp, WorksInPlaceOnWhatNobodyElseReads) {
  const std::vector<Broken> broken = check_op(negate_odd, {{Array({1, 2, 3})}});
  EXPECT_TRUE(broken.empty()) << to_text(broken);
  const Variable x = vector("x", DType::float64);
  const Array value({1, 2, 3, 4});
  const Variable y = apply(negate_odd, {x * 10});
  const Array got = asarray(Array(function({x}, y.sum())(value)));
  EXPECT_EQ(got.item(), -20);
  const Array kept = asarray(Array(function({x}, apply(negate_odd, {x}) + x)(value)));
  EXPECT_TRUE(same_elements(kept, Array({2, 0, 6, 0}))) << to_text(kept);
  EXPECT_TRUE(same_elements(value, Array({1, 2, 3, 4})));
}

/// What Theano's as_op makes: types and a function of arrays, no gradient, no kernel.
TEST(OwnOp, OfAnEvaluationAloneRunsOnTheHost) {
  Op op = honest();
  op.lowering = HostLowering{};
  op.pullback = nullptr;
  const Variable x = vector("x", DType::float64);
  const Shared w = shared(Array({1, 2}), "w");
  EXPECT_TRUE(same_elements(
      asarray(function({x}, exp(apply(op, {x + w}) * 0) + x)(Array({3, 4}))), Array({4, 5})));
  EXPECT_TRUE(same_elements(asarray(function({}, apply(op, {w}))()), Array({2, 4})));
  try {
    grad(apply(op, {x}).sum(), x);
    FAIL() << "an op without a pullback has a gradient";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("DoubleOp"), std::string::npos) << error.what();
  }
}

TEST(OwnRewrite, IsOneLineFromOutside) {
  const Variable a = vector("a", DType::float64), b = vector("b", DType::float64);
  const auto x = hole(0), y = hole(1);
  register_rewrite({.name = "exp_of_sum", .from = exp(x) * exp(y), .to = exp(x + y)}, "specialize");
  EXPECT_THROW(
      register_rewrite({.name = "exp_of_sum", .from = exp(x), .to = x}, "specialize"), Error);
  const Function f = function({a, b}, exp(a) * exp(b));
  remove_rewrite("exp_of_sum");
  const auto told = [](const Function& made) {
    const auto& story = made.rewrites().rewrites;
    return std::count_if(story.begin(), story.end(), [](const Rewrite& r) {
      return r.rule == "exp_of_sum" && pprint(r.before) == "(exp(a) * exp(b))" &&
             pprint(r.after) == "exp((a + b))" && r.before.node().origin().line > 0;
    });
  };
  EXPECT_EQ(told(f), 1);
  EXPECT_EQ(told(function({a, b}, exp(a) * exp(b))), 0);
  EXPECT_NEAR(Array(f(Array({1}), Array({2}))).at({0}), 20.085536923187668, 1e-12);
  EXPECT_THROW(register_rewrite({.name = "nowhere", .from = x + y, .to = x}, "fuse"), Error);
  EXPECT_THROW(register_rewrite({.name = "nothing", .from = Variable()}, "specialize"), Error);
}

}  // namespace
}  // namespace hypatia
