// CUPTI is found where NVIDIA's other libraries are.

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

#include "profiler/cupti/api.h"
#include "tests/checkout.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia::cupti {
namespace {

/// Loads CUPTI in a process that looks into one folder, and says which file that gave.
[[noreturn]] void load_from(const std::string& folder) {
  unsetenv("HYPATIA_CUPTI_DIR");
  setenv("HYPATIA_CUDA_LIBRARIES", folder.c_str(), 1);
  std::string reason;
  const std::unique_ptr<Api> api = load(reason);
  Dl_info found{};
  if (api) dladdr(reinterpret_cast<void*>(api->subscribe), &found);
  std::fprintf(stderr, "found %s%s\n", found.dli_fname ? found.dli_fname : "", reason.c_str());
  std::_Exit(0);
}

/// Python's wheels and conda keep it beside the other libraries, toolkits in a folder of its own.
TEST(CuptiDeathTest, IsFoundWhereTheOtherLibrariesAre) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  namespace fs = std::filesystem;
  const Scratch scratch;
  const fs::path mock = fs::path(tests::mock_cupti()) / "libcupti.so";
  const fs::path wheel = scratch.file("site-packages/nvidia/cuda_cupti/lib");
  const fs::path toolkit = scratch.file("cuda/lib64");
  const fs::path beside = scratch.file("cuda/extras/CUPTI/lib64");
  for (const fs::path& folder : {wheel, toolkit, beside})
    fs::create_directories(folder);
  fs::copy_file(mock, wheel / "libcupti.so.12");
  fs::copy_file(mock, beside / "libcupti.so.13");
  EXPECT_EXIT(load_from(wheel), testing::ExitedWithCode(0), "cuda_cupti/lib/libcupti.so.12");
  EXPECT_EXIT(load_from(toolkit), testing::ExitedWithCode(0), "extras/CUPTI/lib64/libcupti.so.13");
}

}  // namespace
}  // namespace hypatia::cupti
