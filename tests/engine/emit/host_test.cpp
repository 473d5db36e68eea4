// Host C of loop nests: results larger than the caches take another way to memory and are the same.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/emit/nest_text.h"

namespace hypatia {
namespace {

template <class T>
void check(std::int64_t n) {
  const Variable a = vector("a", dtype_of<T>), b = vector("b", dtype_of<T>);
  const Function f = function({a, b}, 2 * a + 3 * b);
  Array x(dtype_of<T>, {n}), y(dtype_of<T>, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    x.data<T>()[i] = static_cast<T>(i % 1013);
    y.data<T>()[i] = static_cast<T>(i % 701);
  }
  const Array sum = f(x, y);
  for (std::int64_t i = 0; i < n; ++i)
    ASSERT_EQ(sum.data<T>()[i], 2 * x.data<T>()[i] + 3 * y.data<T>()[i]) << i << " of " << n;
  const bool large = n * static_cast<std::int64_t>(3 * sizeof(T)) >= streamed_from();
  EXPECT_EQ(f.source().find("hy_stream(") != std::string::npos, large);
}

TEST(HostText, StreamsLargeResults) {
  const std::int64_t enough = streamed_from() / 12;
  for (const std::int64_t n : {std::int64_t{1'000}, enough - 1, enough + 1, enough + 777})
    check<float>(n);
  for (const std::int64_t n : {std::int64_t{1'000}, enough / 2 + 1})
    check<double>(n);
}

}  // namespace
}  // namespace hypatia
