// Special functions at known values, compiled and by their reference loops.
#include "engine/ops/special.h"

#include <cmath>
#include <gtest/gtest.h>

#include "hypatia/hypatia.h"

namespace hypatia {
namespace {

void expect_values(Variable (*f)(Operand), const Array& points, const Array& wanted) {
  const Variable x = vector("x", DType::float64);
  const Variable y = f(x);
  const Array compiled = function({x}, y)(points);
  EXPECT_TRUE(all_close(compiled, wanted, 1e-12, 1e-12)) << to_text(compiled);
  const Variable narrow = f(vector("x", DType::float32));
  EXPECT_EQ(narrow.dtype(), DType::float32);
  if (!y.node().op().eval || y.node().inputs().size() != 1) return;
  const std::vector<Array> in{points};
  const Types out{y.type().with_dims(points.dims())};
  const Array reference = y.node().op().eval(EvalCall{y.node().op(), {}, in, out})[0];
  EXPECT_TRUE(all_close(reference, wanted, 1e-12, 1e-12)) << to_text(reference);
}

TEST(Special, Gamma) {
  expect_values(
      gamma, Array({1, 5, 0.5, -0.5}), Array({1, 24, 1.772453850905516, -3.544907701811032}));
}

TEST(Special, GammaLn) {
  expect_values(gammaln, Array({1, 100, 0.5}), Array({0, 359.1342053695754, 0.5723649429247001}));
}

TEST(Special, Psi) {
  expect_values(
      psi,
      Array({1, 0.5, 10, -0.5}),
      Array({-0.5772156649015329, -1.9635100260214235, 2.251752589066721, 0.03648997397857652}));
}

TEST(Special, TriGamma) {
  expect_values(
      tri_gamma,
      Array({1, 0.5, 10, -0.5, 0.1}),
      Array(
          {1.6449340668482264,
           4.934802200544679,
           0.10516633568168575,
           8.934802200544679,
           101.4332991507927}));
}

TEST(Special, ErfInv) {
  expect_values(
      erfinv,
      Array({0, 0.5, -0.9, 0.999999}),
      Array({0, 0.4769362762044699, -1.1630871536766743, 3.4589107372795}));
}

TEST(Special, ErfcInvKeepsTheDigitsOfSmallArguments) {
  const Array points({1e-300, 1e-14, 1e-10, 0.1, 1, 1.9});
  // By Newton's steps at 40 digits.
  const Array wanted(
      {26.209469960516124,
       5.4724806248623840,
       4.5728249673894853,
       1.1630871536766741,
       0,
       -1.1630871536766738});
  expect_values(erfcinv, points, wanted);
  const Variable x = vector("x", DType::float64);
  const Array got = function({x}, erfcinv(x))(points);
  EXPECT_TRUE(all_close(got, wanted, 8e-16, 1e-16)) << to_text(got);
  EXPECT_EQ(erfcinv(vector("n", DType::uint16)).dtype(), DType::float32);
  EXPECT_EQ(erfcinv(vector("n", DType::int32)).dtype(), DType::float64);
}

TEST(Special, InversesAndLogarithms) {
  const Variable x = vector("x", DType::float64);
  const Array p({0.1, 0.5, 0.9});
  EXPECT_TRUE(all_close(function({x}, expit(logit(x)))(p), p, 1e-14, 0));
  EXPECT_TRUE(all_close(function({x}, 1 - erf(erfcinv(x)))(p), p, 1e-13, 0));
  const Array small({-1e-20, -50});
  EXPECT_TRUE(all_close(
      function({x}, log1mexp(x))(small), Array({std::log(1e-20), -std::exp(-50)}), 1e-13, 0));
}

}  // namespace
}  // namespace hypatia
