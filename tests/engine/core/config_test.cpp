// Flags: sources and their order, values by kind, late changes, and every way to get them wrong.
#include "engine/core/config.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/flags.h"

#include "tests/engine/core/messages.h"
#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

using tests::TemporaryFolder;

ConfigSources with_flags(const std::string& flags) {
  ConfigSources sources;
  sources.flags = flags;
  return sources;
}

ConfigSources with_file(const std::string& path) {
  ConfigSources sources;
  sources.files = {path};
  sources.files_required = true;
  return sources;
}

TEST(Flags, EveryDefaultIsAnAllowedValueInNormalForm) {
  for (const Flag& flag : flags()) {
    EXPECT_EQ(checked_value(flag, flag.value).empty(), flag.value.empty()) << flag.name;
    EXPECT_FALSE(flag.doc.empty()) << flag.name;
    EXPECT_EQ(flag.doc.back(), '.') << flag.name;
    if (flag.kind != FlagKind::integer) {
      EXPECT_EQ(flag.kind == FlagKind::choice, !flag.allowed.empty()) << flag.name;
    }
    EXPECT_EQ(&flags()[flag_row(flag.name)], &flag) << "two rows for " << flag.name;
  }
}

TEST(Flags, EveryChoiceReadsBackAsItWasSet) {
  Config config{ConfigSources{}};
  for (const Flag& flag : flags()) {
    if (flag.kind != FlagKind::choice) continue;
    EXPECT_EQ(config.choice(flag.name), flag.value);
    std::string rest(flag.allowed);
    for (std::size_t end = 0; end != std::string::npos; rest = rest.substr(end + 2)) {
      end = rest.find(", ");
      const std::string value = rest.substr(0, end);
      config.set(flag.name, value);
      EXPECT_EQ(config.choice(flag.name), value);
      EXPECT_EQ(config.get(flag.name), value);
      if (end == std::string::npos) break;
    }
  }
}

TEST(Config, DefaultsAreTheDocumentedOnes) {
  const Config config{ConfigSources{}};
  EXPECT_EQ(config.float_x(), DType::float64);
  EXPECT_EQ(config.device(), "cpu");
  EXPECT_EQ(config.optimizer(), "o4");
  EXPECT_EQ(config.linker(), "cvm");
  EXPECT_TRUE(config.allow_gc());
  EXPECT_FALSE(config.profile());
  EXPECT_EQ(config.on_unused_input(), "raise");
  EXPECT_EQ(config.real("optdb.max_use_ratio"), 8);
  EXPECT_EQ(config.integer("profiling.n_apply"), 20);
  EXPECT_EQ(config.get("base_compiledir"), "~/.hypatia");
  EXPECT_EQ(config.source("device"), "default");
}

TEST(Config, ReadsTheFlagsText) {
  const Config config(
      with_flags("device=cuda0, floatX=float32,,profile=1,nvcc.flags='-ftz=true, --prec-div=false',"
                 "optimizer_excluding=\"fusion:inplace\",floatX=float64,gpuarray.preallocate=.5,"
                 "blas.library=a\\,b,optimizer=None"));
  EXPECT_EQ(config.device(), "cuda0");
  EXPECT_EQ(config.float_x(), DType::float64) << "the right one of two wins";
  EXPECT_TRUE(config.profile());
  EXPECT_EQ(config.get("profile"), "True");
  EXPECT_EQ(config.get("nvcc.flags"), "-ftz=true, --prec-div=false");
  EXPECT_EQ(config.get("optimizer_excluding"), "fusion:inplace");
  EXPECT_EQ(config.preallocate(), 0.5);
  EXPECT_EQ(config.get("blas.library"), "a,b");
  EXPECT_EQ(config.optimizer(), "None");
  EXPECT_EQ(config.source("optimizer"), "HYPATIA_FLAGS");
}

TEST(Config, TheanoFlagsStandInAndAreMentioned) {
  ConfigSources sources;
  sources.fallback_flags = "floatX=float32";
  Config config(sources);
  EXPECT_EQ(config.float_x(), DType::float32);
  EXPECT_EQ(config.source("floatX"), "THEANO_FLAGS");
  EXPECT_EQ(
      config.take_notices(),
      std::vector<std::string>{"HYPATIA_FLAGS is not set, so THEANO_FLAGS is used"});
  EXPECT_TRUE(config.take_notices().empty());
  sources.flags = "profile=True";
  EXPECT_EQ(Config(sources).float_x(), DType::float64);
}

