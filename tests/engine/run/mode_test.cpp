// Modes and the flags that choose how a function is compiled and checked.
#include "engine/run/mode.h"

#include <cmath>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/core/warning.h"
#include "engine/graph/graph.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/loops.h"
#include "engine/run/debug_guard.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

thread_local std::vector<std::string> heard;

/// Collects warnings while it lives.
struct Listening {
  Listening() : before(set_warning_handler([](const std::string& t) { heard.push_back(t); })) {
    heard.clear();
  }

  ~Listening() { set_warning_handler(before); }

  WarningHandler before;
};

TEST(Mode, OptionsWinOverFlags) {
  const ChangeFlags flags({{"mode", "FAST_COMPILE"}, {"optimizer", "o2"}});
  EXPECT_EQ(run_mode_of({}).optimizer, "fast_compile");
  EXPECT_TRUE(run_mode_of({}).interpret);
  EXPECT_EQ(run_mode_of({.mode = {.name = "FAST_RUN"}}).optimizer, "fast_run");
  EXPECT_FALSE(run_mode_of({.mode = {.name = "FAST_RUN"}}).interpret);
  EXPECT_EQ(run_mode_of({.mode = {.name = "Mode"}}).optimizer, "o2");
  EXPECT_EQ(run_mode_of({.optimizer = "None"}).optimizer, "None");
}

TEST(Mode, TheLinkerChoosesTheInterpreterAndWhatStays) {
  const ChangeFlags flags({{"linker", "py"}});
  EXPECT_TRUE(run_mode_of({}).interpret);
  EXPECT_FALSE(run_mode_of({}).keep_buffers);
  const ChangeFlags more({{"linker", "cvm_nogc"}});
  EXPECT_FALSE(run_mode_of({}).interpret);
  EXPECT_TRUE(run_mode_of({}).keep_buffers);
}

TEST(ModeErrors, NameWhatThereIs) {
  const Variable x = dscalar("x");
  EXPECT_MESSAGE_WITH(
      function({x}, x + 1, {.mode = {.name = "FAST"}}),
      "the flag mode can't be 'FAST'\n   help: it is one of");
  EXPECT_MESSAGE_WITH(function({x}, x + 1, {.optimizer = "o9"}), "there is no optimizer 'o9'");
  EXPECT_MESSAGE_WITH(
      function({x}, x + 1, {.on_unused_input = "shout"}),
      "the flag on_unused_input can't be 'shout'");
}

TEST(NanGuardMode, NamesTheFirstNodeThatIsWrong) {
  const Variable x = dvector("x");
  const Variable bad = log(x);
  const std::string line = "mode_test.cpp:" + std::to_string(__LINE__ - 1);
  const Function f = function(
      {x}, exp(bad) + 1, {.name = "f", .optimizer = "None", .mode = {.name = "NanGuardMode"}});
  EXPECT_EQ(f(Array({1.0})).only().at({0}), 2);
  EXPECT_MESSAGE_WITH(f(Array({-1.0})), "NaN in the output of ");
  EXPECT_MESSAGE_WITH(f(Array({-1.0})), "Elemwise{log,no_inplace}");
  EXPECT_MESSAGE_WITH(f(Array({-1.0})), "   at " + line);
  EXPECT_MESSAGE_WITH(f(Array({-1.0})), "found by NanGuardMode in the call of 'f'");
  EXPECT_MESSAGE_WITH(f(Array({0.0})), "infinity in the output of ");
  EXPECT_MESSAGE_WITH(f(Array({NAN})), "NaN in the input 'x'");
  EXPECT_MESSAGE_WITH(f(Array({1e11})), "a number beyond 1e10 in the input 'x'");
}

TEST(NanGuardMode, ItsFlagsSayWhatIsWrong) {
  const Variable x = dvector("x");
  const ChangeFlags flags(
      {{"mode", "NanGuardMode"},
       {"NanGuardMode.big_is_error", "False"},
       {"NanGuardMode.inf_is_error", "False"},
       {"NanGuardMode.action", "warn"}});
  const Function f = function({x}, log(x), {.optimizer = "None"});
  const Listening listening;
  f(Array({0.0, 1e300}));
  EXPECT_TRUE(heard.empty());
  EXPECT_TRUE(std::isnan(f(Array({-1.0})).only().at({0})));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].substr(0, 3), "NaN");
}

TEST(DebugMode, PassesWhatIsRight) {
  RandomState random(4);
  const Variable x = dmatrix("x");
  const Shared w = shared(random.randn({3}), "w");
  const Variable p = sigmoid(dot(x, w));
  const Variable cost = -log(1 - p).mean() + set_subtensor(x(0, every), w).sum() + sort(w).max();
  const Function f = function(
      {x}, {cost, p}, {.updates = {{w, w - 0.1 * grad(cost, w)}}, .mode = {.name = "DebugMode"}});
  const Function plain = function({x}, cost);
  const Array data = random.randn({5, 3});
  const double expected = plain(data).only().item();
  EXPECT_NEAR(f(data)[0].item(), expected, 1e-12);
}

