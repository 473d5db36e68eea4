#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {
namespace {

TEST(Fuse, APowerAndASumAreOneNode) {
  const Variable a = vector("a");
  const Function f = function({a}, a + pow(a, 10));
  ASSERT_EQ(f.toposort().size(), 1U) << debugprint(f);
  EXPECT_EQ(debugprint(f).rfind("Elemwise{Composite{(i0 + (sqr(sqr(sqr(i0))) * sqr(i0)))}}", 0), 0U)
      << debugprint(f);
  EXPECT_EQ(to_text(asarray(f(Array({0, 1, 2})))), "[    0.     2.  1026.]");
}

TEST(Fuse, TakesInWhatOnlyItsOwnPartsRead) {
  const Variable x = dvector("x"), y = dvector("y");
  const Variable e = x * y;
  const Function f = function({x, y}, (e + 1) / (e - 2));
  ASSERT_EQ(f.toposort().size(), 1U) << debugprint(f);
  EXPECT_EQ(to_text(asarray(f(Array({1, 2}), Array({3, 4})))), "[ 4.   1.5]");
}

TEST(Fuse, LeavesAloneWhatOthersRead) {
  const Variable x = dvector("x");
  const Variable e = exp(x);
  const Function f = function({x}, {(e + 1) / (e - 2), e});
  EXPECT_EQ(f.toposort().size(), 2U) << debugprint(f);
}

}  // namespace
}  // namespace hypatia
