#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/core/warning.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

double number(const Results& results) {
  return results.only().item();
}

TEST(Function, GivesOneSeveralNamedAndNoResults) {
  const Variable x = scalar("x");
  const Function several = function({x}, {x + 1, x * 2});
  EXPECT_EQ(several(3.0)[1].item(), 6);
  const Function named_ones = function({x}, {{"sum", x + 1}, {"product", x * 2}});
  EXPECT_EQ(named_ones(3.0)["product"].item(), 6);
  const Shared state = shared(0.0, "state");
  const Function none = function({x}, Vars{}, {.updates = {{state, state + x}}});
  EXPECT_EQ(none(3.0).size(), 0U);
  EXPECT_EQ(state.get_value().item(), 3);
}

TEST(Function, UpdatesUseOldValues) {
  const Shared state = shared(std::int64_t{0}, "state");
  const Variable inc = scalar("inc", DType::int64);
  const Function accumulator = function({inc}, state, {.updates = {{state, state + inc}}});
  const Function decrementor = function({inc}, state, {.updates = {{state, state - inc}}});
  EXPECT_EQ(number(accumulator(1)), 0);
  EXPECT_EQ(state.get_value().item(), 1);
  EXPECT_EQ(number(accumulator(300)), 1);
  EXPECT_EQ(state.get_value().item(), 301);
  state.set_value(std::int64_t{-1});
  EXPECT_EQ(number(accumulator(3)), -1);
  EXPECT_EQ(number(decrementor(2)), 2);
  EXPECT_EQ(state.get_value().item(), 0);
}

TEST(Function, UpdatesSwapValues) {
  const Shared a = shared(1.0, "a"), b = shared(2.0, "b");
  function({}, Vars{}, {.updates = {{a, b}, {b, a}}})();
  EXPECT_EQ(a.get_value().item(), 2);
  EXPECT_EQ(b.get_value().item(), 1);
}

TEST(Function, GivensReplaceForThisFunctionOnly) {
  const Shared state = shared(std::int64_t{0}, "state");
  const Variable inc = scalar("inc", DType::int64), foo = scalar("foo", DType::int64);
  const Variable expression = state * 2 + inc;
  const Function skip = function({inc, foo}, expression, {.givens = {{state, foo}}});
  EXPECT_EQ(number(skip(1, 3)), 7);
  EXPECT_EQ(state.get_value().item(), 0);
}

TEST(Function, InputsHaveDefaultsAndNames) {
  const Variable x = scalar("x"), y = scalar("y"), w = scalar("w");
  const Function plus = function({x, In(y, {.value = 1.0})}, x + y);
  EXPECT_EQ(number(plus(33.0)), 34);
  EXPECT_EQ(number(plus(33.0, 2.0)), 35);
  const Function f =
      function({x, In(y, {.value = 1.0}), In(w, {.value = 2.0, .name = "w_by_name"})}, (x + y) * w);
  EXPECT_EQ(number(f(33.0)), 68);
  EXPECT_EQ(number(f(33.0, 2.0)), 70);
  EXPECT_EQ(number(f(33.0, 0.0, 1.0)), 33);
  EXPECT_EQ(number(f(33.0, named("w_by_name", 1.0))), 34);
  EXPECT_EQ(number(f(33.0, named("w_by_name", 1.0), named("y", 0.0))), 33);
}

TEST(Function, InputsKeepPrivateState) {
  const Variable x = scalar("x"), total = scalar("total");
  const Function f = function({x, In(total, {.value = 0.0, .update = total + x})}, total);
  EXPECT_EQ(number(f(1.0)), 0);
  EXPECT_EQ(number(f(5.0)), 1);
  EXPECT_EQ(number(f(0.0)), 6);
}

TEST(Function, CopiesSwapStateOrDropUpdates) {
  const Shared state = shared(10.0, "state"), other = shared(100.0, "other");
  const Variable inc = scalar("inc");
  const Function f = function({inc}, state, {.updates = {{state, state + inc}}});
  const Function swapped = f.copy({.swap = {{state, other}}});
  EXPECT_EQ(number(swapped(1.0)), 100);
  EXPECT_EQ(other.get_value().item(), 101);
  EXPECT_EQ(state.get_value().item(), 10);
  const Function still = f.copy({.delete_updates = true});
  EXPECT_EQ(number(still(5.0)), 10);
  EXPECT_EQ(state.get_value().item(), 10);
}

