// What libraries and compiled kernels must not do to the process: start threads of their own, or
// change how floats round.
#include <cfenv>
#include <filesystem>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/device/cpu/pool.h"

namespace hypatia {
namespace {

std::ptrdiff_t threads_now() {
  namespace fs = std::filesystem;
  return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
}

TEST(Runtimes, ProductsStartNoThreadsBesideThePool) {
  const ChangeFlags flags({{"compile.background", "False"}});
  pool().each(1000, 1, [](std::int64_t, std::int64_t) {});
  const Variable a = matrix("a", DType::float64), b = matrix("b", DType::float64);
  const Function f = function({a, b}, exp(dot(a, b) * 1e-3));
  const Array square = RandomState(1).rand({500, 500});
  const std::ptrdiff_t before = threads_now();
  for (int i = 0; i < 3; ++i)
    f(square, square);
  EXPECT_EQ(threads_now(), before);
}

TEST(Runtimes, DenormalsSurviveKernelsAndProducts) {
  const ChangeFlags flags({{"compile.background", "False"}});
  const int rounding = std::fegetround();
  const Variable x = vector("x", DType::float32);
  const Function f = function({x}, {x * 0.5F, exp(x - 100.0F), dot(x, x)});
  const std::vector<float> tiny(64, 0x1p-140F);
  const Results r = f(Array::of(std::span<const float>(tiny)));
  EXPECT_EQ(r[0].to_vector()[0], 0x1p-141);
  EXPECT_EQ(r[0].to_vector()[63], 0x1p-141);
  EXPECT_GT(r[1].to_vector()[5], 0);
  EXPECT_LT(r[1].to_vector()[5], 0x1p-126);
  volatile float here = 0x1p-140F;
  EXPECT_EQ(here * 0.5F, 0x1p-141F);
  EXPECT_EQ(std::fegetround(), rounding);
}

}  // namespace
}  // namespace hypatia
