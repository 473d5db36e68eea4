// Print: the identity that writes its value at each run.
#include "engine/ops/print_op.h"

#include "engine/ops/values.h"

namespace hypatia {
namespace {

TEST(Print, WritesItsValueAtEachRun) {
  const Variable x = dvector("x");
  const Function f = function({x}, Print("msg")(x) * 2);
  testing::internal::CaptureStdout();
  const Array result = f(Array({1, 2, 3}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "msg __str__ = [ 1.  2.  3.]\n");
  EXPECT_TRUE(same_elements(result, Array({2, 4, 6})));
}

TEST(Print, WritesTheAttributesAskedFor) {
  const Variable x = dmatrix("x");
  const Function f = function({x}, Print("x", {"shape", "dtype", "max", "mean"})(x));
  testing::internal::CaptureStdout();
  f(Array({{1, 2, 3, 4}}));
  EXPECT_EQ(
      testing::internal::GetCapturedStdout(),
      "x shape = (1, 4)\nx dtype = float64\nx max = 4.0\nx mean = 2.5\n");
  EXPECT_THROW(Print("x", {"colour"}), Error);
}

TEST(Print, PassesGradientsAndStandsInTheWayOfRewrites) {
  const Variable x = dscalar("x");
  const Variable y = Print("y")(exp(x));
  const Function f = function({x}, {log(y), grad(y, x)});
  testing::internal::CaptureStdout();
  const Results r = f(0.0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "y __str__ = 1.0\n");
  EXPECT_EQ(r[0].item(), 0);
  EXPECT_EQ(r[1].item(), 1);
}

}  // namespace
}  // namespace hypatia
