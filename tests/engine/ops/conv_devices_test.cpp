// Convolutions as compiled functions give what their reference evaluation gives, with the same bits
// in each call, on whatever device this program runs; and again on each device, told so by the
// environment.
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

#include "engine/core/contexts.h"
#include "engine/device/device.h"
#include "engine/run/start_up.h"

#include "tests/engine/ops/own_samples.h"
#include "tests/engine/run_tests.h"

namespace hypatia {
namespace {

bool on_a_real_gpu() {
  const Place place = default_place();
  return !place.on_host() && !device_at(place).info().simulated;
}

/// Every sample of the three ops, and on a GPU sizes for which its library has other algorithms.
std::vector<OwnSample> convolution_samples(DType dtype) {
  std::vector<OwnSample> samples;
  for (const OwnSample& sample : own_samples(dtype)) {
    if (sample.op->name.starts_with("conv2d")) samples.push_back(sample);
  }
  if (!on_a_real_gpu()) return samples;
  RandomState random(5);
  const auto drawn = [&](const Dims& dims) { return random.uniform(-1, 1, dims).astype(dtype); };
  const auto add = [&](const ConvAttrs& attrs, const Dims& images, const Dims& filters) {
    const Array x = drawn(images), f = drawn(filters);
    const Array y = drawn(apply(conv2d_op, {constant(x), constant(f)}, attrs).type().dims());
    samples.push_back({&conv2d_op, attrs, {x, f}});
    samples.push_back({&conv2d_images_op, attrs, {f, y, Array(images[2]), Array(images[3])}});
    samples.push_back({&conv2d_filters_op, attrs, {x, y, Array(filters[2]), Array(filters[3])}});
  };
  for (const char* mode : {"valid", "full", "half"}) {
    add({mode, 1, 1}, {8, 16, 14, 14}, {32, 16, 3, 3});
    add({mode, 2, 2}, {4, 8, 15, 14}, {16, 8, 5, 5});
    add({mode, 1, 2}, {5, 3, 32, 31}, {7, 3, 7, 1});
    add({mode, 3, 3}, {3, 4, 16, 17}, {5, 4, 2, 2});  // filters smaller than strides
  }
  add({"valid", 1, 1}, {4, 64, 7, 7}, {64, 64, 1, 1});
  return samples;
}

Types result_types(const OwnSample& sample) {
  Vars constants;
  for (const Array& a : sample.inputs)
    constants.push_back(constant(a));
  return apply(*sample.op, constants, sample.attrs).node().types();
}

Function compiled(const OwnSample& sample) {
  Vars operands;
  for (const Array& a : sample.inputs) {
    const bool image = a.rank() == 4;
    operands.push_back(
        image ? Variable(shared(a, "a", {.broadcastable = std::vector<bool>(4, false)}))
              : constant(a));
  }
  return function({}, {apply(*sample.op, operands, sample.attrs)});
}

double largest(const Array& of) {
  double most = 0;
  for (const double value : of.astype(DType::float64).contiguous_on_host().span<double>())
    most = std::max(most, std::abs(value));
  return most;
}

TEST(ConvDevices, GiveWhatTheReferenceGives) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    // By how much of the largest result: fast algorithms round sums of products, not products.
    const double part = dtype == DType::float32 ? 1e-4 : 1e-12;
    for (const OwnSample& sample : convolution_samples(dtype)) {
      SCOPED_TRACE(to_text(sample));
      const Types types = result_types(sample);
      const Array wanted =
          sample.op->eval(EvalCall{*sample.op, sample.attrs, sample.inputs, types})[0];
      const Function f = compiled(sample);
      const Array first = asarray(f()[0]).copy();
      EXPECT_EQ(first.dims(), wanted.dims());
      EXPECT_EQ(first.dtype(), wanted.dtype());
      if (wanted.elements() == 0) continue;
      EXPECT_TRUE(all_close(first, wanted, 0, part * largest(wanted)))
          << to_text(first) << "\nis not\n"
          << to_text(wanted);
      // From the third call with the same addresses on a GPU replays what it captured.
      for (int call = 1; call < 6; ++call)
        ASSERT_TRUE(same_elements(asarray(f()[0]), first)) << "in call " << call;
    }
  }
}

TEST(ConvDevices, KeepTheirMemory) {
  if (!on_a_real_gpu()) GTEST_SKIP() << "the test is of a GPU's pool";
  RandomState random(6);
  const auto drawn = [&](const Dims& dims, const char* name) {
    return shared(
        random.uniform(-1, 1, dims).astype(DType::float32),
        name,
        {.broadcastable = std::vector<bool>(4, false)});
  };
  const Shared x = drawn({16, 16, 28, 28}, "x"), f = drawn({32, 16, 3, 3}, "f");
  const Vars slopes = grad(sum(sqr(conv2d(x, f))), Vars{x, f});
  const Function step = function({}, Outputs{slopes});
  const auto memory = [] { return device_at(default_place()).memory(); };
  Device::Memory after_ten;
  for (int call = 0; call < 100; ++call) {
    const Results results = step();
    if (call == 9) after_ten = memory();
  }
  const Device::Memory after = memory();
  EXPECT_EQ(after.live, after_ten.live);
  EXPECT_EQ(after.live + after.pooled, after_ten.live + after_ten.pooled);
  EXPECT_EQ(after.peak, after_ten.peak);
}

constexpr const char* all_of_convolutions =
    "--gtest_filter=ConvDevices.Give*:ConvDevices.Keep*:Conv2d.*:OwnViews.AreReadWhereTheyLie:"
    "All/EveryPullback.*/conv*:ScanRun.StepsMayHoldOpsWithKernelsOfTheirOwn";

TEST(ConvDevices, OnTheSimulatedGpu) {
  EXPECT_EQ(run_tests("--gtest_filter=ConvDevices.Give*", "device=sim"), 0);
}

/// With a GPU, by the ops' own kernels, by cuDNN, and by whatever is chosen.
TEST(ConvDevices, OnTheGpu) {
  const Opened opened = open_device("cuda", Place{0});
  if (!opened.device) GTEST_SKIP() << opened.reason;
  for (const char* enabled : {"False", "auto", "True"}) {
    const std::string flags = std::string("device=cuda,force_device=True,dnn.enabled=") + enabled;
    EXPECT_EQ(run_tests(all_of_convolutions, flags.c_str()), 0) << enabled;
  }
}

/// Tensor cores round operands to 10 bits, and only where that was asked for.
TEST(ConvDevices, OnTheGpuWithTensorCores) {
  const Opened opened = open_device("cuda", Place{0});
  if (!opened.device) GTEST_SKIP() << opened.reason;
  const std::string flags = "device=cuda,force_device=True,dnn.enabled=True,tf32=True";
  EXPECT_EQ(run_tests("--gtest_filter=Conv2d.*:ConvDevices.Keep*", flags.c_str()), 0);
}

}  // namespace
}  // namespace hypatia
