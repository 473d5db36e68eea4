// What a launch refuses, and that every message names the user's file and line.
#include "engine/run/raw/bind.h"

#include "engine/run/raw/signature.h"

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

constexpr const char* text = R"(
__global__ void scale(float *y, const float *x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
__global__ void none() {}
)";

class RawErrors : public OnGpus {
 protected:
  void SetUp() override {
    OnGpus::SetUp();
    if (!IsSkipped()) scale_ = Module(text, {.target = target_}).function("scale");
  }

  KernelFunction scale_;
  Array x_ = Array::ones(DType::float32, {10}), y_ = Array::zeros(DType::float32, {10});

  template <class... Args>
  std::string refused(const Args&... args) {
    return message_of([&] { scale_({1}, {10}, args...); });
  }
};

INSTANTIATE_TEST_SUITE_P(Gpus, RawErrors, testing::Values("sim", "cuda"));

TEST_P(RawErrors, CountOfArguments) {
  const std::string said = refused(Out(y_), In(x_), 2.0);
  EXPECT_TRUE(says(said, "scale has 4 parameters and was launched with 3 arguments")) << said;
  EXPECT_TRUE(says(said, "scale(float* y, const float* x, float by, int n)")) << said;
  EXPECT_TRUE(says(said, "at bind_test.cpp:")) << said;
  EXPECT_TRUE(says(said, "scale_({1}, {10}, args...)")) << said;
  EXPECT_TRUE(says(
      message_of([&] { Module(text, {.target = target_}).function("none")({1}, {1}, 3); }),
      "0 parameters and was launched with 1 argument"));
}

TEST_P(RawErrors, TypesOfArguments) {
  EXPECT_TRUE(says(refused(Out(y_), In(x_), In(x_), 10), "'float by' takes a number"));
  EXPECT_TRUE(says(refused(Out(y_), 1.5, 2.0, 10), "'const float* x' takes an array"));
  EXPECT_TRUE(says(refused(Out(y_), x_, 2.0, 10), "host memory, which a kernel can't reach"));
  const std::string doubles = refused(Out(y_), In(x_.astype(DType::float64)), 2.0, 10);
  EXPECT_TRUE(says(doubles, "argument 2 of scale is an array float64[10]")) << doubles;
  EXPECT_TRUE(says(doubles, "points to float32")) << doubles;
  EXPECT_TRUE(says(refused(Out(y_), In(x_), 2.0, 10.5), "the number 10.5; its parameter 'int n'"));
  EXPECT_TRUE(says(refused(Out(y_), In(x_), 2.0, 1LL << 40), "holds int32"));
  EXPECT_TRUE(says(refused(Out(y_), In(x_), 2.0, 3000000000U), "holds int32"));
  const Array elsewhere = to_device(x_, checked_target());
  EXPECT_TRUE(says(refused(Out(y_), elsewhere, 2.0, 10), "another device"));
  scale_({1}, {10}, Out(y_), In(x_), 2, 10.0);  // whole numbers fit whatever they are written as
  EXPECT_EQ(y_.at({9}), 2);
}

TEST_P(RawErrors, Sizes) {
  const auto with = [&](const Sizes& grid, const Sizes& block) {
    return message_of([&] { scale_(grid, block, Out(y_), In(x_), 2.0, 10); });
  };
  EXPECT_TRUE(says(with({1}, {0}), "the block has the size 0 along x"));
  EXPECT_TRUE(says(with({1}, {0}), "at least one thread along each axis"));
  EXPECT_TRUE(says(with({1, -2}, {1}), "the grid has the size -2 along y"));
  // The usual formula gives 0 blocks for 0 elements.
  EXPECT_TRUE(says(with({0}, {256}), "for no elements launch nothing"));
  EXPECT_TRUE(says(with({1, 1, 1, 1}, {1}), "the grid has 4 sizes; it takes one to three"));
  EXPECT_TRUE(says(with({1}, {}), "the block has 0 sizes"));
  const std::string large = with({1}, {2000});
  EXPECT_TRUE(says(large, "2000 threads")) << large;
  EXPECT_TRUE(says(large, "at bind_test.cpp:")) << large;
  EXPECT_TRUE(says(
      message_of(
          [&] { scale_.with({.shared_bytes = 1 << 20})({1}, {1}, Out(y_), In(x_), 2.0, 1); }),
      "shared memory"));
}

