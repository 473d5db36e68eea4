// The installed package: an outside project finds it, compiles against it quickly, and runs.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

namespace fs = std::filesystem;

constexpr const char* project = R"(cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(hypatia REQUIRED)
add_executable(outside outside.cpp)
target_link_libraries(outside PRIVATE hypatia::hypatia)
)";

constexpr const char* program = R"(#include <hypatia/hypatia.h>
#include <cstdio>
int main() {
  using namespace hypatia;
  auto x = vector("x");
  auto f = function({x}, exp(x), {.name = "outside"});
  const Array y = f(Array({0.0, 1.0}));
  std::printf("%.6f\n", y.at({1}));
}
)";

}  // namespace

TEST(Install, AnOutsideProjectUsesThePackage) {
  if (!available("cmake") || !available("ninja"))
    GTEST_SKIP() << "cmake and ninja are not installed";
  if (!fs::exists(build_folder() + "/build.ninja")) GTEST_SKIP() << "there is no build folder here";
  const Scratch scratch;
  const std::string prefix = (scratch.path / "prefix").string();
  Answer answer =
      shell("cmake --install " + quoted(build_folder()) + " --prefix " + quoted(prefix));
  ASSERT_EQ(answer.code, 0) << answer.output;
  std::ofstream(scratch.path / "CMakeLists.txt") << project;
  std::ofstream(scratch.path / "outside.cpp") << program;
  answer = shell(
      "cd " + quoted(scratch.path.string()) +
      " && cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH=" + quoted(prefix));
  ASSERT_EQ(answer.code, 0) << answer.output;
  answer = shell(
      "cd " + quoted(scratch.path.string()) +
      " && ninja -C build CMakeFiles/outside.dir/outside.cpp.o");
  ASSERT_EQ(answer.code, 0) << answer.output;
  const double compile = answer.cpu_seconds;
  answer = shell("cd " + quoted(scratch.path.string()) + " && ninja -C build && ./build/outside");
  ASSERT_EQ(answer.code, 0) << answer.output;
  EXPECT_NE(answer.output.find("2.718282"), std::string::npos) << answer.output;
  EXPECT_LE(compile, 2.0) << "one file of an outside project takes this long to compile";
}

}  // namespace hypatia::architecture
