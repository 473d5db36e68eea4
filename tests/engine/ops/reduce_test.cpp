// Reductions: dtypes asked for, variances, and means that stay narrow.
#include <cmath>

#include "engine/ops/values.h"

#include "tests/engine/grad/differences.h"

namespace hypatia {
namespace {

TEST(Reduce, DTypesMayBeAskedFor) {
  const Variable n = vector("n", DType::int8), x = vector("x", DType::float32);
  EXPECT_EQ(sum(n, {}, {.dtype = DType::float64}).dtype(), DType::float64);
  EXPECT_EQ(sum(n, {}, {.dtype = DType::int8}).dtype(), DType::int8);
  EXPECT_EQ(prod(x, {}, {.dtype = DType::float64}).dtype(), DType::float64);
  EXPECT_EQ(mean(n, {}, {.dtype = DType::float32}).dtype(), DType::float32);
  const Array numbers = Array({100, 100}).astype(DType::int8);
  const Results r = function({n}, {sum(n), sum(n, {}, {.dtype = DType::int8})})(numbers);
  EXPECT_EQ(r[0].item(), 200);
  EXPECT_EQ(r[1].item(), 200 - 256);
  EXPECT_THROW(mean(x, {}, {.dtype = DType::int32}), Error);
  EXPECT_THROW(sum(x, {}, {.acc_dtype = DType::int32}), Error);
}

TEST(Reduce, MeanOfIntegersAddsUpInFloat64) {
  const Variable n = vector("n", DType::uint64);
  const std::uint64_t large = std::uint64_t{1} << 63;
  const Array values = Array::of<std::uint64_t>({large, large});
  const Results r =
      function({n}, {mean(n), n.mean(0), mean(n, {}, {.dtype = DType::float32})})(values);
  for (const Array& a : r)
    EXPECT_EQ(a.item(), std::ldexp(1.0, 63));
}

TEST(Reduce, AccumulatesInTheDTypeAskedFor) {
  const Variable x = vector("x", DType::float32);
  // Beyond 2^24 a float32 total stands still.
  Array ones = Array::ones(DType::float32, {3});
  ones.data<float>()[0] = 16777216.0f;
  const Variable wide = sum(x), narrow = sum(x, {}, {.acc_dtype = DType::float32});
  const ChangeFlags interpreted({{"mode", "FAST_COMPILE"}});
  const Results r = function({x}, {wide, narrow})(ones);
  EXPECT_EQ(r[0].item(), 16777218);
  EXPECT_EQ(r[1].item(), 16777216);
}

TEST(Reduce, MeanAndSumOfFloat32StayFloat32) {
  const Variable x = matrix("x", DType::float32);
  for (const Variable& v : {x.sum(), x.mean(), x.mean(0), x.var(), x.std(1), x.prod(0), x.norm()})
    EXPECT_EQ(v.dtype(), DType::float32);
  EXPECT_EQ(matrix("n", DType::int16).var().dtype(), DType::float64);
}

TEST(Variance, IsTheMeanSquareFromTheMean) {
  const Variable x = dmatrix("x");
  const Array value({{1, 2, 6}, {4, 4, 4}});
  const Results r =
      function({x}, {x.var(), x.var(1), x.std(1, true), var(x, {0, 1}, 1), var(x, 1, 1)})(value);
  EXPECT_NEAR(r[0].item(), 15.5 / 6, 1e-12);
  EXPECT_TRUE(all_close(r[1], Array({14.0 / 3, 0})));
  EXPECT_EQ(r[2].dims(), (Dims{2, 1}));
  EXPECT_NEAR(r[2].at({0, 0}), std::sqrt(14.0 / 3), 1e-12);
  EXPECT_NEAR(r[3].item(), 15.5 / 5, 1e-12);
  EXPECT_TRUE(all_close(r[4], Array({7, 0})));
}

TEST(Variance, HasTheDerivativeOfItsDifferences) {
  RandomState random(4);
  expect_gradients_match([](const Vars& in) { return in[0].var(1); }, {random.randn({3, 4})});
  expect_gradients_match([](const Vars& in) { return in[0].std(); }, {random.randn({3, 4})});
}

}  // namespace
}  // namespace hypatia
