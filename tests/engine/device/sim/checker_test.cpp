// The checked simulator: a learner's mistakes are found and told with their lines, and legal
// programs pass in every order of threads.
#include "engine/device/sim/checker.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/device/sim/report.h"

namespace hypatia {
namespace {

constexpr const char* orders[] = {"ascending", "descending", "random"};

/// A launch on a checked device: 1024 ints of input, `results` of output.
struct Checked {
  explicit Checked(const char* order = "ascending")
      : flags(config(), {{"sim.checked", "True"}, {"sim.order", order}}),
        device(open_device("sim", Place{0}).device) {
    sim::take_reports();
  }

  sim::SimReport run(const std::string& text, std::uint32_t grid, std::uint32_t block) {
    std::vector<std::int32_t> input(1024);
    std::iota(input.begin(), input.end(), 0);
    Ref<Storage> x = device->allocate(4096), y = device->allocate(4096);
    x->write(0, input.data(), 4096);
    const Ref<Module> module = device->compile({Dialect::cuda_c, "lesson", text, {}, {}});
    void* in = x->data();
    void* out = y->data();
    std::int32_t n = 1000;
    void* arguments[] = {&in, &out, &n};
    Launch launch;
    launch.grid = {grid, 1, 1};
    launch.block = {block, 1, 1};
    launch.shared_bytes = 1024;
    device->launch(module->find("k"), launch, arguments, nullptr);
    try {
      device->synchronize();
    } catch (const Error& error) {
      message = error.what();
    }
    output.resize(1024);
    y->read(0, output.data(), 4096);
    std::vector<sim::SimReport> reports = sim::take_reports();
    EXPECT_EQ(reports.size(), 1U);
    return reports.empty() ? sim::SimReport{} : reports[0];
  }

  ChangeFlags flags;
  std::unique_ptr<Device> device;
  std::string message;
  std::vector<std::int32_t> output;
};

std::string all_texts(const sim::SimReport& report) {
  std::string all;
  for (const sim::SimProblem& p : report.problems)
    all += p.tag + ": " + p.text + "\n";
  return all;
}

const sim::SimProblem* find(const sim::SimReport& report, const std::string& tag) {
  for (const sim::SimProblem& p : report.problems) {
    if (p.tag == tag) return &p;
  }
  return nullptr;
}

TEST(SimChecker, FindsAForgottenBarrierWhateverTheOrder) {
  for (const char* order : orders) {
    Checked checked(order);
    const sim::SimReport report = checked.run(
        "__global__ void k(const int* x, int* y, int n) {\n"
        "  __shared__ int s[256];\n"
        "  int t = threadIdx.x;\n"
        "  s[t] = x[t];\n"
        "  y[t] = t > 0 ? s[t - 1] : 0;\n"
        "}\n",
        1,
        256);
    const sim::SimProblem* race = find(report, "race");
    ASSERT_TRUE(race) << order;
    EXPECT_EQ(std::min(race->line, race->other_line), 4) << race->text;
    EXPECT_EQ(std::max(race->line, race->other_line), 5) << race->text;
    EXPECT_NE(race->text.find("with no barrier between"), std::string::npos) << race->text;
    EXPECT_NE(checked.message.find("lesson.cu:5"), std::string::npos) << checked.message;
  }
}

TEST(SimChecker, NamesBothThreadsOfARace) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ int s[64];\n"
      "  s[threadIdx.x] = x[threadIdx.x];\n"
      "  if (threadIdx.x == 40) y[0] = s[7];\n"
      "}\n",
      1,
      64);
  ASSERT_EQ(report.problems.size(), 1U) << all_texts(report);
  EXPECT_EQ(
      report.problems[0].text,
      "thread 40 of block 0 reads s[7] at line 4; thread 7 wrote it at line 3, with no barrier "
      "between");
}

TEST(SimChecker, FindsALostUpdateBetweenBlocks) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x == 0) y[0] = blockIdx.x;\n}\n",
      2,
      32);
  const sim::SimProblem* race = find(report, "race");
  ASSERT_TRUE(race);
  EXPECT_NE(race->text.find("y[0]"), std::string::npos) << race->text;
  EXPECT_NE(race->text.find("blocks run in any order"), std::string::npos) << race->text;
}

