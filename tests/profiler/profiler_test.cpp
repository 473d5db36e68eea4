// Real programs, from a function to the accounts of its recording, on each device that there is.
// A program is this test program again, in a process of its own, since a process has one device.

#include "profiler/profiler.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

constexpr int calls = 200;

/// Run by the tests below, not by itself.
TEST(Program, DISABLED_Exp) {
  const auto x = shared(RandomState(22).rand({230400}).astype(config().float_x()), "x");
  auto f = function({}, exp(x), {.name = "exp"});
  for (int i = 0; i < calls; ++i)
    f();
}

/// The same: large enough for cuDNN. The CPU would take long for all calls.
TEST(Program, DISABLED_Convolution) {
  const auto drawn = [](const Dims& dims, const char* name) {
    const Array values = RandomState(22).rand(dims).astype(config().float_x());
    return shared(values, name, {.broadcastable = std::vector<bool>(4, false)});
  };
  const auto x = drawn({16, 16, 28, 28}, "x"), w = drawn({32, 16, 3, 3}, "w");
  auto f = function({}, conv2d(x, w), {.name = "convolve"});
  for (int i = 0; i < (f.uses_gpu() ? calls : 1); ++i)
    f();
}

/// Runs one of the programs above with these flags; false if it failed.
bool run_program(
    const std::string& flags, const std::string& recording, const std::string& which = "Exp") {
  const std::string filter = "--gtest_filter=Program.DISABLED_" + which;
  const pid_t child = fork();
  if (child == 0) {
    // The one test to run must not fall into another shard.
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    setenv("HYPATIA_FLAGS", flags.c_str(), 1);
    setenv("HYPATIA_PROFILE_FILE", recording.c_str(), 1);
    const std::string quiet = recording + ".log";
    if (!std::freopen(quiet.c_str(), "w", stdout) || !std::freopen(quiet.c_str(), "a", stderr)) {
      _exit(3);
    }
    execl(
        "/proc/self/exe",
        "profiler_tests",
        "--gtest_also_run_disabled_tests",
        filter.c_str(),
        nullptr);
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void expect_whole(const Recording& recording) {
  const Account account = account_for(recording);
  const auto length = static_cast<double>(recording.end() - recording.begin());
  EXPECT_NEAR(account.wall.total(), length, 1e-6 * length);
  ASSERT_EQ(account.functions.size(), 1u);
  const FunctionAccount& function = account.functions[0];
  EXPECT_EQ(function.calls, calls);
  EXPECT_DOUBLE_EQ(function.other.gpu() + function.other.transfer(), 0);
  const RecordingHeader& header = recording.header();
  EXPECT_TRUE(header.closed);
  EXPECT_EQ(header.dropped, 0);
  EXPECT_EQ(header.without_time, 0);
  EXPECT_EQ(header.unordered, 0);
  EXPECT_EQ(header.unattributed, 0);
  EXPECT_EQ(header.disagreements, 0);
}

void expect_gpu(const Recording& recording) {
  expect_whole(recording);
  const Account account = account_for(recording);
  ASSERT_EQ(account.functions[0].nodes.size(), 2u);
  const NodeAccount& kernel = account.functions[0].nodes[0];
  const NodeAccount& copy = account.functions[0].nodes[1];
  EXPECT_EQ(recording.node(kernel.id)->op_class, "GpuElemwise");
  EXPECT_EQ(recording.node(copy.id)->op_class, "HostFromGpu");
  EXPECT_EQ(kernel.calls, calls);
  EXPECT_EQ(copy.calls, calls);
  EXPECT_EQ(account.steps[0].device_events, calls);
  EXPECT_EQ(account.steps[1].device_events, calls);
  EXPECT_GT(kernel.parts[Part::kernel], calls * 500.0);
  EXPECT_GT(kernel.parts[Part::launch], 0);
  EXPECT_GT(copy.parts[Part::copy_out], calls * 5000.0);
  EXPECT_LT(copy.rate.roof, 1.1);
  EXPECT_EQ(trace_problem(chrome_trace(recording)), "");
}

TEST(Summary, IsOfOneFunctionUpToNow) {
  const Scratch scratch;
  Recorder recorder(scratch.file("a.hyp"));
  const Variable x = vector("x", DType::float64);
  const Function grow = function({x}, exp(x), {.name = "grow", .observer = &recorder});
  const Function shrink = function({x}, log(x), {.name = "shrink", .observer = &recorder});
  const Array value = Array::ones(DType::float64, {10});
  grow(value);
  shrink(value);
  const std::string early = profile_summary(recorder, "grow");
  EXPECT_NE(early.find("Message: grow"), std::string::npos) << early;
  EXPECT_EQ(early.find("Message: shrink"), std::string::npos) << early;
  EXPECT_NE(early.find("Time in 1 calls"), std::string::npos) << early;
  grow(value);
  EXPECT_NE(profile_summary(recorder, "grow").find("Time in 2 calls"), std::string::npos);
  EXPECT_THROW(static_cast<void>(profile_summary("grow")), Error);
}

/// The tutorials' logistic regression, 100 steps and a prediction, as a text report.
std::string logistic_report(const std::string& file) {
  Recorder recorder(file);
  const DType f32 = DType::float32;
  const Shared w = shared(Array::zeros(f32, {784}), "w"), b = shared(Array::zeros(f32, {}), "b");
  const Variable x = matrix("x", f32), y = vector("y", f32);
  const Variable p_1 = 1 / (1 + exp(-dot(x, w) - b));
  const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  const Variable cost = cast(xent.mean(), f32) + 0.01F * sqr(w).sum();
  const Vars g = grad(cost, {w, b});
  const std::vector<Update> updates{{w, w - 0.1F * g[0]}, {b, b - 0.1F * g[1]}};
  const Function train = function(
      {x, y}, {p_1 > 0.5F, xent}, {.updates = updates, .name = "train", .observer = &recorder});
  const Function predict = function({x}, p_1 > 0.5F, {.name = "predict", .observer = &recorder});
  const Array rows = RandomState(22).randn({400, 784}).astype(f32);
  for (int i = 0; i < 100; ++i)
    train(rows, Array::ones(f32, {400}));
  predict(rows);
  recorder.finish();
  return text_report(*Recording::open(file));
}

/// The numbers under #call and #apply of the first class that begins so after `from`.
std::pair<int, int> calls_and_applies(const std::string& text, std::size_t from, const char* name) {
  const std::size_t end = text.find(std::string(" ") + name + "\n", text.find("Class name>", from));
  const std::string row = text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end) - 1);
  std::pair<int, int> numbers{-1, -1};
  std::sscanf(row.c_str(), "%*s %*s %*s %*s %*s %d %d", &numbers.first, &numbers.second);
  return numbers;
}

