// Compiling with every kind of compiler and cache that people have, and with none.
#include "engine/device/cpu/compiler.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <sstream>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/device/cpu/module.h"

namespace hypatia {
namespace {

namespace fs = std::filesystem;

class CompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "hypatia-compiler-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.compiledir = folder_ + "/cache";
  }

  void TearDown() override { fs::remove_all(folder_); }

  /// A program in the test's folder.
  std::string script(const std::string& name, const std::string& text) {
    const std::string path = folder_ + '/' + name;
    std::ofstream(path) << "#!/bin/sh\n" << text;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  std::vector<std::string> cached(const std::string& ending) const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(options_.compiledir)) {
      if (entry.path().extension() == ending) found.push_back(entry.path());
    }
    return found;
  }

  std::string folder_;
  CompilerOptions options_;
};

KernelSource twice(const std::string& extra = "") {
  KernelSource source;
  source.name = "twice";
  source.text =
      "void twice(void* const* args, long first, long last) {\n"
      "  float* x = *(float* const*)args[0];\n"
      "  for (long i = first; i < last; i++) x[i] *= 2;\n}\n" +
      extra;
  source.entries = {"twice"};
  return source;
}

/// Whether the module's kernel doubles.
bool doubles(const Ref<Module>& module) {
  std::vector<float> x(37, 1.5F);
  float* address = x.data();
  void* args[] = {&address};
  dynamic_cast<const HostKernel&>(module->find("twice")).entry()(args, 0, 37);
  return x == std::vector<float>(37, 3.0F);
}

bool there_is(const std::string& program) {
  return !find_program(program).empty();
}

TEST_F(CompilerTest, CompilesOnceAndThenTakesFromTheCache) {
  CompileReport first, second;
  Compiler compiler(options_);
  EXPECT_FALSE(compiler.find_cached(twice()));
  EXPECT_TRUE(doubles(compiler.compile(twice(), &first)));
  EXPECT_FALSE(first.from_cache);
  Compiler other(options_);
  EXPECT_TRUE(doubles(other.compile(twice(), &second)));
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(doubles(other.find_cached(twice())));
  EXPECT_EQ(first.path, second.path);
  ASSERT_EQ(cached(".c").size(), 1U);
  std::ostringstream source;
  source << std::ifstream(cached(".c")[0]).rdbuf();
  EXPECT_EQ(source.str(), twice().text);
}

TEST_F(CompilerTest, KeepsApartWhatDiffers) {
  Compiler compiler(options_);
  KernelSource with_option = twice();
  with_option.options = {"-DX"};
  CompilerOptions other = options_;
  other.flags = {"-DY"};
  CompileReport report;
  compiler.compile(twice());
  compiler.compile(with_option, &report);
  EXPECT_FALSE(report.from_cache);
  compiler.compile(twice("int another;"), &report);
  EXPECT_FALSE(report.from_cache);
  Compiler(other).compile(twice(), &report);
  EXPECT_FALSE(report.from_cache);
}

TEST_F(CompilerTest, AnswersFromTheCacheInMilliseconds) {
  Compiler(options_).compile(twice());
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    CompileReport report;
    Compiler(options_).compile(twice(), &report);
    EXPECT_TRUE(report.from_cache);
    best = std::min(best, report.seconds);
  }
  EXPECT_LT(best, 0.005);
}

TEST_F(CompilerTest, CallsTheStagesOfGcc) {
  if (!there_is("gcc")) GTEST_SKIP() << "gcc is not installed";
  options_.command = "gcc";
  CompileReport report;
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
  EXPECT_TRUE(report.by_stages);
}

TEST_F(CompilerTest, SaysWhatToInstallWithoutACompiler) {
  options_.command = folder_ + "/no-such-compiler";
  try {
    Compiler(options_).compile(twice());
    FAIL() << "compiled by nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    EXPECT_NE(error.help().find("apt-get install gcc"), std::string::npos);
  }
  EXPECT_NE(Compiler(options_).describe().find("can't be run"), std::string::npos);
}