TEST(Config, LoadsTheTutorialsFileAsItIs) {
  const TemporaryFolder folder;
  Config config(with_file(folder.write(
      "theanorc",
      "[global]\nfloatX=float32\ndevice=cuda\noptimizer=fast_run\n\n[lib]\ncnmem=0.9\n\n"
      "[nvcc]\nfastmath=True\n\n[blas]\nldflags=-llapack -lblas\n")));
  EXPECT_EQ(config.float_x(), DType::float32);
  EXPECT_EQ(config.device(), "cuda");
  EXPECT_EQ(config.optimizer(), "fast_run");
  EXPECT_EQ(config.real("lib.cnmem"), 0.9);
  EXPECT_TRUE(config.boolean("nvcc.fastmath"));
  EXPECT_EQ(config.get("blas.ldflags"), "-llapack -lblas");
  EXPECT_EQ(config.source("nvcc.fastmath"), folder / "theanorc:10");
  EXPECT_EQ(
      config.take_notices(),
      (std::vector<std::string>{
          "the flag lib.cnmem (" + (folder / "theanorc:7") +
              ") has no effect here: that allocator is gone: use gpuarray.preallocate",
          "the flag blas.ldflags (" + (folder / "theanorc:13") +
              ") has no effect here: a BLAS is loaded at run time: see blas.library",
      }));
}

TEST(Config, FilesMayBeWrittenAsPythonsConfigParserHasIt) {
  const TemporaryFolder folder;
  const Config config(with_file(folder.write(
      "rc",
      "# a comment\r\n; another\n[ global ]\nFLOATX : float32  ; of the GPU course\n"
      "contexts = dev0->cuda0;dev1->cuda1\n[nvcc]\nflags = -ftz=true\n    --prec-sqrt=false\n"
      "[dnn.conv]\n  algo_fwd = large\n  precision = float32\n[profiling]\nn_ops=7 # few\n")));
  EXPECT_EQ(config.float_x(), DType::float32);
  EXPECT_EQ(config.get("nvcc.flags"), "-ftz=true --prec-sqrt=false");
  EXPECT_EQ(config.choice("dnn.conv.algo_fwd"), "large");
  EXPECT_EQ(config.choice("dnn.conv.precision"), "float32");
  EXPECT_EQ(config.integer("profiling.n_ops"), 7);
  const auto contexts = config.contexts();
  ASSERT_EQ(contexts.size(), 2U);
  EXPECT_EQ(contexts[1].first, "dev1");
  EXPECT_EQ(contexts[1].second, "cuda1");
}

TEST(Config, TheProgramWinsThenTheFlagsThenTheRightFileThenTheDefault) {
  const TemporaryFolder folder;
  ConfigSources sources;
  sources.files = {
      folder.write("left", "[global]\noptimizer=o1\nmode=FAST_RUN\nlinker=py\nallow_gc=0\n"),
      folder.write("right", "[global]\noptimizer=o2\nmode=DebugMode\nlinker=c\n"),
  };
  sources.flags = "optimizer=o3,mode=NanGuardMode";
  Config config(sources);
  config.set("optimizer", "None");
  EXPECT_EQ(config.optimizer(), "None");
  EXPECT_EQ(config.mode(), "NanGuardMode");
  EXPECT_EQ(config.linker(), "c");
  EXPECT_FALSE(config.allow_gc());
  EXPECT_EQ(config.on_unused_input(), "raise");
  EXPECT_EQ(config.source("optimizer"), "the program");
  config.reset();
  EXPECT_EQ(config.optimizer(), "o3");
}

TEST(Config, ReadsTheEnvironment) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a", "[global]\nfloatX=float32\n");
  const std::string b = folder.write("b", "[global]\nprofile=True\n");
  static_cast<void>(hypatia::config());  // the process's own is read before this changes it
  setenv("HYPATIARC", (a + ":" + b).c_str(), 1);
  setenv("HYPATIA_FLAGS", "tf32=True", 1);
  const ConfigSources sources = ConfigSources::of_environment();
  unsetenv("HYPATIARC");
  unsetenv("HYPATIA_FLAGS");
  const Config config(sources);
  EXPECT_EQ(config.float_x(), DType::float32);
  EXPECT_TRUE(config.profile());
  EXPECT_TRUE(config.tf32());
  EXPECT_EQ(ConfigSources::of_environment().files, std::vector<std::string>{"~/.hypatiarc"});
}

TEST(Config, AMissingFileIsFineUnlessItWasNamed) {
  ConfigSources sources;
  sources.files = {"/nowhere/rc"};
  EXPECT_EQ(Config(sources).optimizer(), "o4");
  sources.files_required = true;
  EXPECT_MESSAGE(
      Config(sources).optimizer(),
      "the configuration file /nowhere/rc can't be read: No such file or directory\n"
      "   help: HYPATIARC names it: correct the path or unset HYPATIARC");
}