/// Where a function's profile begins; its sections follow in the original's order.
std::size_t expect_sections(const std::string& text, const std::string& function, int count) {
  const std::size_t begin = text.find("Message: " + function);
  std::size_t at = begin;
  for (const std::string& part :
       {"Time in " + std::to_string(count) + " calls to Function.__call__: ",
        std::string("Time in Function.fn.__call__: "),
        std::string("Time in thunks: "),
        std::string("Total compile time: "),
        std::string("Number of Apply nodes: "),
        std::string("Class\n---\n<% time> <sum %> <apply time> <time per call> <type>"),
        std::string("Ops\n---\n<% time>"),
        std::string("Apply\n------\n<% time>"),
        std::string("Memory Profile of ")}) {
    at = text.find(part, at);
    EXPECT_NE(at, std::string::npos) << part << "\n" << text;
  }
  return begin;
}

TEST(SampleProfile, HasTheStructureOfTheTutorials) {
  const Scratch scratch;
  const std::string text = logistic_report(scratch.file("a.hyp"));
  const std::size_t train = expect_sections(text, "train (", 100);
  const std::size_t predict = expect_sections(text, "predict (", 1);
  const std::size_t both = text.find("Message: Sum of all(2) printed profiles at exit");
  ASSERT_NE(both, std::string::npos) << text;
  EXPECT_NE(text.find("Time in 101 calls", both), std::string::npos) << text;
  EXPECT_NE(text.find("Here are tips", both), std::string::npos) << text;
  using Row = std::pair<int, int>;
  EXPECT_EQ(calls_and_applies(text, train, "CGemv"), Row(200, 2)) << text;
  EXPECT_EQ(calls_and_applies(text, train, "Sum"), Row(100, 1)) << text;
  EXPECT_EQ(calls_and_applies(text, predict, "CGemv"), Row(1, 1)) << text;
  EXPECT_EQ(calls_and_applies(text, predict, "Elemwise"), Row(1, 1)) << text;
  EXPECT_EQ(calls_and_applies(text, both, "CGemv"), Row(201, 3)) << text;
}

