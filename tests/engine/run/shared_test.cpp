// Shared variables: aliasing, dtypes, checks of new values.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

bool on_cpu() {
  return config().get("device") == "cpu";
}

TEST(Shared, AliasesTheCallersArrayOnlyWhereAskedAndOnTheHost) {
  const Array values = Array::ones(DType::float64, {2});
  const Shared by_default = shared(values), copied = shared(values, "", {.borrow = false}),
               aliased = shared(values, "", {.borrow = true});
  for (std::int64_t i = 0; i < 2; ++i)
    values.data<double>()[i] += 1;
  EXPECT_EQ(by_default.get_value().to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(copied.get_value().to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(aliased.get_value().to_vector(), std::vector<double>(2, on_cpu() ? 2 : 1));
}

TEST(Shared, ValuesComeAsCopiesUnlessBorrowed) {
  const Shared s = shared(Array({1, 2}), "s", {.target = "cpu"});
  s.get_value().data<double>()[0] = 7;
  EXPECT_EQ(s.get_value().at({0}), 1);
  s.get_value(true).data<double>()[0] = 7;
  EXPECT_EQ(s.get_value().at({0}), 7);
  EXPECT_EQ(s.get_device_value(true).address(), s.get_device_value(true).address());
  EXPECT_NE(s.get_device_value(false).address(), s.get_device_value(true).address());
}

TEST(Shared, BorrowedNewValuesAlias) {
  const Shared s = shared(Array({1, 2}), "s", {.target = "cpu"});
  const Array mine({5, 6});
  s.set_value(mine, true);
  mine.data<double>()[1] = 60;
  EXPECT_EQ(s.get_value().at({1}), 60);
  s.set_value(mine);
  mine.data<double>()[1] = 600;
  EXPECT_EQ(s.get_value().at({1}), 60);
}

TEST(Shared, BorrowIsTakenHoweverItIsWritten) {
  const Array mine({1, 2});
  const Shared s = shared(mine, {.borrow = true, .target = "cpu"});
  EXPECT_TRUE(s.name().empty());
  for (const Array& own :
       {s.get_value(true),
        s.get_value({true}),
        s.get_value({.borrow = true}),
        s.get_device_value(true),
        s.get_device_value({.borrow = true})})
    EXPECT_EQ(own.address(), mine.address());
  for (const Array& copy :
       {s.get_value(),
        s.get_value({}),
        s.get_value({.borrow = false}),
        s.get_device_value({.borrow = false})})
    EXPECT_NE(copy.address(), mine.address());
  const Array other({5, 6});
  s.set_value(other, {.borrow = true});
  EXPECT_EQ(s.get_value(true).address(), other.address());
  s.set_value(other, {.borrow = false});
  EXPECT_NE(s.get_value(true).address(), other.address());
}

TEST(Shared, InputsAndOutputsTakeTheWordBorrow) {
  const Variable x = dvector("x");
  const Array given({1.0, 2.0});
  const Function one = function({In(x, {.borrow = true})}, Out(2 * x, {.borrow = true}));
  const Array first = one(given);
  EXPECT_EQ(Array(one(Array({3.0, 4.0}))).at({0}), 6);
  EXPECT_EQ(first.at({0}), 2) << "a later call does not overwrite a result";
  EXPECT_EQ(given.at({0}), 1);
  const Function two = function({x}, {Out(2 * x, {.borrow = true}), x + 1});
  EXPECT_EQ(two(given)[1].at({1}), 3);
  const Function named = function({x}, {{"double", Out(2 * x, {.borrow = true})}});
  EXPECT_EQ(named(given)["double"].at({1}), 4);
}

TEST(Shared, KeepsTheValuesDTypeAndLetsSizesChange) {
  const Shared s = shared(Array::ones(DType::float32, {2, 3}), "s");
  EXPECT_EQ(s.dtype(), DType::float32);
  EXPECT_EQ(shared(0.5).dtype(), DType::float64);
  EXPECT_EQ(s.broadcastable(), (std::vector<bool>{false, false}));
  const Function f = function({}, s.sum());
  EXPECT_EQ(f().only().item(), 6);
  s.set_value(Array::ones(DType::float32, {4, 5}));
  EXPECT_EQ(f().only().item(), 20);
  s.zero();
  EXPECT_EQ(f().only().item(), 0);
  EXPECT_EQ(s.get_value().dims(), (Dims{4, 5}));
}

TEST(Shared, TakesValuesThatItsDTypeHolds) {
  const Shared s = shared(0.0, "s");
  s.set_value(3);
  EXPECT_EQ(s.get_value().item(), 3);
  const Shared narrow = shared(Array::ones(DType::float32, {2}), "narrow");
  narrow.set_value(Array::of<std::int16_t>({7, 8}));
  EXPECT_EQ(narrow.get_value().at({1}), 8);
  const Shared loose =
      shared(Array::ones(DType::float32, {2}), "loose", {.allow_downcast = Downcast::always});
  loose.set_value(Array({0.5, 0.25}));
  EXPECT_EQ(loose.get_value().at({1}), 0.25);
  EXPECT_EQ(loose.get_value().dtype(), DType::float32);
}

TEST(Shared, BroadcastsWhereItSaysSo) {
  const Shared row =
      shared(Array::ones(DType::float64, {1, 3}), "row", {.broadcastable = {true, false}});
  EXPECT_EQ(row.broadcastable(), (std::vector<bool>{true, false}));
  const Variable x = dmatrix("x");
  EXPECT_EQ(function({x}, x + row)(Array::ones(DType::float64, {2, 3})).only().at({1, 2}), 2);
  EXPECT_MESSAGE_WITH(
      row.set_value(Array::ones(DType::float64, {2, 3})), "axis 0 is broadcastable");
}

TEST(SharedErrors, TellOfDTypesRanksAndPatterns) {
  const Shared s = shared(Array::ones(DType::float32, {2}), "w", {.target = "cpu"});
  EXPECT_MESSAGE_WITH(
      s.set_value(Array({1.0, 2.0})),
      "a shared variable of float32 can't hold a value of float64 without losing precision");
  EXPECT_MESSAGE_WITH(s.set_value(Array({1.0, 2.0})), "variable   float32[?]   w");
  EXPECT_MESSAGE_WITH(
      s.set_value(Array::ones(DType::float32, {2, 2})),
      "wrong number of dimensions: expected 1, got 2");
  const Shared strict = shared(1.0, "strict", {.strict = true});
  EXPECT_MESSAGE_WITH(
      strict.set_value(3), "a shared variable of exactly float64 got a value of int32");
  const Shared byte = shared(Array(1).astype(DType::int8), "byte");
  EXPECT_MESSAGE_WITH(
      byte.set_value(300), "a shared variable of int8 can't hold the number 300 exactly");
  byte.set_value(100);
  EXPECT_MESSAGE_WITH(
      shared(1.0, "", {.broadcastable = {true}}),
      "shared: broadcastable has 1 entries for a value of 0 axes");
}

}  // namespace
}  // namespace hypatia