// A kernel that does not do what the op's evaluation does.
constinit const Op wrong_op = elementwise({
    .name = "wrong",
    .doc = "x + 1, but its text adds 2",
    .arity = 1,
    .dtypes = promoted,
    .text = "({0} + 2)",
    .loop = same_loop<1, [](auto x) { return static_cast<decltype(x)>(x + decltype(x){1}); }>,
});

TEST(DebugMode, FindsAKernelThatIsNotItsReference) {
  const Variable x = dvector("x");
  const Variable y = apply_elementwise(wrong_op, {x});
  const Function f = function({x}, exp(y), {.name = "f", .mode = {.name = "DebugMode"}});
  EXPECT_MESSAGE_WITH(f(Array({0.0})), "is not what its reference gives");
}

TEST(DebugMode, FindsARewriteThatChangesTheResult) {
  const Variable x = dvector("x");
  const Variable before = x + 1, after = x + 2;
  const Graph source({x}, {before}), graph({x}, {after});
  DebugGuard guard(graph, source, "f");
  const Array value({1.0, 2.0});
  const Array* values[] = {&value};
  EXPECT_MESSAGE_WITH(guard.begin(values, {}), "DebugMode: rewrites changed result 0 of 'f'");
  EXPECT_MESSAGE_WITH(guard.begin(values, {}), "element 0: expected 2.0, got 3.0");
  DebugGuard fine(source, source, "f");
  EXPECT_NO_THROW(fine.begin(values, {}));
}

TEST(DebugMode, RefusesWhatIsNotFinite) {
  const Variable x = dvector("x");
  const auto make = [&] { return function({x}, log(x), {.mode = {.name = "DebugMode"}}); };
  EXPECT_MESSAGE_WITH(make()(Array({-1.0})), "DebugMode: NaN in the output of");
  const ChangeFlags flags({{"DebugMode.check_finite", "False"}});
  EXPECT_TRUE(std::isnan(make()(Array({-1.0})).only().at({0})));
}

TEST(AssertNoCpuOp, TellsOfFunctionsOnTheCpu) {
  const Variable x = lvector("x");
  const ChangeFlags flags({{"assert_no_cpu_op", "raise"}});
  EXPECT_MESSAGE_WITH(
      function({x}, x + 1, {.name = "f"}), "assert_no_cpu_op: every node of 'f' runs on the CPU");
  const Listening listening;
  const ChangeFlags warn({{"assert_no_cpu_op", "warn"}});
  function({x}, x + 1, {.name = "f"});
  EXPECT_EQ(heard.size(), 1U);
  // A debugger that runs the program stops there; without one it is an error as any other.
  const ChangeFlags pdb({{"assert_no_cpu_op", "pdb"}});
  EXPECT_MESSAGE_WITH(function({x}, x + 1, {.name = "f"}), "every node of 'f' runs on the CPU");
}

TEST(AssertNoCpuOp, TellsOfWorkBetweenNodesOnTheGpu) {
  const Shared s = shared(Array({{3, 1}, {1, 2}}), "s");
  if (!function({}, exp(s)).uses_gpu()) GTEST_SKIP() << "the device is a CPU";
  const ChangeFlags flags({{"assert_no_cpu_op", "raise"}});
  EXPECT_NO_THROW(function({}, exp(s)));
  EXPECT_MESSAGE_WITH(
      function({}, exp(matrix_inverse(exp(s))), {.name = "f"}),
      "of 'f' runs on the CPU between nodes on the GPU");
}

TEST(ExceptionVerbosity, HighAddsTheGraphAndWhatIsInMemory) {
  const Variable a = dvector("a"), b = dvector("b");
  const Function f = function({a, b}, a + b);
  const ChangeFlags flags({{"exception_verbosity", "high"}});
  const auto call = [&] { f(Array({1, 2}), Array({1, 2, 3})); };
  EXPECT_MESSAGE_WITH(call(), "the function's graph:\n");
  EXPECT_MESSAGE_WITH(
      call(), " - b, Input, Shape: (3,), ElemSize: 8 Byte(s), TotalSize: 24 Byte(s)\n - a, Input");
  EXPECT_MESSAGE_WITH(call(), "Elemwise{add,no_inplace} [id ");
  EXPECT_MESSAGE_WITH(call(), " TotalSize: 40 Byte(s)");
}

}  // namespace
}  // namespace hypatia