TEST(SimChecker, FindsABarrierThatNotAllReach) {
  const char* const text =
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x < 32)\n"
      "    __syncthreads();\n"
      "}\n";
  const sim::SimReport report = Checked().run(text, 1, 256);
  const sim::SimProblem* barrier = find(report, "barrier");
  ASSERT_TRUE(barrier);
  EXPECT_EQ(barrier->line, 3);
  EXPECT_NE(barrier->text.find("32 of 256 threads"), std::string::npos) << barrier->text;
  EXPECT_NE(barrier->text.find("224 exited"), std::string::npos) << barrier->text;
}

TEST(SimChecker, FindsBarriersOfTwoBranches) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x % 2)\n"
      "    __syncthreads();\n"
      "  else\n"
      "    __syncthreads();\n"
      "}\n",
      1,
      64);
  const sim::SimProblem* barrier = find(report, "barrier");
  ASSERT_TRUE(barrier);
  EXPECT_NE(barrier->text.find("line 3"), std::string::npos) << barrier->text;
  EXPECT_NE(barrier->text.find("line 5"), std::string::npos) << barrier->text;
}

TEST(SimChecker, FindsOutOfBoundsOnTheDevice) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  y[i] = x[i];\n"
      "}\n",
      9,
      128);
  ASSERT_EQ(report.problems.size(), 2U) << all_texts(report);
  EXPECT_EQ(report.problems[0].tag, "out-of-bounds");
  EXPECT_EQ(report.problems[0].count, 128U);
  const std::string both = report.problems[0].text + report.problems[1].text;
  EXPECT_NE(
      both.find("thread 0 of block 8 reads x[1024] at line 3; x has 1024 elements"),
      std::string::npos)
      << both;
}

TEST(SimChecker, FindsOutOfBoundsInSharedMemory) {
  const sim::SimReport report = Checked().run(
      "extern __shared__ int d[];\n"
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ int a[64];\n"
      "  __shared__ int b[64];\n"
      "  int t = threadIdx.x;\n"
      "  a[t] = 1; b[t] = 1; d[t] = 1;\n"
      "  __syncthreads();\n"
      "  y[t] = a[t + 1];\n"
      "  y[t] += b[t - 1];\n"
      "  y[t] += d[t + 193];\n"
      "}\n",
      1,
      64);
  const std::string all = all_texts(report);
  EXPECT_NE(all.find("thread 63 of block 0 reads a[64] at line 8; a has 64"), std::string::npos)
      << all;
  EXPECT_NE(all.find("thread 0 of block 0 reads b[-1] at line 9"), std::string::npos) << all;
  EXPECT_NE(all.find("thread 63 of block 0 reads d[256] at line 10; d has 256"), std::string::npos)
      << all;
}

TEST(SimChecker, FindsWhatWasNeverWritten) {
  const sim::SimReport shared = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ int s[64];\n"
      "  if (threadIdx.x < 32) s[threadIdx.x] = 1;\n"
      "  __syncthreads();\n"
      "  y[threadIdx.x] = s[threadIdx.x];\n"
      "}\n",
      1,
      64);
  ASSERT_EQ(shared.problems.size(), 1U) << all_texts(shared);
  EXPECT_EQ(
      shared.problems[0].text,
      "thread 32 of block 0 reads s[32] at line 5 before anything was written to it");
  EXPECT_EQ(shared.problems[0].count, 32U);
  const sim::SimReport global = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n  y[threadIdx.x] += 1;\n}\n", 1, 32);
  ASSERT_TRUE(find(global, "uninitialised"));
  EXPECT_EQ(find(global, "uninitialised")->line, 2);
}

TEST(SimChecker, FindsMisalignedAccessesAndHostMemory) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  *(long long*)(y + 1) = 1;\n"
      "}\n",
      1,
      1);
  ASSERT_TRUE(find(report, "misaligned")) << all_texts(report);
  const sim::SimReport wild = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  int* p = (int*)0x1000;\n  *p = 1;\n}\n",
      1,
      1);
  ASSERT_TRUE(find(wild, "memory")) << all_texts(wild);
  EXPECT_EQ(find(wild, "memory")->line, 3);
}

TEST(SimChecker, FindsShufflesFromLanesThatTakeNoPart) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x < 16)\n"
      "    y[threadIdx.x] = __shfl_down_sync(0xffff, x[threadIdx.x], 4);\n"
      "}\n",
      1,
      32);
  const sim::SimProblem* shuffle = find(report, "shuffle");
  ASSERT_TRUE(shuffle) << all_texts(report);
  EXPECT_EQ(shuffle->line, 3);
  EXPECT_EQ(shuffle->thread, 12);
}

