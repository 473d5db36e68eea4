// A kernel that writes beside its arrays is seen by a BoundsWatch, and so is where.
#include "engine/run/raw/bounds_watch.h"

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

// Writes `count` elements of dest from `first` on; the others' memory is left alone.
constexpr const char* write_from = R"(
__global__ void write_from(float *dest, const float *a, int first, int count)
{
  const int i = threadIdx.x;
  if (i < count) dest[first + i] = a[0];
}
)";

class RawBoundsWatch : public OnGpus {
 protected:
  Array written(int first, int count) const {
    const Array dest = Array::zeros(DType::float32, {10}), a = Array::ones(DType::float32, {1});
    Module(write_from, {.target = target_})
        .function("write_from")({1}, {64}, Out(dest), In(a), first, count);
    return dest;
  }
};

INSTANTIATE_TEST_SUITE_P(Gpus, RawBoundsWatch, testing::Values("sim", "cuda"));

TEST_P(RawBoundsWatch, FindsNothingInsideAnArray) {
  const BoundsWatch watch;
  EXPECT_TRUE(same_elements(written(0, 10), Array::ones(DType::float32, {10})));
  EXPECT_TRUE(watch.found().empty());
}

TEST_P(RawBoundsWatch, CountsWhatIsWrittenBehindAndBefore) {
  const BoundsWatch watch;
  written(8, 5);
  written(-4, 4);
  written(-2, 20);
  ASSERT_EQ(watch.found().size(), 3U);
  const std::int64_t counts[] = {3, 4, 10}, firsts[] = {10, -4, -2};
  for (std::size_t i = 0; i < 3; ++i) {
    const WrittenBeside& w = watch.found()[i];
    EXPECT_EQ(w.kernel, "write_from");
    EXPECT_EQ(w.parameter, "dest");
    EXPECT_EQ(w.elements, 10);
    EXPECT_EQ(w.count, counts[i]);
    EXPECT_EQ(w.first, firsts[i]);
  }
}

TEST_P(RawBoundsWatch, LetsTheInnermostHear) {
  const BoundsWatch outer;
  {
    const BoundsWatch inner;
    written(8, 5);
    EXPECT_EQ(inner.found().size(), 1U);
  }
  EXPECT_TRUE(outer.found().empty());
  EXPECT_EQ(BoundsWatch::current(), &outer);
}

}  // namespace
}  // namespace hypatia::cuda
