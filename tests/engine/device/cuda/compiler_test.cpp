#include "engine/device/cuda/compiler.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/core/error.h"

#include "tests/engine/device/cuda/with_device.h"

namespace hypatia {
namespace {

namespace fs = std::filesystem;

KernelSource twice(std::string body = "y[i] = 2 * x[i];") {
  return {
      Dialect::cuda_c,
      "twice",
      "extern \"C\" __global__ void twice(float* y, const float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) " +
          body + "\n}\n",
      {"twice"},
      {},
  };
}

/// Needs NVRTC, not a GPU.
class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = nvrtc_reason(); !reason.empty()) GTEST_SKIP() << reason;
    folder_ =
        (fs::temp_directory_path() / ("hypatia-kernels-" + std::to_string(getpid()))).string();
    fs::remove_all(folder_);
  }

  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  std::string folder_;
};

TEST_F(Compiler, MakesPtxWithoutAGpu) {
  const std::string ptx = compile_to_ptx(twice(), "compute_90");
  EXPECT_NE(ptx.find(".visible .entry twice("), std::string::npos) << ptx;
  EXPECT_NE(ptx.find(".target sm_90"), std::string::npos);
}

TEST_F(Compiler, PassesTheSourcesOptionsOn) {
  KernelSource source = twice("y[i] = SCALE * x[i];");
  EXPECT_THROW(compile_to_ptx(source, "compute_90"), Error);
  source.options = {"-DSCALE=3"};
  EXPECT_NO_THROW(compile_to_ptx(source, "compute_90"));
}

TEST_F(Compiler, NamesTheMistakeAndItsLine) {
  try {
    compile_to_ptx(twice("y[i] = z[i];"), "compute_90");
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    EXPECT_EQ(
        error.summary(),
        "kernel 'twice' does not compile: identifier \"z\" is undefined, at line 3");
    const std::string text = error.what();
    EXPECT_NE(text.find("3 | if (i < n) y[i] = z[i];"), std::string::npos) << text;
  }
}

TEST_F(Compiler, FollowsTheUsersLineDirective) {
  KernelSource source = twice("y[i] = z[i];");
  source.text = "#line 40 \"exercise.cpp\"\n" + source.text;
  try {
    compile_to_ptx(source, "compute_90");
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_NE(error.summary().find("at line 42 of exercise.cpp"), std::string::npos)
        << error.summary();
  }
}

TEST_F(Compiler, TakesTheSecondTimeFromTheCache) {
  const CudaBinary first = compile_for(twice(), {9, 0}, folder_);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(fs::exists(first.cache_file));
  const CudaBinary second = compile_for(twice(), {9, 0}, folder_);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.code, second.code);
  EXPECT_EQ(second.code.substr(1, 3), "ELF") << "a device that NVRTC knows gets machine code";
}

TEST_F(Compiler, KeysTheCacheByTextOptionsAndArchitecture) {
  compile_for(twice(), {9, 0}, folder_);
  EXPECT_FALSE(compile_for(twice("y[i] = 3 * x[i];"), {9, 0}, folder_).from_cache);
  EXPECT_FALSE(compile_for(twice(), {8, 0}, folder_).from_cache);
  KernelSource fast = twice();
  fast.options = {"--use_fast_math"};
  EXPECT_FALSE(compile_for(fast, {9, 0}, folder_).from_cache);
  EXPECT_TRUE(compile_for(twice(), {9, 0}, folder_).from_cache);
}

TEST_F(Compiler, CompilesAgainWhereTheCacheIsTorn) {
  const CudaBinary first = compile_for(twice(), {9, 0}, folder_);
  fs::resize_file(first.cache_file, fs::file_size(first.cache_file) / 2);
  const CudaBinary second = compile_for(twice(), {9, 0}, folder_);
  EXPECT_FALSE(second.from_cache);
  EXPECT_EQ(first.code, second.code);
  EXPECT_TRUE(compile_for(twice(), {9, 0}, folder_).from_cache);
}

TEST_F(Compiler, NeedsNoCache) {
  const CudaBinary binary = compile_for(twice(), {9, 0}, "/proc/no/such/folder");
  EXPECT_EQ(binary.cache_file, "");
  EXPECT_FALSE(binary.code.empty());
  EXPECT_FALSE(compile_for(twice(), {9, 0}, "").code.empty());
}

TEST_F(Compiler, GivesADeviceNewerThanItselfPtx) {
  const CudaBinary binary = compile_for(twice(), {99, 0}, folder_);
  EXPECT_NE(binary.code.find(".entry twice("), std::string::npos);
}

TEST_F(Compiler, SaysThatADeviceIsTooOld) {
  try {
    compile_for(twice(), {3, 0}, folder_);
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::device);
    EXPECT_NE(
        error.summary().find("no longer compiles for compute capability 3.0"), std::string::npos);
  }
}

TEST(CompilerAbsent, SaysWhatToInstall) {
  const WithVariable nowhere("HYPATIA_CUDA_LIBRARIES", "/nonexistent");
  EXPECT_FALSE(nvrtc_reason().empty());
  EXPECT_EQ(nvrtc_version(), "");
  try {
    compile_to_ptx(twice(), "compute_90");
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::device);
    EXPECT_NE(std::string(error.what()).find("install"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hypatia