TEST(Config, SetsByKind) {
  Config config{ConfigSources{}};
  config.set("profile", true);
  config.set("profiling.n_apply", 3);
  config.set("gpuarray.preallocate", 0.25);
  config.set("optimizer_verbose", "1");
  config.float_x(DType::float32);
  EXPECT_TRUE(config.profile());
  EXPECT_EQ(config.integer("profiling.n_apply"), 3);
  EXPECT_EQ(config.get("gpuarray.preallocate"), "0.25");
  EXPECT_EQ(config.get("optimizer_verbose"), "True");
  EXPECT_EQ(config.get("floatX"), "float32");
  for (const char* value : {"False", "false", "0"}) {
    config.set("profile", value);
    EXPECT_FALSE(config.profile());
  }
  EXPECT_THROW(config.integer("profile"), Error);
}

TEST(Config, DevicesAndContexts) {
  Config config{ConfigSources{}};
  for (const char* good : {"cuda", "cuda7", "sim", "sim1", "sim:gtx580", "cpu"})
    config.set("device", good);
  EXPECT_MESSAGE(
      config.set("device", "gpu0"),
      "the flag device can't be 'gpu0'\n   help: write cuda0 for that GPU");
  EXPECT_MESSAGE(
      config.set("device", "gpu"),
      "the flag device can't be 'gpu'\n   help: write cuda for that GPU");
  EXPECT_MESSAGE(
      config.set("device", "opencl0:0"),
      "the flag device can't be 'opencl0:0'\n"
      "   help: there is no OpenCL device; it is cpu, cuda, cuda0, …, sim, sim0, … "
      "or sim:MODEL");
  for (const char* bad : {"", "Cuda", "cuda-1", "sim:", "cuda0x"})
    EXPECT_THROW(config.set("device", bad), Error) << bad;
  EXPECT_MESSAGE(
      config.set("contexts", "dev0=cuda0"),
      "the flag contexts can't be 'dev0=cuda0'\n   help: it is name->device, joined by ';'");
  EXPECT_MESSAGE(
      config.set("contexts", "cuda0->cuda1"),
      "the flag contexts can't be 'cuda0->cuda1'\n"
      "   help: the name of a context can't be empty or that of a device");
  EXPECT_MESSAGE(
      config.set("contexts", "a->cpu"),
      "the flag contexts can't be 'a->cpu'\n   help: a context names a GPU: cuda0, sim, …");
  EXPECT_TRUE(config.contexts().empty());
}

TEST(Config, UnknownFlagsAndValuesListWhatIsNear) {
  Config config{ConfigSources{}};
  EXPECT_MESSAGE(config.get("floatx"), "there is no flag 'floatx'\n   help: did you mean floatX?");
  EXPECT_MESSAGE(
      config.set("optimiser", "None"),
      "there is no flag 'optimiser'\n   help: did you mean optimizer?");
  EXPECT_MESSAGE(
      config.set("fastmath", "1"),
      "there is no flag 'fastmath'\n   help: did you mean nvcc.fastmath?");
  EXPECT_MESSAGE(
      config.set("xyzzy", "1"),
      "there is no flag 'xyzzy'\n   help: `hypatia config` lists the flags");
  EXPECT_MESSAGE(
      config.set("floatX", "float23"),
      "the flag floatX can't be 'float23'\n"
      "   help: it is one of float64, float32; did you mean float32?");
  EXPECT_MESSAGE(
      config.set("profile", "yes"), "the flag profile can't be 'yes'\n   help: it is True, False");
  EXPECT_MESSAGE(
      config.set("profiling.n_ops", "many"),
      "the flag profiling.n_ops can't be 'many'\n   help: it is an integer");
  EXPECT_MESSAGE(
      config.set("lib.cnmem", "1e"), "the flag lib.cnmem can't be '1e'\n   help: it is a number");
}