TEST(SimChecker, PassesAReductionInEveryOrder) {
  for (const char* order : orders) {
    Checked checked(order);
    const sim::SimReport report = checked.run(
        "__global__ void k(const int* x, int* y, int n) {\n"
        "  __shared__ int s[256];\n"
        "  int t = threadIdx.x, i = blockIdx.x * 256 + t;\n"
        "  s[t] = i < n ? x[i] : 0;\n"
        "  __syncthreads();\n"
        "  for (int h = 128; h > 0; h /= 2) {\n"
        "    if (t < h) s[t] += s[t + h];\n"
        "    __syncthreads();\n"
        "  }\n"
        "  if (t == 0) y[blockIdx.x] = s[0];\n"
        "}\n",
        4,
        256);
    EXPECT_EQ(all_texts(report), "") << order;
    EXPECT_EQ(
        checked.output[0] + checked.output[1] + checked.output[2] + checked.output[3], 499500);
  }
}

TEST(SimChecker, PassesABlockReductionThatWarpZeroFinishes) {
  for (const char* order : orders) {
    Checked checked(order);
    const sim::SimReport report = checked.run(
        "__device__ int warp_sum(int v) {\n"
        "  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);\n"
        "  return v;\n}\n"
        "__global__ void k(const int* x, int* y, int n) {\n"
        "  __shared__ int part[8];\n"
        "  int t = threadIdx.x, v = warp_sum(x[t]);\n"
        "  if (t % 32 == 0) part[t / 32] = v;\n"
        "  __syncthreads();\n"
        "  if (t < 32) {\n"
        "    v = warp_sum(t < 8 ? part[t] : 0);\n"
        "    if (t == 0) part[0] = v;\n"
        "  }\n"
        "  __syncthreads();\n"
        "  y[t] = part[0];\n}\n",
        1,
        256);
    // Lane 0 of warp 0 writes part[0], which its own warp read before, with only a shuffle between.
    EXPECT_EQ(all_texts(report), "") << order;
    EXPECT_EQ(*std::min_element(checked.output.begin(), checked.output.begin() + 256), 32640);
    EXPECT_EQ(*std::max_element(checked.output.begin(), checked.output.begin() + 256), 32640);
  }
}

TEST(SimChecker, ShufflesWarpsOf32Lanes) {
  Checked checked;
  const sim::SimReport report = checked.run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  y[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);\n}\n",
      1,
      64);
  EXPECT_EQ(all_texts(report), "");
  EXPECT_EQ(checked.output[32], 33);
  EXPECT_EQ(checked.output[31], 31);
  EXPECT_EQ(checked.output[63], 63);
}

TEST(SimChecker, HasRoomForLargeLocalArrays) {
  Checked checked;
  const sim::SimReport report = checked.run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  int local[8192];\n"
      "  for (int i = 0; i < 8192; ++i) local[i] = i + threadIdx.x;\n"
      "  __syncthreads();\n"
      "  y[threadIdx.x] = local[n];\n}\n",
      1,
      64);
  EXPECT_EQ(all_texts(report), "");
  EXPECT_EQ(checked.output[5], 1005);
}

TEST(SimChecker, PassesTheLastBlockThatAddsUpThanksToItsFence) {
  const std::string start =
      "__device__ unsigned done;\n"
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ bool last;\n"
      "  if (threadIdx.x == 0) {\n"
      "    y[1 + blockIdx.x] = x[blockIdx.x];\n";
  const std::string end =
      "    last = atomicAdd(&done, 1u) == gridDim.x - 1;\n"
      "  }\n"
      "  __syncthreads();\n"
      "  if (last && threadIdx.x == 0) {\n"
      "    int sum = 0;\n"
      "    for (int i = 0; i < gridDim.x; ++i) sum += y[1 + i];\n"
      "    y[0] = sum;\n"
      "    done = 0;\n"
      "  }\n}\n";
  Checked checked;
  const sim::SimReport right = checked.run(start + "    __threadfence();\n" + end, 8, 32);
  EXPECT_EQ(all_texts(right), "");
  EXPECT_EQ(checked.output[0], 28);
  const sim::SimReport wrong = Checked().run(start + end, 8, 32);
  EXPECT_TRUE(find(wrong, "race"));
}

