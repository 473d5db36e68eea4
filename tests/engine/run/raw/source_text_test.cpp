// Texts are placed where the user wrote them, compile for a GPU too, and what the checked simulator
// finds in them is told with the user's lines.
#include "engine/run/raw/source_text.h"

#include <filesystem>

#include "engine/core/file.h"
#include "engine/core/source_file.h"
#include "engine/device/cuda/compiler.h"
#include "engine/device/sim/report.h"

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

constexpr int first = __LINE__ + 1;
constexpr const char* lesson = R"(
__global__ void race(int *y, const int *x) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  y[t] = s[63 - t];
}
__global__ void divergent(int *y) {
  if (threadIdx.x < 32) __syncthreads();
  y[threadIdx.x] = 1;
}
__global__ void outside(int *y, const int *x) {
  y[threadIdx.x] = x[threadIdx.x + 1];
}
__global__ void uninitialised(int *y) {
  __shared__ int s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}
__global__ void right(int *y, const int *x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
)";

class RawChecked : public testing::Test {
 protected:
  void SetUp() override { sim::take_reports(); }

  /// What the checker says of a launch of 64 threads, and what the launch's Error says.
  sim::SimReport run(const char* name) {
    const KernelFunction f = module_.function(name);
    message_ = message_of([&] {
      if (std::string(name) == "divergent" || std::string(name) == "uninitialised") {
        f({1}, {64}, Out(y_));
      } else {
        f({1}, {64}, Out(y_), In(x_));
      }
    });
    const std::vector<sim::SimReport> reports = sim::take_reports();
    EXPECT_EQ(reports.size(), 1U);
    return reports.empty() ? sim::SimReport{} : reports[0];
  }

  static std::string at(int line) { return "source_text_test.cpp:" + std::to_string(first + line); }

  Module module_{lesson, {.target = checked_target()}};
  Array x_ = Array::arange(64, DType::int32), y_ = Array::zeros(DType::int32, {64});
  std::string message_;
};

TEST_F(RawChecked, TellsARaceWithBothLines) {
  const sim::SimReport report = run("race");
  ASSERT_FALSE(report.problems.empty());
  EXPECT_EQ(report.file, "source_text_test.cpp");
  EXPECT_EQ(report.problems[0].tag, "race");
  EXPECT_TRUE(says(message_, at(4))) << message_;
  EXPECT_TRUE(says(message_, at(5))) << message_;
  EXPECT_TRUE(says(message_, "with no barrier between")) << message_;
}

TEST_F(RawChecked, TellsADivergentBarrier) {
  EXPECT_EQ(run("divergent").problems.at(0).tag, "barrier");
  EXPECT_TRUE(says(message_, "32 of 64 threads wait at the barrier")) << message_;
  EXPECT_TRUE(says(message_, at(8))) << message_;
}

TEST_F(RawChecked, TellsAnIndexOutOfBounds) {
  EXPECT_EQ(run("outside").problems.at(0).tag, "out-of-bounds");
  EXPECT_TRUE(says(message_, "reads x[64]")) << message_;
  EXPECT_TRUE(says(message_, "x has 64 elements")) << message_;
  EXPECT_TRUE(says(message_, at(12))) << message_;
}

TEST_F(RawChecked, TellsAnUninitialisedRead) {
  EXPECT_EQ(run("uninitialised").problems.at(0).tag, "uninitialised");
  EXPECT_TRUE(says(message_, "s[63]")) << message_;
  EXPECT_TRUE(says(message_, at(18))) << message_;
}

TEST_F(RawChecked, IsSilentAboutARightKernelAndCounts) {
  module_.function("right")({1}, {64}, Out(y_), In(x_));
  EXPECT_EQ(y_.at({0}), 63);
  const std::vector<sim::SimReport> reports = sim::take_reports();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_TRUE(reports[0].problems.empty());
  std::uint64_t loads = 0, stores = 0, barriers = 0;
  for (const sim::SimLine& line : reports[0].lines) {
    EXPECT_GE(line.line, first + 22);
    EXPECT_LE(line.line, first + 24);
    loads += line.global_loads;
    stores += line.global_stores;
    barriers += line.barriers;
  }
  EXPECT_EQ(loads, 64U);
  EXPECT_EQ(stores, 64U);
  EXPECT_EQ(barriers, 1U);
}

TEST(RawSource, KeepsTheLinesOfTheFile) {
  const KernelSource source = placed_source(lesson, Origin::here(), false);
  EXPECT_EQ(source.name, "source_text_test.cpp");
  const std::string before = source.text.substr(0, source.text.find("__global__ void race"));
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), first);
  EXPECT_EQ(placed_source("nowhere", {"/no/such/file.cpp", "", 1}, false).name, "kernel.cu");
}

TEST(RawSource, CompilesForAGpu) {
  if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const std::string ptx =
      compile_to_ptx(placed_source(lesson, Origin::here(), false), "compute_90");
  for (const char* kernel : {"race", "divergent", "outside", "uninitialised", "right"})
    EXPECT_TRUE(says(ptx, std::string(".entry ") + kernel + "(")) << kernel;
}

/// The raw string literals of a file.
std::vector<std::string> raw_literals(const std::filesystem::path& path) {
  const std::string file = read_file(path.string());
  std::vector<std::string> all;
  for (std::size_t at = file.find("R\"("); at != std::string::npos; at = file.find("R\"(", at)) {
    const std::size_t end = file.find(")\"", at);
    all.push_back(file.substr(at + 3, end - at - 3));
    at = end;
  }
  return all;
}

TEST(RawSource, TheExercisesKernelsCompileForAGpu) {
  if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
  std::filesystem::path root = source_file(__FILE__);
  for (int i = 0; i < 5; ++i)
    root = root.parent_path();
  const std::vector<std::string> texts =
      raw_literals(root / "solutions/06_raw_kernels/solution.cpp");
  EXPECT_EQ(texts.size(), 2U);
  for (const std::string& text : texts) {
    const std::string ptx = compile_to_ptx(placed_source(text, {}, false), "compute_75");
    EXPECT_TRUE(says(ptx, ".entry multiply_")) << text;
  }
}

TEST(RawSource, AGpusCompilerNamesTheUsersLine) {
  if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const int line = __LINE__;
  const char* wrong = R"(
__global__ void k(float *y) {
  y[0] = undeclared;
})";
  const std::string said = message_of(
      [&] { compile_to_ptx(placed_source(wrong, Origin::here(), false), "compute_90"); });
  EXPECT_TRUE(says(said, "at line " + std::to_string(line + 3))) << said;
  EXPECT_TRUE(says(said, "source_text_test.cpp(" + std::to_string(line + 3) + ")")) << said;
  EXPECT_TRUE(says(said, "y[0] = undeclared;")) << said;
}

}  // namespace
}  // namespace hypatia::cuda