TEST(Function, DefaultUpdatesRunUnlessTurnedOff) {
  const Shared counter = shared(0.0, "counter");
  counter.set_default_update(counter + 1);
  const Function counts = function({}, counter * 1);
  const Function looks = function({}, counter * 1, {.no_default_updates = true});
  EXPECT_EQ(number(counts()), 0);
  EXPECT_EQ(number(counts()), 1);
  EXPECT_EQ(number(looks()), 2);
  EXPECT_EQ(number(looks()), 2);
}

TEST(Function, ResultsStayValidAfterLaterCalls) {
  const Variable x = vector("x");
  const Function f = function({x}, x * 2);
  std::vector<Array> kept;
  for (int i = 0; i < 10; ++i)
    kept.push_back(f(Array({1.0 * i, 2.0 * i})));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(kept[static_cast<std::size_t>(i)].at({1}), 4.0 * i);
}

TEST(Function, EvaluatesAnExpressionAtOnce) {
  const Variable x = scalar("x"), y = scalar("y");
  EXPECT_EQ(eval(x * y, {{x, 3.0}, {y, 4.0}}).item(), 12);
}

TEST(Function, TakesWiderValuesAsTold) {
  const Variable x = fvector("x");
  const Array wide({0.1, 0.2});
  const auto make = [&](Downcast downcast) {
    return function({x}, x * 2, {.allow_input_downcast = downcast});
  };
  EXPECT_NEAR(make(Downcast::always)(wide).only().at({1}), 0.4, 1e-6);
  EXPECT_THROW(make(Downcast::never)(wide), Error);
  EXPECT_THROW(make(Downcast::numbers)(wide), Error);
  EXPECT_EQ(make(Downcast::never)(Array::of<std::int16_t>({1, 2})).only().at({1}), 4);
  const Variable factor = fscalar("factor");
  const auto scaled = [&](Downcast downcast) {
    return function({factor}, factor * 2, {.allow_input_downcast = downcast});
  };
  EXPECT_NEAR(number(scaled(Downcast::numbers)(0.1)), 0.2, 1e-7);
  EXPECT_EQ(number(scaled(Downcast::numbers)(3)), 6);
  EXPECT_THROW(scaled(Downcast::never)(0.1), Error);
}

TEST(Function, AnInputsWishWinsOverTheFunctions) {
  const Variable x = fvector("x"), y = fvector("y");
  const Function f = function(
      {In(x, {.allow_downcast = Downcast::never}), y},
      x + y,
      {.allow_input_downcast = Downcast::always});
  const Array wide({1.0}), narrow = Array::ones(DType::float32, {1});
  EXPECT_EQ(f(narrow, wide).only().at({0}), 2);
  EXPECT_THROW(f(wide, narrow), Error);
}

TEST(Function, IsNamedByItsLine) {
  const Variable x = dscalar("x");
  EXPECT_EQ(function({x}, x + 1, {.name = "plus"}).name(), "plus");
  const Function f = function({x}, x + 1);
  EXPECT_EQ(f.name(), "function_test.cpp:" + std::to_string(__LINE__ - 1));
}

TEST(Function, ResultsAreTheCallersOwn) {
  const Variable x = dvector("x");
  const Shared s = shared(Array({1, 2}), "s", {.target = "cpu"});
  const Function f = function({x}, {x, x, s, s});
  const Array given({5, 6});
  const Results r = f(given);
  for (const Array& a : r)
    asarray(a).data<double>()[0] = 99;
  EXPECT_EQ(given.at({0}), 5);
  EXPECT_EQ(s.get_value().at({0}), 1);
  EXPECT_EQ(f(given)[0].at({0}), 5);
  EXPECT_EQ(f(given)[2].at({0}), 1);
}

TEST(Function, RepeatsCallsInOneSubmission) {
  const Shared state = shared(0.0, "state"), v = shared(Array({1, 2, 3}), "v");
  const Function f = function({}, {state, v * 2}, {.updates = {{state, state + 1}, {v, v + 1}}});
  for (const int n : {1, 5, 64, 200}) {
    const double before = state.get_value().item();
    const Results last = f.fn({.n_calls = n});
    EXPECT_EQ(asarray(last[0]).item(), before + n - 1);
    EXPECT_EQ(asarray(last[1]).at({2}), 2 * (3 + before + n - 1));
    EXPECT_EQ(state.get_value().item(), before + n);
    EXPECT_EQ(v.get_value().at({0}), 1 + before + n);
  }
  v.set_value(Array({7, 7, 7, 7}));
  EXPECT_EQ(asarray(f.fn({.n_calls = 130})[1]).at({3}), 2 * (7 + 129));
  EXPECT_MESSAGE_WITH(f.fn({.n_calls = 0}), "at least one call makes a result");
}