TEST(EndToEnd, OnTheCpu) {
  const Scratch scratch;
  ASSERT_TRUE(run_program("device=cpu,floatX=float32,profile=True", scratch.file("a.hyp")));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  expect_whole(*recording);
  const Account account = account_for(*recording);
  EXPECT_EQ(account.functions[0].nodes[0].calls, calls);
  EXPECT_GT(account.functions[0].nodes[0].parts[Part::own], calls * 5000.0);
  EXPECT_DOUBLE_EQ(account.functions[0].parts.gpu(), 0);
}

TEST(EndToEnd, OnTheSimulatedGpu) {
  const Scratch scratch;
  ASSERT_TRUE(run_program("device=sim,floatX=float32,profile=True", scratch.file("a.hyp")));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  EXPECT_TRUE(recording->header().simulated);
  expect_gpu(*recording);
}

TEST(EndToEnd, TellsTheFunctionsRewritesByTheNamesOfTheirPasses) {
  const Scratch scratch;
  ASSERT_TRUE(run_program("device=cpu,floatX=float32,profile=True", scratch.file("a.hyp")));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  ASSERT_FALSE(recording->passes().empty());
  EXPECT_EQ(recording->passes()[0].name, "merge");
  EXPECT_EQ(recording->passes()[0].function, 1u);
  std::size_t named = 0;
  for (const Track& track : recording->tracks())
    for (const Event& event : track.events())
      if (event.kind == EventKind::pass) {
        EXPECT_EQ(recording->name_of(event), recording->passes()[named].name);
        ++named;
      }
  EXPECT_EQ(named, recording->passes().size());
}

TEST(EndToEnd, SimulatedRecordingsRepeatToTheBit) {
  const Scratch scratch;
  const std::string flags = "device=sim,floatX=float32,profile=True,sim.host_time=modelled";
  ASSERT_TRUE(run_program(flags, scratch.file("warm.hyp")));
  ASSERT_TRUE(run_program(flags, scratch.file("a.hyp")));
  ASSERT_TRUE(run_program(flags, scratch.file("b.hyp")));
  const auto a = Recording::open(scratch.file("a.hyp"));
  const auto b = Recording::open(scratch.file("b.hyp"));
  ASSERT_EQ(a->event_count(), b->event_count());
  ASSERT_EQ(a->tracks().size(), b->tracks().size());
  for (std::size_t t = 0; t < a->tracks().size(); ++t) {
    const auto x = a->tracks()[t].events(), y = b->tracks()[t].events();
    ASSERT_EQ(x.size(), y.size());
    EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size_bytes()), 0) << "track " << t;
  }
}

/// On a machine with an NVIDIA GPU: every kernel and copy is attributed, both ways agree.
TEST(EndToEnd, OnTheGpu) {
  const Scratch scratch;
  ASSERT_TRUE(run_program("device=cuda,floatX=float32,profile=True", scratch.file("a.hyp")));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  if (recording->functions()[0].device == "cpu") GTEST_SKIP() << "no cuda device can be had here";
  for (const std::string& message : recording->header().messages)
    ADD_FAILURE() << message;
  expect_gpu(*recording);
}

/// What cuDNN launches for a convolution is the convolution's, and its step says who ran it.
TEST(EndToEnd, AttributesTheKernelsOfCudnn) {
  const Scratch scratch;
  const std::string flags = "device=cuda,floatX=float32,profile=True";
  ASSERT_TRUE(run_program(flags, scratch.file("a.hyp"), "Convolution"));
  const auto recording = Recording::open(scratch.file("a.hyp"));
  if (recording->functions()[0].device == "cpu") GTEST_SKIP() << "no cuda device can be had here";
  const std::string& step = recording->steps()[0].record->name;
  if (step == "conv2d") GTEST_SKIP() << "no cuDNN can be had here";
  EXPECT_EQ(step.rfind("conv2d by cuDNN ", 0), 0U) << step;
  for (const std::string& message : recording->header().messages)
    ADD_FAILURE() << message;
  expect_whole(*recording);
  const Account account = account_for(*recording);
  ASSERT_EQ(account.functions[0].nodes.size(), 2u);
  const NodeAccount& convolution = account.functions[0].nodes[0];
  EXPECT_EQ(recording->node(convolution.id)->op_class, "Gpuconv2d");
  EXPECT_EQ(convolution.calls, calls);
  EXPECT_GE(account.steps[0].device_events, calls);
  EXPECT_GT(convolution.parts[Part::kernel], calls * 500.0);
  EXPECT_FALSE(convolution.approximate);
}

}  // namespace
}  // namespace hypatia