TEST_P(RawErrors, NamesOfKernels) {
  const Module module(text, {.target = target_});
  const std::string said = message_of([&] { module.function("scael"); });
  EXPECT_TRUE(says(said, "no kernel 'scael'")) << said;
  EXPECT_TRUE(says(said, "scale, none")) << said;
  EXPECT_TRUE(says(said, "at bind_test.cpp:")) << said;
}

TEST(RawDevice, NoGpu) {
  EXPECT_TRUE(says(message_of([] { Module(text, {.target = "cpu"}); }), "needs a GPU"));
  EXPECT_TRUE(says(message_of([] { Module(text, {.target = "dev9"}); }), "open as 'dev9'"));
  if (config().device() != "cpu") GTEST_SKIP() << "this process has a GPU: " << config().device();
  const std::string said = message_of([] { const Module module(text); });
  EXPECT_TRUE(says(said, "a raw kernel needs a GPU, and this program runs on the cpu")) << said;
  EXPECT_TRUE(says(said, "at bind_test.cpp:")) << said;
}

TEST(RawCompileErrors, NameTheUsersLine) {
  const int line = __LINE__;
  const char* wrong = R"(
__global__ void k(float *y) {
  y[0] = z;
})";
  const std::string said =
      message_of([&] { const Module module(wrong, {.target = sim_target()}); });
  EXPECT_TRUE(says(said, "bind_test.cpp:" + std::to_string(line + 3))) << said;
  EXPECT_TRUE(says(said, "y[0] = z;")) << said;
  EXPECT_TRUE(says(said, "at bind_test.cpp:" + std::to_string(line + 6))) << said;
}

TEST(RawCompileErrors, ATextThatIsInNoFileCountsItsOwnLines) {
  std::string wrong = "__global__ void k(float *y) {\n";
  wrong += "  y[0] = ";
  wrong += "w;\n}\n";
  const std::string said =
      message_of([&] { const Module module(wrong, {.target = sim_target()}); });
  EXPECT_TRUE(says(said, "kernel.cu:2")) << said;
}

TEST(RawSignature, ReadsDeclarations) {
  const auto read = [](const char* text_of) { return read_parameter(text_of); };
  EXPECT_EQ(read("const float * __restrict__ x").text, "const float* __restrict__ x");
  EXPECT_EQ(read("const float * __restrict__ x").name, "x");
  EXPECT_TRUE(read("const float * __restrict__ x").pointer);
  EXPECT_EQ(read("float x [ ]").dtype, DType::float32);
  EXPECT_TRUE(read("float x [ ]").pointer);
  EXPECT_EQ(read("unsigned long long n").dtype, DType::uint64);
  EXPECT_EQ(read("unsigned").dtype, DType::uint32);
  EXPECT_EQ(read("unsigned char * p").dtype, DType::uint8);
  EXPECT_EQ(read("int64_t n").dtype, DType::int64);
  EXPECT_EQ(read("double d").dtype, DType::float64);
  EXPECT_FALSE(read("void * p").dtype);
  EXPECT_FALSE(read("float * * p").dtype);
  EXPECT_FALSE(read("float4 * p").dtype);
  EXPECT_TRUE(read("float4 * p").pointer);
  EXPECT_FALSE(read("Pair p").pointer);
  EXPECT_FALSE(read("Pair p").dtype);
}

TEST(RawSignature, StructsAreRefused) {
  const Module module(
      "struct Pair { int a, b; };\n__global__ void k(Pair p) {}\n", {.target = sim_target()});
  EXPECT_TRUE(says(message_of([&] { module.function("k")({1}, {1}, 3); }), "'Pair p'"));
}

}  // namespace
}  // namespace hypatia::cuda