TEST_F(CompilerTest, TakesAWrapperThatKnowsNoStages) {
  options_.command = script(
      "gcc",
      "for word; do\n"
      "  if [ \"$word\" = '-###' ]; then echo ' \"/usr/lib/other\" -cc1 nonsense'; exit 0; fi\n"
      "done\nexec cc \"$@\"\n");
  CompileReport report;
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
  EXPECT_FALSE(report.by_stages);
}

TEST_F(CompilerTest, TakesAWrapperWhoseStagesDoNotRun) {
  if (!there_is("gcc")) GTEST_SKIP() << "gcc is not installed";
  const std::string broken = script("cc1", "exit 3\n");
  options_.command = script(
      "gcc",
      "for word; do\n  if [ \"$word\" = '-###' ]; then\n    gcc \"$@\" 2>&1 | sed 's|^ [^ ]*/cc1 "
      "| " +
          broken + " |'; exit 0\n  fi\ndone\nexec gcc \"$@\"\n");
  CompileReport report;
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
  EXPECT_FALSE(report.by_stages);
}

TEST_F(CompilerTest, TakesClang) {
  if (!there_is("clang")) GTEST_SKIP() << "clang is not installed";
  options_.command = "clang";
  CompileReport report;
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
  EXPECT_FALSE(report.by_stages);
}

TEST_F(CompilerTest, TakesCcache) {
  if (!there_is("ccache")) GTEST_SKIP() << "ccache is not installed";
  options_.command = "ccache cc";
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice())));
  if (access("/usr/lib/ccache/gcc", X_OK) != 0) return;
  options_.command = "/usr/lib/ccache/gcc";
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice())));
}

TEST_F(CompilerTest, ShowsTheCompilersMessage) {
  try {
    Compiler(options_).compile(twice("int broken = ;"));
    FAIL() << "compiled nonsense";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::compile);
    const std::string what = error.what();
    EXPECT_NE(what.find("'twice'"), std::string::npos);
    EXPECT_NE(what.find("kernel.c:5"), std::string::npos) << what;
  }
}

TEST_F(CompilerTest, NamesAMissingEntry) {
  KernelSource source = twice();
  source.entries = {"thrice"};
  EXPECT_THROW(Compiler(options_).compile(source), Error);
}

TEST_F(CompilerTest, RebuildsDamagedEntries) {
  Compiler compiler(options_);
  compiler.compile(twice());
  ASSERT_EQ(cached(".so").size(), 1U);
  const std::string entry = cached(".so")[0];
  const auto size = fs::file_size(entry);
  const auto damage = [&](int how) {
    if (how == 0) fs::resize_file(entry, size / 2);
    if (how == 1) fs::resize_file(entry, 0);
    if (how == 2) std::fstream(entry, std::ios::in | std::ios::out).seekp(1000).put('~');
    if (how == 3) std::ofstream(entry, std::ios::app) << "more";
  };
  for (const int how : {0, 1, 2, 3}) {
    // A new file: the old one is still mapped, and changing it would change running code.
    const std::string copy = entry + ".copy";
    fs::copy_file(entry, copy);
    fs::rename(copy, entry);
    damage(how);
    CompileReport report;
    EXPECT_TRUE(doubles(compiler.compile(twice(), &report)));
    EXPECT_FALSE(report.from_cache) << "damage " << how;
    EXPECT_EQ(fs::file_size(entry), size);
  }
}

TEST_F(CompilerTest, WorksWithoutACacheThatCanBeWritten) {
  options_.compiledir = "/dev/null/cache";
  for (int round = 0; round < 2; ++round) {
    CompileReport report;
    EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
    EXPECT_FALSE(report.from_cache);
  }
}

