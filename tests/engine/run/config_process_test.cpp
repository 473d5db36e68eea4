// Configuration as a process meets it: the environment and files as they are, and what is printed.
#include <array>
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

using tests::TemporaryFolder;

/// Run by the tests below, not by itself: a small program, as a user's main has it.
TEST(ConfigProgram, DISABLED_Main) {
  try {
    const Variable x = vector("x");
    const Function f = function({x}, x + 1), g = function({x}, x * 2);
    const std::string dtype(name(f(Array({1.0}).astype(x.dtype())).only().dtype()));
    g(Array({1.0}).astype(x.dtype()));
    std::fprintf(stderr, "computed in %s\n", dtype.c_str());
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", name(error.kind()), error.what());
  }
}

/// What the program prints on stderr with these variables in its environment.
std::string program(const std::string& flags, const std::string& rc) {
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  std::string command =
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX -u GTEST_OUTPUT -u THEANO_FLAGS "
      "HOME=/nowhere";
  command += " HYPATIA_FLAGS=" + quoted(flags) + " HYPATIARC=" + quoted(rc);
  command += " " + std::string("/proc/") + std::to_string(getpid()) + "/exe" +
             " --gtest_also_run_disabled_tests --gtest_filter=ConfigProgram.DISABLED_Main"
             " 2>&1 >/dev/null";
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), pipe))
    text += part.data();
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text;
}

TEST(ConfigProcess, TheTutorialsFileLoadsAndSaysWhatHasNoEffect) {
  const TemporaryFolder folder;
  const std::string rc = folder.write(
      "theanorc",
      "[global]\nfloatX=float32\ndevice=cuda\noptimizer=fast_run\n\n[lib]\ncnmem=0.9\n\n"
      "[nvcc]\nfastmath=True\n\n[blas]\nldflags=-llapack -lblas\n");
  EXPECT_EQ(
      program("device=cpu,base_compiledir=" + (folder / "kernels"), rc),
      "note: the flag lib.cnmem (" + rc +
          ":7) has no effect here: that allocator is gone: use gpuarray.preallocate\n"
          "note: the flag blas.ldflags (" +
          rc +
          ":13) has no effect here: a BLAS is loaded at run time: see blas.library\n"
          "computed in float32\n");
}

TEST(ConfigProcess, EveryMistakeIsOneClearError) {
  const TemporaryFolder folder;
  const auto expect = [](const std::string& flags, const std::string& rc, const std::string& text) {
    EXPECT_EQ(program(flags, rc), "configuration error: " + text + "\n");
  };
  const std::string here = "\n   help: HYPATIARC names it: correct the path or unset HYPATIARC";
  const auto unreadable = [&](const std::string& path, const std::string& reason) {
    expect("", path, "the configuration file " + path + " can't be read: " + reason + here);
  };
  unreadable(folder / "missing", "No such file or directory");
  unreadable(folder / ".", "it is a folder");
  std::filesystem::create_symlink(folder / "loop", folder / "loop");
  unreadable(folder / "loop", "Too many levels of symbolic links");
  const std::string secret = folder.write("secret", "[global]\n");
  chmod(secret.c_str(), 0);
  if (geteuid() != 0) unreadable(secret, "Permission denied");
  const std::string section = folder.write("section", "[global\nfloatX=float32\n");
  expect(
      "",
      section,
      section +
          ":1 is neither a setting nor a section: [global\n   help: write name = value below a "
          "[section]; names without a dot stand below [global]");
  const std::string value = folder.write("value", "[global]\nfloatX=float16\n");
  expect(
      "",
      value,
      "the flag floatX can't be 'float16'\n   set by " + value +
          ":2\n   help: it is one of float64, float32; did you mean float64 or float32?");
  const std::string unknown = folder.write("unknown", "[nvcc]\nfastmaths=True\n");
  expect(
      "",
      unknown,
      "there is no flag 'nvcc.fastmaths'\n   set by " + unknown +
          ":2\n   help: did you mean nvcc.fastmath?");
  expect(
      "flotX=float32",
      "",
      "there is no flag 'flotX'\n   set by HYPATIA_FLAGS\n   help: did you mean floatX?");
  expect(
      "device=gpu0",
      "",
      "the flag device can't be 'gpu0'\n   set by HYPATIA_FLAGS\n   help: write cuda0 for that "
      "GPU");
}

TEST(ConfigProcess, RightFilesWinOverLeftOnesAndFlagsOverBoth) {
  const TemporaryFolder folder;
  const std::string left = folder.write("left", "[global]\nfloatX=float32\noptimizer=o1\n");
  const std::string right = folder.write("right", "[global]\nfloatX=float64\n");
  EXPECT_EQ(program("", left + ":" + right), "computed in float64\n");
  EXPECT_EQ(program("floatX=float32", left + ":" + right), "computed in float32\n");
}

}  // namespace
}  // namespace hypatia
