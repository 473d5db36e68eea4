#include "engine/device/cuda/settings.h"

#include <gtest/gtest.h>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/cuda/compiler.h"

namespace hypatia {
namespace {

class CudaSettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(CudaSettingsTest, FollowTheConfiguration) {
  const ChangeFlags flags({
      {"tf32", "True"},
      {"nvcc.flags", "-ftz=true --prec-div=false"},
      {"nvcc.fastmath", "True"},
  });
  const CudaSettings settings = configured_cuda_settings();
  EXPECT_TRUE(settings.tf32);
  EXPECT_EQ(
      settings.options,
      (std::vector<std::string>{"--ftz=true", "--prec-div=false", "--use_fast_math"}));
  EXPECT_EQ(settings.kernel_folder, config().compiledir() + "/cuda");
}

TEST_F(CudaSettingsTest, OptionsAreOnesThatNvrtcTakes) {
  KernelSource source{
      Dialect::cuda_c,
      "f",
      "extern \"C\" __global__ void f(float* x) { *x = expf(*x) / SCALE; }\n",
      {"f"},
      nvrtc_options(
          "-ftz=true --prec-div=false -prec-sqrt=false --fmad=true -maxrregcount=32 -DSCALE=3 "
          "-lineinfo",
          true),
  };
  const std::string fast = compile_to_ptx(source, "compute_90");
  EXPECT_NE(fast.find("ex2.approx.ftz.f32"), std::string::npos);
  source.options = {"-DSCALE=3"};
  EXPECT_EQ(compile_to_ptx(source, "compute_90").find("div.approx"), std::string::npos);
}

TEST_F(CudaSettingsTest, RefuseOptionsOfNvccAlone) {
  try {
    nvrtc_options("-Xcompiler -fPIC", false);
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::config);
    EXPECT_NE(error.summary().find("'-Xcompiler'"), std::string::npos) << error.summary();
  }
}

}  // namespace
}  // namespace hypatia