TEST(Function, FreesAndGoesOn) {
  const Variable x = dvector("x");
  const Function f = function({x}, exp(x));
  EXPECT_EQ(f(Array({0.0})).only().at({0}), 1);
  f.free();
  EXPECT_EQ(f.source(), "");
  EXPECT_EQ(f(Array({0.0})).only().at({0}), 1);
}

TEST(Function, DefaultsAreReadAndSetByName) {
  const Variable x = dscalar("x"), total = dscalar("total");
  const Function f = function(
      {x, In(total, {.value = 1.0, .name = "so far", .update = total + x})}, total, {.name = "f"});
  f(4.0);
  EXPECT_EQ(f.value("so far").item(), 5);
  f.set_value("so far", 100.0);
  EXPECT_EQ(number(f(1.0)), 100);
  EXPECT_EQ(f.value("so far").item(), 101);
  EXPECT_MESSAGE(
      f.value("total"), "'f' has no input named 'total'\n   help: its inputs are x, so far");
  EXPECT_MESSAGE(
      f.value("x"),
      "the input 'x' of 'f' has no default\n   help: declare it as In(x, {.value = …})");
  EXPECT_MESSAGE_WITH(f.set_value("so far", Array({1, 2})), "wrong number of dimensions");
}

TEST(Function, SharedVariablesAreListed) {
  const Shared w = shared(1.0, "w"), b = shared(2.0, "b");
  const Variable x = dscalar("x");
  const Function f = function({x}, x * w, {.updates = {{b, b + x}}});
  const std::vector<Shared> all = f.get_shared();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0] == w);
  EXPECT_TRUE(all[1] == b);
}

thread_local std::string told;

TEST(FunctionErrors, UnusedInputsRaiseWarnOrPass) {
  const Variable x = dscalar("x"), y = dscalar("y");
  const auto make = [&](const char* what) {
    return function({x, y}, x + 1, {.on_unused_input = what});
  };
  EXPECT_MESSAGE_WITH(
      make("raise"),
      "input 1 is not part of what computes the outputs and updates\n   input   float64[]   y   "
      "made");
  EXPECT_MESSAGE_WITH(
      make("raise"), "help: leave it out, or pass on_unused_input 'warn' or 'ignore'");
  const WarningHandler before = set_warning_handler([](const std::string& t) { told += t; });
  make("ignore");
  EXPECT_EQ(told, "");
  make("warn");
  EXPECT_NE(told.find("input 1 is not part of"), std::string::npos) << told;
  set_warning_handler(before);
  const ChangeFlags flags({{"on_unused_input", "ignore"}});
  EXPECT_EQ(function({x, y}, x + 1)(1.0, 2.0).only().item(), 2);
}

TEST(FunctionErrors, TellOfGivens) {
  const Variable x = dscalar("x"), y = dscalar("y"), z = dscalar("z");
  EXPECT_MESSAGE_WITH(
      function({x}, x + y, {.givens = {{y, cast(x, DType::float32)}}}),
      "a given must have the type of what it replaces\n   replaced");
  EXPECT_MESSAGE_WITH(
      function({x, y}, x + y, {.givens = {{y, x}}}),
      "a variable is both an input and the target of a given");
  EXPECT_MESSAGE_WITH(
      function({z}, x + y, {.givens = {{x, z}, {x, z + 1}}}), "replaced twice by givens");
  EXPECT_MESSAGE_WITH(
      function({}, x + y, {.givens = {{x, y + 1}, {y, x + 1}}}),
      "a given's replacement reads the target of another");
  EXPECT_EQ(function({z}, x + y, {.givens = {{x, z}, {y, z * 2}}})(3.0).only().item(), 9);
}

TEST(FunctionErrors, NumbersMustFit) {
  const Variable byte = bscalar("byte"), whole = iscalar("whole");
  const Function f = function({byte}, byte + 1), g = function({whole}, whole + 1);
  EXPECT_EQ(number(f(100)), 101);
  EXPECT_MESSAGE_WITH(f(300), "an input of int8 can't hold the number 300 exactly");
  EXPECT_EQ(number(g(3.0)), 4);
  EXPECT_MESSAGE_WITH(g(3.5), "an input of int32 can't hold the number 3.5 exactly");
  EXPECT_MESSAGE_WITH(f(300), "input 0   int8[]   byte   made at function_test.cpp");
}

