// A LaunchWatch notes what each launch read and wrote, and which were refused.
#include "engine/run/raw/launch_watch.h"

#include "tests/engine/run/raw/on_gpus.h"

namespace hypatia::cuda {
namespace {

constexpr const char* add_one = R"(
__global__ void add_one(float *to, const float *from)
{
  to[threadIdx.x] = from[threadIdx.x] + 1;
}
)";

Array two_numbers(double first, double second) {
  return Array({first, second}).astype(DType::float32);
}

class RawLaunchWatch : public OnGpus {
 protected:
  KernelFunction kernel() const { return Module(add_one, {.target = target_}).function("add_one"); }
};

INSTANTIATE_TEST_SUITE_P(Gpus, RawLaunchWatch, testing::Values("sim", "cuda"));

TEST_P(RawLaunchWatch, NotesWhatALaunchReadAndWrote) {
  const LaunchWatch watch;
  const Array to = Array::zeros(DType::float32, {2});
  kernel()({1}, {2}, Out(to), In(two_numbers(1, 2)));
  ASSERT_EQ(watch.seen().size(), 1U);
  const SeenLaunch& launch = watch.seen()[0];
  EXPECT_EQ(launch.kernel, "add_one");
  EXPECT_TRUE(launch.done);
  ASSERT_EQ(launch.read.size(), 1U);
  EXPECT_TRUE(same_elements(launch.read[0], two_numbers(1, 2)));
  ASSERT_EQ(launch.written.size(), 1U);
  EXPECT_TRUE(same_elements(launch.written[0], two_numbers(2, 3)));
}

TEST_P(RawLaunchWatch, NotesBothSidesOfWhatIsReadAndWritten) {
  const LaunchWatch watch;
  const Array both = two_numbers(1, 2);
  kernel()({1}, {2}, InOut(both), In(both));
  both.data<float>()[0] = 9;  // copies were noted
  const SeenLaunch& launch = watch.seen().at(0);
  ASSERT_EQ(launch.read.size(), 2U);
  ASSERT_EQ(launch.written.size(), 1U);
  EXPECT_TRUE(same_elements(launch.read[0], two_numbers(1, 2)));
  EXPECT_TRUE(same_elements(launch.written[0], two_numbers(2, 3)));
}

TEST_P(RawLaunchWatch, TellsWhatWasRefused) {
  const LaunchWatch watch;
  const Array to = Array::zeros(DType::float32, {2});
  EXPECT_THROW(kernel()({1}, {5000}, Out(to), In(to)), Error);
  ASSERT_EQ(watch.seen().size(), 1U);
  EXPECT_FALSE(watch.seen()[0].done);
}

TEST_P(RawLaunchWatch, LetsTheInnermostHear) {
  const LaunchWatch outer;
  {
    const LaunchWatch inner;
    const Array to = Array::zeros(DType::float32, {2});
    kernel()({1}, {2}, Out(to), In(to));
    EXPECT_EQ(inner.seen().size(), 1U);
  }
  EXPECT_TRUE(outer.seen().empty());
  EXPECT_EQ(LaunchWatch::current(), &outer);
}

}  // namespace
}  // namespace hypatia::cuda
