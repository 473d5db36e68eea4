// What function() refuses: empty handles, private state that does not fit, arrays of impossible
// sizes; and the plain numbers of C++ that calls take.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

TEST(EmptyHandles, AreErrorsWhereverTheyEnter) {
  const Variable x = dmatrix("x"), none;
  const Shared s = shared(Array({1.0, 2.0}), "s");
  const std::string came = "was expected, and an empty variable came";
  EXPECT_MESSAGE_WITH(none + x, "an operand " + came);
  EXPECT_MESSAGE_WITH(none + x, "program_test.cpp:");
  EXPECT_MESSAGE_WITH(exp(none), came);
  EXPECT_MESSAGE_WITH(none.sum(), came);
  EXPECT_MESSAGE_WITH(none[0], came);
  EXPECT_MESSAGE_WITH(none.name(), came);
  EXPECT_MESSAGE_WITH(x[none], came);
  EXPECT_MESSAGE_WITH(function({x}, none), "output 0 " + came);
  EXPECT_MESSAGE_WITH(function({x}, {x, none}), "output 1 " + came);
  EXPECT_MESSAGE_WITH(function({none}, x), "input 0 " + came);
  EXPECT_MESSAGE_WITH(
      function({}, Vars{}, {.updates = {{s, none}}}), "the new value of a shared variable " + came);
  EXPECT_MESSAGE_WITH(
      function({}, Vars{}, {.updates = {{none, x}}}), "only shared variables can be updated");
  EXPECT_MESSAGE_WITH(
      function({x}, x, {.givens = {{s, none}}}), "the replacement of a given " + came);
  EXPECT_MESSAGE_WITH(function({x}, x, {.givens = {{none, x}}}), "the target of a given " + came);
  EXPECT_MESSAGE_WITH(grad(none, x), "grad needs a cost");
  EXPECT_MESSAGE_WITH(eval(none), came);
  EXPECT_MESSAGE_WITH(pprint(none), came);
  EXPECT_MESSAGE_WITH(debugprint(none), came);
  EXPECT_MESSAGE_WITH(
      Function()(1), "a compiled function was expected, and an empty Function came");
  EXPECT_MESSAGE_WITH(Function().name(), "an empty Function came");
  EXPECT_MESSAGE_WITH(Shared().get_value(), came);
  EXPECT_MESSAGE_WITH(Shared().set_value(1.0), came);
}

TEST(ImpossibleSizes, AreTheErrorOfAnArrayOfThem) {
  const Variable k = lscalar("k");
  const std::string text = "(4294967296, 4294967296) has more bytes than an address space";
  const std::int64_t n = std::int64_t{1} << 32;
  for (const char* optimizer : {"None", "fast_run"}) {
    for (const char* linker : {"vm", "cvm"}) {
      const FunctionOptions options{.mode = {.linker = linker, .optimizer = optimizer}};
      const auto message = [&](const Variable& v) { return function({k}, v, options); };
      EXPECT_MESSAGE_WITH(message(zeros({k, k}))(n), text);
      EXPECT_MESSAGE_WITH(message(ones({k, k}) + 1)(n), text);
      EXPECT_MESSAGE_WITH(message(sum(ones({k, k}) * 2, 0))(n), text);
    }
  }
}

TEST(PrivateState, HasAValueAndItsType) {
  const Variable y = dscalar("y"), v = dvector("v");
  EXPECT_MESSAGE_WITH(
      function({v, In(y, {.value = 10.0, .update = v})}, y),
      "the update of input 1 must have the input's type");
  EXPECT_MESSAGE_WITH(
      function({In(y, {.value = 10.0, .update = cast(y, DType::int32)})}, y),
      "help: convert the new value with cast");
  EXPECT_MESSAGE_WITH(
      function({In(y, {.update = y + 1})}, y), "input 0 has an update and no value to begin with");
  const Function f = function({In(y, {.value = 10.0, .update = y + 1})}, y);
  f();
  EXPECT_EQ(f().only().item(), 11);
}

TEST(ProgramErrors, SayHowToFitAndWhere) {
  const Shared s = shared(Array({{1.0, 2.0}}), "s"),
               row = shared(Array({{1.0, 2.0}}), "row", {.broadcastable = {true, false}});
  const int line = __LINE__ + 1;
  const Variable kept = s.sum(0, true);
  EXPECT_MESSAGE_WITH(function({}, Vars{}, {.updates = {{s, kept}}}), "unbroadcast(value");
  EXPECT_MESSAGE_WITH(
      function({}, Vars{}, {.updates = {{s, kept}}}), "program_test.cpp:" + std::to_string(line));
  EXPECT_MESSAGE_WITH(function({}, s + 1, {.givens = {{s, row}}}), "patternbroadcast");
  const Variable nameless = dscalar(), x = dscalar("x");
  EXPECT_MESSAGE_WITH(function({x}, x + nameless), "a value is needed for an unnamed variable");
  EXPECT_MESSAGE_WITH(
      function({nameless}, nameless)(), "missing required input: an unnamed variable (number 0");
  EXPECT_MESSAGE_WITH(vectors(-1), "-1 variables were asked for");
  EXPECT_MESSAGE_WITH(config().set("threads", "-1"), "it is an integer, 0 or more");
}

TEST(PlainNumbers, OfEveryIntegerTypeAreValues) {
  const Variable x = dscalar("x"), v = dvector("v"), n = lscalar("n");
  const Function f = function({x}, x + 1), g = function({n}, n + 1);
  EXPECT_EQ(f(1LL).only().item(), 2);
  EXPECT_EQ(f(1U).only().item(), 2);
  EXPECT_EQ(f(1UL).only().item(), 2);
  EXPECT_EQ(f(1ULL).only().item(), 2);
  EXPECT_EQ(f(short{1}).only().item(), 2);
  EXPECT_EQ(g(std::size_t{1}).only().item(), 2);
  EXPECT_EQ(g(1U).only().item(), 2);
  EXPECT_EQ(shared(1LL).dtype(), DType::int64);
  EXPECT_EQ(shared(std::size_t{1}).dtype(), DType::uint64);
  EXPECT_EQ(constant(1U).dtype(), DType::uint32);
  EXPECT_EQ(function({v}, v[std::size_t{1}])(Array({1, 2})).only().item(), 2);
  EXPECT_EQ(function({v}, v[1LL])(Array({1, 2})).only().item(), 2);
  EXPECT_EQ(function({v}, v[slice(1U, none)])(Array({1, 2})).only().dims(), Dims({1}));
  EXPECT_EQ(function({v}, v * 2)(std::vector<double>{1, 2}).only().at({1}), 4);
  EXPECT_EQ(Array(std::vector<float>{1, 2}).dtype(), DType::float32);
  EXPECT_EQ(function({x}, x + 1ULL)(1).only().item(), 2);
}

}  // namespace
}  // namespace hypatia