TEST(SimChecker, CountsSectorsAndBankConflictsByLine) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ int s[32][32];\n"
      "  int t = threadIdx.x;\n"
      "  s[0][t] = x[t];\n"
      "  y[t] = x[8 * t];\n"
      "  for (int i = 0; i < 32; ++i) s[t][i] = i;\n"
      "  __syncthreads();\n"
      "  atomicAdd(y + t, s[t][0]);\n"
      "}\n",
      1,
      32);
  const auto line = [&](std::int32_t number) {
    for (const sim::SimLine& l : report.lines) {
      if (l.line == number) return l;
    }
    return sim::SimLine{};
  };
  EXPECT_EQ(line(4).global_loads, 32U);
  EXPECT_EQ(line(4).global_requests, 1U);
  EXPECT_EQ(line(4).sectors, 4U);
  EXPECT_EQ(line(4).shared_stores, 32U);
  EXPECT_EQ(line(4).bank_conflicts, 0U);
  EXPECT_EQ(line(5).sectors, 32U + 4U);
  EXPECT_EQ(line(6).shared_requests, 32U);
  EXPECT_EQ(line(6).bank_conflicts, 31U * 32U);
  EXPECT_EQ(line(6).active_lanes, 32U * 32U);
  EXPECT_EQ(line(7).barriers, 1U);
  EXPECT_EQ(line(8).atomics, 32U);
}

TEST(SimChecker, TellsTheArraysOfALineApart) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  __shared__ int s[32];\n"
      "  int t = threadIdx.x;\n"
      "  s[t] = t;\n"
      "  __syncthreads();\n"
      "  y[t] = x[8 * t] + s[31 - t];\n"
      "}\n",
      1,
      32);
  std::string told;
  for (const sim::SimLine& site : report.sites) {
    told += std::to_string(site.line) + " " + site.array + " " + std::to_string(site.sectors) +
            " " + std::to_string(site.shared_requests) + "\n";
  }
  EXPECT_EQ(told, "4 s 0 1\n6 s 0 1\n6 x 32 0\n6 y 4 0\n");
}

TEST(SimChecker, CountsLanesThatAreActive) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  if (threadIdx.x % 4 == 0)\n"
      "    y[threadIdx.x] = 1;\n}\n",
      1,
      64);
  ASSERT_EQ(report.lines.size(), 1U);
  EXPECT_EQ(report.lines[0].active_lanes, 16U);
  EXPECT_EQ(report.lines[0].global_requests, 2U);
}

// A check may launch thousands of times: a stack for each thread is mapped once.
TEST(SimChecker, KeepsItsStacksFromLaunchToLaunch) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer's own memory faults too";
#endif
  Checked checked;
  const std::string text =
      "__global__ void k(const int* x, int* y, int n) {\n"
      "  y[threadIdx.x] = x[threadIdx.x];\n"
      "}\n";
  constexpr std::uint32_t threads = 1024;
  checked.run(text, 1, threads);
  const auto faults = [] {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt;
  };
  const long before = faults();
  constexpr long launches = 20;
  for (int i = 0; i < launches; ++i)
    checked.run(text, 1, threads);
  EXPECT_LT(faults() - before, launches * threads / 2);
}

TEST(SimChecker, FailsWhereNothingReportsItsAccesses) {
  // A fast object in the place of a checked one: what a lost instrumentation would look like.
  auto* module = new sim::SimModule(
      {Dialect::cuda_c,
       "silent",
       "__global__ void k(int* y) { y[threadIdx.x] = 1; __syncthreads(); }",
       {},
       {}},
      sim::Build::fast);
  const Ref<Module> owner(module);
  sim::Arena arena(std::size_t{1} << 26, 256);
  sim::Shadow shadow;
  void* y = arena.take(256);
  void* arguments[] = {&y};
  sim::Shape shape;
  shape.block[0] = 32;
  const auto no = [](const void*, const void*) { return false; };
  const auto& kernel = static_cast<const sim::SimKernel&>(module->find("k"));
  sim::Checker checker({shadow, arena, no, nullptr}, kernel, shape, arguments);
  EXPECT_THROW(checker.run(sim::Order::ascending), Error);
}

TEST(SimChecker, WritesOneLineOfJsonAReport) {
  const sim::SimReport report = Checked().run(
      "__global__ void k(const int* x, int* y, int n) { y[threadIdx.x + 1024] = 1; }", 1, 2);
  const std::string json = sim::to_json(report);
  EXPECT_EQ(json.find('\n'), std::string::npos);
  EXPECT_NE(json.find("\"tag\":\"out-of-bounds\""), std::string::npos) << json;
  EXPECT_NE(sim::to_text(report).find("bounds: thread 0"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