TEST(Config, ErrorsSayWhereTheSettingStands) {
  const TemporaryFolder folder;
  EXPECT_MESSAGE(
      Config(with_flags("florX=float32")).float_x(),
      "there is no flag 'florX'\n   set by HYPATIA_FLAGS\n   help: did you mean floatX?");
  EXPECT_MESSAGE(
      Config(with_flags("floatX")).float_x(),
      "HYPATIA_FLAGS has the entry 'floatX', which is not name=value\n"
      "   help: write name=value, with commas between entries and quotes around commas in a "
      "value");
  EXPECT_MESSAGE(
      Config(with_flags("nvcc.flags='-a")).float_x(),
      "HYPATIA_FLAGS has a quote ' that is not closed\n"
      "   help: close it, or write \\' for the character itself");
  const std::string rc = folder.write("rc", "[global]\nfloatX = half\n");
  EXPECT_MESSAGE(
      Config(with_file(rc)).float_x(),
      "the flag floatX can't be 'half'\n   set by " + rc +
          ":2\n   help: it is one of float64, float32");
  const std::string loose = folder.write("loose", "floatX = float32\n");
  EXPECT_MESSAGE(
      Config(with_file(loose)).float_x(),
      loose +
          ":1 is neither a setting nor a section: floatX = float32\n"
          "   help: write name = value below a [section]; names without a dot stand below "
          "[global]");
  const std::string folder_as_file = folder / ".";
  EXPECT_MESSAGE(
      Config(with_file(folder_as_file)).float_x(),
      "the configuration file " + folder_as_file +
          " can't be read: it is a folder\n"
          "   help: HYPATIARC names it: correct the path or unset HYPATIARC");
  for (const char* text : {"[global\n", "[global]\njust words\n", "[global]\n= 3\n"})
    EXPECT_THROW(Config(with_file(folder.write("bad", text))).float_x(), Error) << text;
}

TEST(Config, SomeFlagsCantChangeOnceUsed) {
  Config config{ConfigSources{}};
  config.set("device", "sim");
  EXPECT_EQ(config.get("device"), "sim");
  config.set("device", "sim0");
  EXPECT_EQ(config.device(), "sim0");
  EXPECT_MESSAGE(
      config.set("device", "cpu"),
      "the flag device is 'sim0' and can't become 'cpu' any more, because it has been used\n"
      "   help: set it before the first function is compiled, or start with "
      "HYPATIA_FLAGS=device=cpu");
  config.set("device", "sim0");
  config.compiledir();
  EXPECT_THROW(config.set("base_compiledir", "/tmp"), Error);
  config.reset();
  config.set("device", "cuda");
  EXPECT_EQ(config.get("device"), "cuda");
}

TEST(Config, FoldersBelowHome) {
  Config config{ConfigSources{}};
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "~";
  EXPECT_EQ(config.base_compiledir(), home + "/.hypatia");
  EXPECT_EQ(config.compiledir(), home + "/.hypatia/kernels");
  config.reset();
  config.set("compiledir", "/tmp/kernels");
  EXPECT_EQ(config.compiledir(), "/tmp/kernels");
}

TEST(ChangeFlags, SetsBackAtTheEndOfTheBlock) {
  Config config(with_flags("optimizer=o2"));
  {
    const ChangeFlags outer(config, {{"optimizer", "None"}, {"floatX", "float32"}});
    EXPECT_EQ(config.optimizer(), "None");
    {
      const ChangeFlags inner(config, {{"optimizer", "o1"}, {"optimizer", "o3"}});
      EXPECT_EQ(config.optimizer(), "o3");
    }
    EXPECT_EQ(config.optimizer(), "None");
    EXPECT_EQ(config.float_x(), DType::float32);
  }
  EXPECT_EQ(config.optimizer(), "o2");
  EXPECT_EQ(config.source("optimizer"), "HYPATIA_FLAGS");
  EXPECT_EQ(config.float_x(), DType::float64);
}

TEST(ChangeFlags, ChangesNothingIfOneIsBad) {
  Config config{ConfigSources{}};
  EXPECT_THROW(ChangeFlags(config, {{"optimizer", "None"}, {"floatX", "float8"}}), Error);
  EXPECT_EQ(config.optimizer(), "o4");
}

TEST(Config, PrintsEveryFlag) {
  Config config{ConfigSources{}};
  config.set("floatX", "float32");
  const std::string text = to_text(config);
  EXPECT_EQ(
      text.substr(0, text.find("\n\n")),
      "floatX (float64, float32)\n"
      "    Doc:  The dtype of variables and numbers that name none.\n"
      "    Value:  float32");
  for (const Flag& flag : flags())
    EXPECT_NE(text.find(std::string(flag.name) + " ("), std::string::npos) << flag.name;
  EXPECT_NE(text.find("No effect here: that allocator is gone"), std::string::npos);
  config.set("device", "sim");  // printing is no use of a flag
}

TEST(Config, IsReadAndWrittenByManyThreads) {
  Config config{ConfigSources{}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&config, t] {
      for (int i = 0; i < 500; ++i) {
        config.set("optimizer", (i + t) % 2 ? "o1" : "stabilize");
        const std::string_view seen = config.optimizer();
        EXPECT_TRUE(seen == "o1" || seen == "stabilize") << seen;
        config.set("nvcc.flags", i % 2 ? "-a" : "--a-longer-text-than-fits-in-place");
        EXPECT_FALSE(config.get("nvcc.flags").empty());
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
}

}  // namespace
}  // namespace hypatia
