// Whole powers of all of uint64, and division rounded down as NumPy has it, compiled and
// interpreted; on a simulated GPU where the program starts with one.
#include <cmath>
#include <limits>

#include "engine/ops/values.h"

namespace hypatia {
namespace {

void for_every_way(const std::function<void()>& test) {
  for (const char* mode : {"FAST_COMPILE", "FAST_RUN"}) {
    const ChangeFlags how({{"mode", mode}});
    test();
  }
}

TEST(Arithmetic, PowersTakeEveryUnsignedExponent) {
  const Variable x = vector("x", DType::uint8), n = vector("n", DType::uint64);
  const Array bases = Array::of<std::uint8_t>({1, 3, 255, 5});
  const Array exponents =
      Array::of<std::uint64_t>({std::uint64_t{1} << 63, 3, (std::uint64_t{1} << 63) + 1, 0});
  for_every_way([&] {
    const Array wide = function({x, n}, pow(x, n))(bases, exponents).only();
    EXPECT_EQ(asarray(wide.astype(DType::uint8)).to_vector(), (List{1, 27, 255, 1}));
    const Array narrow = function({x, n}, cast(pow(x, n), DType::uint8))(bases, exponents).only();
    EXPECT_EQ(asarray(narrow).to_vector(), (List{1, 27, 255, 1}));
  });
}

TEST(Arithmetic, FloorDivisionIsWhatTheRemainderLeaves) {
  const double inf = std::numeric_limits<double>::infinity();
  const Variable a = dvector("a"), b = dvector("b");
  const Array over({1.0, 5, 5, -5, inf, -7, 7, 1, -1, 0.3, -0.3, 0.0});
  const Array under({0.1, -inf, inf, inf, 2, 2, -2, 0, 0, 0.1, 0.1, 3});
  const List expected{9, -1, 0, -1, NAN, -4, -4, inf, -inf, 2, -3, 0};
  for_every_way([&] {
    const Results r = function({a, b}, {int_div(a, b), a % b})(over, under);
    const List quotients = asarray(r[0]).to_vector(), rests = asarray(r[1]).to_vector();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) {
        EXPECT_TRUE(std::isnan(quotients[i])) << i;
        continue;
      }
      EXPECT_EQ(quotients[i], expected[i]) << i;
      const double x = over.to_vector()[i], y = under.to_vector()[i];
      if (y != 0 && std::isfinite(y)) {
        EXPECT_NEAR(quotients[i] * y + rests[i], x, 1e-15) << i;
      }
    }
  });
}

TEST(Arithmetic, FloorDivisionKeepsFloat32AndTheSignOfZero) {
  const Variable a = fvector("a"), b = fvector("b");
  for_every_way([&] {
    const Array q =
        asarray(function({a, b}, int_div(a, b))(
                    Array::of<float>({1.0F, -0.0F, 0.5F}), Array::of<float>({0.1F, 1.0F, 1.0F}))
                    .only());
    EXPECT_EQ(q.dtype(), DType::float32);
    EXPECT_EQ(q.to_vector(), (List{9, 0, 0}));
    EXPECT_TRUE(std::signbit(q.at({1})));
    EXPECT_FALSE(std::signbit(q.at({2})));
  });
}

}  // namespace
}  // namespace hypatia
