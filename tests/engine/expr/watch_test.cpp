// The flags that look at variables while they are made: warn_float64 and compute_test_value.
#include "engine/expr/watch.h"

#include <gtest/gtest.h>

#include "engine/core/warning.h"

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

std::string error_of(FunctionRef<void()> f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_says(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

std::vector<std::string>& heard() {
  static std::vector<std::string> texts;
  return texts;
}

class Listening {
 public:
  Listening() : before_(set_warning_handler([](const std::string& t) { heard().push_back(t); })) {
    heard().clear();
  }

  ~Listening() { set_warning_handler(before_); }

  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  WarningHandler before_;
};

TEST(WarnFloat64, NamesTheFirstNodeThatWidened) {
  const ChangeFlags flags({{"warn_float64", "warn"}, {"floatX", "float32"}});
  const Listening listening;
  const Variable x = vector("x"), n = ivector("n");
  const Variable scaled = x * n;
  (scaled + 1).sum();
  ASSERT_EQ(heard().size(), 1U);
  expect_says(heard()[0], "Elemwise{mul,no_inplace} makes a float64 of other dtypes");
  expect_says(heard()[0], "watch_test.cpp");
  expect_says(heard()[0], "int32[?]");
}

TEST(WarnFloat64, RaisesAtTheLineThatWidens) {
  const ChangeFlags flags({{"warn_float64", "raise"}, {"floatX", "float32"}});
  const Variable x = vector("x");
  expect_says(error_of([&] { x* constant(Array(0.1)); }), "makes a float64");
  expect_says(error_of([] { dvector("wide"); }), "'wide' is made as float64");
  expect_says(error_of([] { shared(Array({1, 2}), "w"); }), "'w' is made as float64");
  EXPECT_EQ((x * 0.1 + 1).mean().dtype(), DType::float32);
}

TEST(WarnFloat64, OutsideADebuggerPdbRaises) {
  const ChangeFlags flags({{"warn_float64", "pdb"}});
  EXPECT_THROW(dscalar("x"), Error);
}

TEST(WarnFloat64, RewritesAndCallsAreNotWatched) {
  const Variable x = vector("x", DType::float32), n = ivector("n");
  const Variable y = exp(x * n) / 2;
  const ChangeFlags flags({{"warn_float64", "raise"}});
  const Array result =
      function({x, n}, y)(Array({0}).astype(DType::float32), Array({1}).astype(DType::int32));
  EXPECT_EQ(result.to_vector(), std::vector<double>{0.5});
}

TEST(ComputeTestValue, EvaluatesEachNodeAtOnce) {
  const ChangeFlags flags({{"compute_test_value", "raise"}});
  const Variable x = dmatrix("x");
  x.tag().test_value = Array({{1, 2}, {3, 4}});
  const Shared w = shared(Array({1, 10}), "w");
  const Variable y = dot(x, w) + 0.5;
  ASSERT_TRUE(y.tag().test_value);
  EXPECT_TRUE(same_elements(*y.tag().test_value, Array({21.5, 43.5})));
  EXPECT_TRUE(same_elements(*grad(y.sum(), x).tag().test_value, Array({{1, 10}, {1, 10}})));
}

TEST(ComputeTestValue, FailsAtTheLineOfTheMistake) {
  const ChangeFlags flags({{"compute_test_value", "raise"}});
  const Variable x = dmatrix("x"), y = dmatrix("y");
  x.tag().test_value = Array::zeros(DType::float64, {5, 10});
  y.tag().test_value = Array::zeros(DType::float64, {20, 10});
  const int line = __LINE__ + 1;
  const std::string text = error_of([&] { dot(x, y); });
  expect_says(text, "inner dimensions differ, 10 and 20");
  expect_says(text, "float64[5, 10]");
  expect_says(text, "watch_test.cpp:" + std::to_string(line));
  expect_says(text, "compute_test_value");
}

TEST(ComputeTestValue, SaysWhatHasNone) {
  const Variable x = dvector("x");
  {
    const ChangeFlags flags({{"compute_test_value", "raise"}});
    expect_says(error_of([&] { x * 2; }), "'x' has no test value");
  }
  {
    const ChangeFlags flags({{"compute_test_value", "warn"}});
    const Listening listening;
    EXPECT_TRUE(x * 2);
    ASSERT_EQ(heard().size(), 1U);
    expect_says(heard()[0], "'x' has no test value");
  }
  const ChangeFlags flags({{"compute_test_value", "ignore"}});
  const Listening listening;
  EXPECT_FALSE((x * 2).tag().test_value);
  EXPECT_TRUE(heard().empty());
}

TEST(ComputeTestValue, GoesThroughLoops) {
  const ChangeFlags flags({{"compute_test_value", "raise"}});
  const Variable x = dmatrix("x"), start = dvector("start");
  x.tag().test_value = Array({{1, 2}, {3, 4}});
  start.tag().test_value = Array({10, 20});
  const Shared calls = shared(Array(0.0), "calls");
  const auto [rows, updates] = scan(
      [&](Variable row, Variable before, Variable factor) {
        EXPECT_TRUE(same_elements(*row.tag().test_value, Array({1, 2})));
        EXPECT_TRUE(same_elements(*before.tag().test_value, Array({10, 20})));
        return ScanStep{.outputs = {before + row * factor}, .updates = {{calls, calls + 1}}};
      },
      {.sequences = {x}, .outputs_info = {start}, .non_sequences = {constant(Array(2.0))}});
  EXPECT_TRUE(same_elements(*rows[0].tag().test_value, Array({{12, 24}, {18, 32}})));
  const Variable slope = grad(rows[0].sum(), x);
  EXPECT_TRUE(same_elements(*slope.tag().test_value, Array({{4, 4}, {2, 2}})));
  const std::string text = error_of([&] {
    scan([](Variable row) { return dot(row, constant(Array({1, 2, 3}))); }, {.sequences = {x}});
  });
  expect_says(text, "inner dimensions differ, 2 and 3");
}

TEST(ComputeTestValue, ReachesJacobiansAndPushforwards) {
  const ChangeFlags flags({{"compute_test_value", "raise"}});
  const Variable x = dvector("x");
  x.tag().test_value = Array({3, 4});
  EXPECT_TRUE(same_elements(*jacobian(sqr(x), x).tag().test_value, Array({{6, 0}, {0, 8}})));
  EXPECT_TRUE(same_elements(*Rop(max(sqr(x)), x, x).tag().test_value, Array(32.0)));
}

TEST(ComputeTestValue, OfAnotherRankIsAnError) {
  const ChangeFlags flags({{"compute_test_value", "raise"}});
  const Variable x = dvector("x");
  x.tag().test_value = Array({{1, 2}});
  EXPECT_THROW(x * 2, Error);
}

TEST(ComputeTestValue, IsOffUnlessAskedFor) {
  const Variable x = dvector("x");
  x.tag().test_value = Array({{1, 2}});
  EXPECT_FALSE((x * 2).tag().test_value);
}

TEST(Variable, ClonesAreOtherVariablesOfTheSameType) {
  const Variable x = row("x", DType::int16), y = (x + x).clone();
  EXPECT_FALSE(x.clone() == x);
  EXPECT_EQ(x.clone().name(), "x");
  EXPECT_EQ(y.broadcastable(), x.broadcastable());
  EXPECT_EQ(y.owner(), nullptr);
}

}  // namespace
}  // namespace hypatia
