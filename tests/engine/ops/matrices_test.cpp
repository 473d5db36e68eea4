// tensordot, batched products and kron, against sums written out, with their gradients.
#include "engine/ops/values.h"

#include "tests/engine/core/messages.h"
#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

TEST(Tensordot, JoinsTheAxesNamed) {
  const Variable a = counting({2, 3, 4}), b = counting({4, 3, 5});
  const Array value = asarray(value_of(tensordot(a, b, {1, 2}, {1, 0})));
  ASSERT_EQ(value.dims(), (Dims{2, 5}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      double total = 0;
      for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t l = 0; l < 4; ++l)
          total += static_cast<double>((12 * i + 4 * k + l) * (15 * l + 5 * k + j));
      }
      EXPECT_EQ(value.at({i, j}), total);
    }
  }
}

TEST(Dot, OfNumbersMultipliesAndOfMoreAxesJoinsTheLastWithTheSecondLast) {
  const Variable v = counting({3}), a = counting({2, 3, 4}), b = counting({5, 4, 2});
  EXPECT_EQ(list_of(dot(2.0f, v)), (List{0, 2, 4}));
  EXPECT_EQ(list_of(dot(v, 2.0f)), (List{0, 2, 4}));
  EXPECT_EQ(list_of(dot(2.0f, constant(Array(3.0f)))), (List{6}));
  EXPECT_EQ(list_of(dot(a, b)), list_of(tensordot(a, b, {2}, {1})));
  EXPECT_EQ(value_of(dot(a, b)).dims(), (Dims{2, 3, 5, 2}));
  EXPECT_EQ(list_of(dot(counting({4}), b)), list_of(tensordot(counting({4}), b, {0}, {1})));
  EXPECT_EQ(list_of(dot(a, counting({4}))), list_of(tensordot(a, counting({4}), {2}, {0})));
}

TEST(Tensordot, ANumberJoinsTheLastWithTheFirst) {
  const Variable a = counting({2, 3}), b = counting({3, 2});
  EXPECT_EQ(list_of(tensordot(a, b, 1)), list_of(dot(a, b)));
  EXPECT_EQ(list_of(tensordot(a, counting({2, 3}), 2)), (List{55}));
  const Array outer_product = asarray(value_of(tensordot(counting({2}), counting({2, 2}), 0)));
  EXPECT_EQ(outer_product.dims(), (Dims{2, 2, 2}));
  EXPECT_EQ(outer_product.to_vector(), (List{0, 0, 0, 0, 0, 1, 2, 3}));
}

TEST(Tensordot, SizesThatDifferAreRefusedThoughTheirProductsAgree) {
  const Variable a = matrix("a", DType::float32), b = matrix("b", DType::float32);
  const Function f = function({a, b}, tensordot(a, b, 2));
  const Array wide = Array::ones(DType::float32, {2, 3}),
              high = Array::ones(DType::float32, {3, 2});
  EXPECT_EQ(Array(f(wide, wide)).item(), 6);
  const std::string text = tests::message_of([&] { f(wide, high); });
  EXPECT_NE(text.find("sizes of joined axes differ: 2 and 3"), std::string::npos) << text;
  EXPECT_NE(text.find("matrices_test.cpp"), std::string::npos) << text;
  EXPECT_THROW(tensordot(a, b, {0}, {0, 1}), Error);
  EXPECT_THROW(tensordot(a, b, {0, 0}, {0, 1}), Error);
  EXPECT_THROW(tensordot(a, b, 3), Error);
}

TEST(BatchedTensordot, IsATensordotForEachEntry) {
  const Variable a = counting({2, 3, 4, 5}), b = counting({2, 4, 5, 2});
  const Array whole = asarray(value_of(batched_tensordot(a, b, 2)));
  ASSERT_EQ(whole.dims(), (Dims{2, 3, 2}));
  for (int entry : {0, 1}) {
    const Array one = asarray(value_of(tensordot(a[entry], b[entry], 2)));
    EXPECT_TRUE(all_close(whole[entry], one)) << to_text(whole) << to_text(one);
  }
}

TEST(BatchedDot, TakesVectorsAndMatrices) {
  const Variable rows = counting({2, 3}), matrices = counting({2, 3, 2});
  EXPECT_EQ(list_of(batched_dot(rows, rows)), (List{5, 50}));
  EXPECT_EQ(list_of(batched_dot(rows, matrices)), (List{10, 13, 100, 112}));
  EXPECT_EQ(list_of(batched_dot(matrices, counting({2, 2}))), (List{1, 3, 5, 33, 43, 53}));
  EXPECT_EQ(list_of(batched_dot(matrices, counting({2, 2, 1}))), (List{1, 3, 5, 33, 43, 53}));
  EXPECT_THROW(batched_dot(counting({2}), rows), Error);
}

TEST(Kron, PutsEveryEntryTimesTheOther) {
  const Variable a = counting({1, 2}) + 1.0f, b = counting({2, 2});
  const Array value = asarray(value_of(kron(a, b)));
  EXPECT_EQ(value.dims(), (Dims{2, 4}));
  EXPECT_EQ(value.to_vector(), (List{0, 1, 0, 2, 2, 3, 4, 6}));
  EXPECT_EQ(list_of(kron(counting({2}), counting({3}))), (List{0, 0, 0, 0, 1, 2}));
}

TEST(Products, HaveTheDerivativesOfTheirDifferences) {
  RandomState random(3);
  expect_gradients_match(
      [](const Vars& in) {
        return tensordot(in[0], in[1], {2, 0}, {0, 1});
      },
      {random.randn({2, 3, 4}), random.randn({4, 2, 2})});
  expect_gradients_match(
      [](const Vars& in) { return batched_tensordot(in[0], in[1], 1); },
      {random.randn({2, 3, 4}), random.randn({2, 4, 2})});
  expect_gradients_match(
      [](const Vars& in) { return kron(in[0], in[1]); },
      {random.randn({2, 3}), random.randn({3, 2})});
  expect_gradients_match(
      [](const Vars& in) { return batched_dot(in[0], in[1]); },
      {random.randn({2, 3}), random.randn({2, 3, 2})});
}

}  // namespace
}  // namespace hypatia