TEST(FunctionErrors, TellTheTypeOfAnUpdate) {
  const Shared s = shared(Array::ones(DType::float32, {2}), "s");
  EXPECT_MESSAGE_WITH(
      function({}, Vars{}, {.updates = {{s, s * constant(Array({1.0, 2.0}))}}}),
      "an update must have the same type as its shared variable\n   shared      float32[?]");
  EXPECT_MESSAGE_WITH(
      function({}, Vars{}, {.updates = {{s, s.sum()}}}),
      "help: the ranks differ: use reshape or dimshuffle");
  const Variable x = fvector("x");
  EXPECT_MESSAGE_WITH(
      function({x}, x, {.updates = {{x, x * 2}}}), "only shared variables can be updated");
}

TEST(FunctionErrors, ResultsAreAskedForByWhatThereIs) {
  const Variable x = dscalar("x");
  const Results two = function({x}, {{"sum", x + 1}, {"product", x * 2}})(1.0);
  EXPECT_MESSAGE(
      two["total"], "there is no result named 'total'\n   help: the results are sum, product");
  EXPECT_MESSAGE_WITH(two[2], "result 2 was asked for, and the call has 2");
  EXPECT_MESSAGE_WITH(two.only(), "the call has 2 results, and one was asked for");
}

TEST(FunctionErrors, TellWhatIsMissingOrTooMuch) {
  const Variable x = scalar("x"), y = scalar("y");
  const Function f = function({x, y}, x + y, {.name = "plus"});
  EXPECT_MESSAGE_WITH(f(1.0), "missing required input: y (number 1 of 'plus')");
  EXPECT_MESSAGE_WITH(f(1.0, 2.0, 3.0), "too many arguments: 'plus' takes 2, and 3 came");
  EXPECT_MESSAGE_WITH(f(1.0, named("x", 2.0)), "multiple values for input x");
  EXPECT_MESSAGE_WITH(f(1.0, named("z", 2.0)), "'plus' has no input named 'z'");
  EXPECT_MESSAGE_WITH(
      function({x}, x + y), "a value is needed for 'y', which is not among the inputs");
  EXPECT_MESSAGE_WITH(function({x, y}, x + 1), "input 1 is not part of what computes the outputs");
  EXPECT_MESSAGE_WITH(function({x, x}, x + 1), "input 0 comes twice");
  EXPECT_NO_THROW(function({x, y}, x + 1, {.on_unused_input = "ignore"}));
}

TEST(FunctionErrors, TellOfSharedVariablesAndUpdates) {
  const Variable x = scalar("x");
  const Shared state = shared(0.0, "state");
  EXPECT_MESSAGE_WITH(
      function({state}, state + 1), "is a shared variable, which has its value already");
  EXPECT_MESSAGE_WITH(
      function({x}, x, {.updates = {{state, state + 1}, {state, state + 2}}}), "updated twice");
  EXPECT_MESSAGE_WITH(
      function({x}, x, {.updates = {{state, cast(state, DType::int32)}}}),
      "an update must have the same type as its shared variable");
  EXPECT_MESSAGE_WITH(
      function({x}, x + state, {.givens = {{x, state}}}),
      "both an input and the target of a given");
}

TEST(FunctionErrors, TellOfDtypesRanksAndSizes) {
  const Variable x = vector("x", DType::float32);
  const Function f = function({x}, x * 2);
  EXPECT_MESSAGE_WITH(
      f(Array({1.0, 2.0})), "can't hold a value of float64 without losing precision");
  EXPECT_MESSAGE_WITH(
      f(Array::ones(DType::float32, {2, 2})), "wrong number of dimensions: expected 1, got 2");
  const Function loose = function({x}, x * 2, {.allow_input_downcast = Downcast::always});
  EXPECT_EQ(loose(Array({1.0, 2.0})).only().at({1}), 4);
  const Variable a = vector("a"), b = vector("b");
  const Function sum_of = function({a, b}, a + b);
  EXPECT_MESSAGE_WITH(
      sum_of(Array({1, 2}), Array({1, 2, 3})), "sizes differ along axis 0: 2 and 3");
}

}  // namespace
}  // namespace hypatia