TEST_F(CompilerTest, WorksWithAFullCache) {
  fs::create_directories(options_.compiledir);
  if (mount("none", options_.compiledir.c_str(), "tmpfs", 0, "size=4096") != 0) {
    GTEST_SKIP() << "a small file system can't be mounted: " << std::strerror(errno);
  }
  CompileReport report;
  EXPECT_TRUE(doubles(Compiler(options_).compile(twice(), &report)));
  EXPECT_TRUE(cached(".so").empty());
  umount(options_.compiledir.c_str());
}

TEST_F(CompilerTest, LetsProcessesCompileTheSameAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 3; ++round) {
        const KernelSource source = twice("int round_" + std::to_string(round) + ";");
        good = good && doubles(Compiler(options_).compile(source));
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(cached(".so").size(), 3U);
  // Nothing but whole entries stays behind.
  EXPECT_EQ(
      cached(".so").size() + cached(".c").size(),
      static_cast<std::size_t>(std::distance(fs::directory_iterator(options_.compiledir), {})));
}

/// Waits until the file is there; false after ten seconds.
bool wait_for_file(const std::string& path) {
  for (int round = 0; round < 1000; ++round) {
    if (fs::exists(path)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// True once no process of the group is left; false after five seconds. Its orphans are ours to
/// bury, since not every system's first process does so soon.
bool group_ends(pid_t group) {
  for (int round = 0; round < 500; ++round) {
    while (waitpid(-group, nullptr, WNOHANG) > 0) {
    }
    if (kill(-group, 0) != 0 && errno == ESRCH) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST_F(CompilerTest, EndsWithEverythingItStartedWhenInterrupted) {
  const std::string started = folder_ + "/started";
  options_.command =
      script("cc", "case \"$*\" in *-o*) touch " + started + "; exec sleep 60;; esac\n");
  options_.use_stages = false;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const bool whole_group : {true, false}) {
    fs::remove(started);
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      try {
        Compiler(options_).compile(twice());
      } catch (const Error&) {
        _exit(7);
      }
      _exit(0);
    }
    ASSERT_TRUE(wait_for_file(started));
    // Ctrl-C reaches the whole group; a kill of the program alone must end the compiler too.
    kill(whole_group ? -child : child, whole_group ? SIGINT : SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(group_ends(child));
  }
}

TEST_F(CompilerTest, LeavesTheRoundingModesAlone) {
#if defined(__x86_64__)
  constexpr unsigned raised = 0x3F;  // what was raised so far, which any sum changes
  const unsigned before = __builtin_ia32_stmxcsr() & ~raised;
  KernelSource source = twice();
  source.options = {"-ffast-math"};
  const Ref<Module> module = Compiler(options_).compile(source);
  EXPECT_EQ(__builtin_ia32_stmxcsr() & ~raised, before);
  volatile float tiny = 0x1p-140F;
  EXPECT_GT(tiny * 0.5F, 0.0F);
#else
  GTEST_SKIP() << "the register is one of x86-64";
#endif
}

TEST_F(CompilerTest, CompilesInTheBackground) {
  Compiler compiler(options_);
  Compiler::Pending good = compiler.compile_async(twice());
  Compiler::Pending bad = compiler.compile_async(twice("int broken = ;"));
  EXPECT_TRUE(doubles(good.get()));
  EXPECT_THROW(bad.get(), Error);
  Compiler::Pending again = compiler.compile_async(twice());
  while (!again.ready())
    std::this_thread::yield();
  EXPECT_TRUE(doubles(again.get()));
}

TEST_F(CompilerTest, FindsGlobalVariables) {
  const Ref<Module> module = Compiler(options_).compile(twice("int table[5] = {1, 2, 3, 4, 5};"));
  const auto [address, bytes] = module->global("table");
  EXPECT_EQ(bytes, 20U);
  EXPECT_EQ(static_cast<int*>(address)[4], 5);
  EXPECT_THROW(module->global("twice"), Error);
  EXPECT_THROW(module->global("nothing"), Error);
}

}  // namespace
}  // namespace hypatia
