// A configuration that no program would start with, told before anything is built or remembered.
#include "exercises/runner/flags.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "exercises/runner/command.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

/// Where a configuration is written, and what is said of it.
struct WrongConfiguration {
  std::string name, value;
  std::vector<std::string> said;
};

}  // namespace

TEST(Flags, AreAddedToThoseSet) {
  ::setenv("HYPATIA_FLAGS", "floatX=float32", 1);
  EXPECT_EQ(flags_for("sim", "a=b"), "floatX=float32,a=b,device=sim");
  EXPECT_EQ(flags_for("", ""), "floatX=float32");
  ::unsetenv("HYPATIA_FLAGS");
  EXPECT_EQ(flags_for("cpu", ""), "device=cpu");
}

TEST(Flags, NameADevice) {
  ::unsetenv("HYPATIA_FLAGS");
  EXPECT_EQ(configured_device(""), "");
  EXPECT_EQ(configured_device("init_gpu_device=sim"), "");
  EXPECT_EQ(configured_device("floatX=float32,device=sim"), "sim");
  ::setenv("HYPATIA_FLAGS", "device=sim1", 1);
  EXPECT_EQ(configured_device("floatX=float32"), "sim1");
  EXPECT_EQ(configured_device("device=cpu"), "cpu");
  ::unsetenv("HYPATIA_FLAGS");
}

TEST(Flags, WrongOnesOfTheEnvironmentStopEachVerbThatRunsPrograms) {
  const Toy toy;
  toy.scratch.write("rc", "[global]\nfloatX = float31\n");
  const std::string file = (toy.scratch.path / "rc").string();
  for (const auto& [name, value, said] : std::vector<WrongConfiguration>{
           {"HYPATIA_FLAGS",
            "devic=sim",
            {"there is no flag 'devic'", "set by HYPATIA_FLAGS", "did you mean device?"}},
           {"HYPATIA_FLAGS",
            "device=cudda",
            {"the flag device can't be 'cudda'", "set by HYPATIA_FLAGS", "cuda0"}},
           {"HYPATIA_FLAGS", "device", {"HYPATIA_FLAGS has the entry 'device'", "name=value"}},
           {"HYPATIARC", file, {"the flag floatX can't be 'float31'", file + ":2", "float32"}},
           {"HYPATIARC", "absent", {"absent can't be read", "HYPATIARC names it"}},
       }) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"check", "00"},
             {"check", "00", "--solution", "--json"},
             {"check", "all"},
             {"run", "00"},
             {"run", "00", "--device", "cpu"},
             {"tour"},
             {"compare", "00", "--table"},
             {"counters", "00"},
             {"why", "00", "--device", "cpu"},
             {"profile", "00"},
             {"dev", "check", "00"},
             {"config"},
         }) {
      const Outcome outcome = toy.hypatia(words, {{name, value}});
      EXPECT_EQ(outcome.code, exit_usage) << words[0] << "\n" << outcome.output;
      for (const std::string& part : said)
        EXPECT_TRUE(contains(outcome.output, part)) << words[0] << "\n" << outcome.output;
      EXPECT_FALSE(contains(outcome.output, "NOT YET")) << outcome.output;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(toy.scratch.path / "build/bin")) << "nothing was built";
  EXPECT_EQ(toy.scratch.read(".hypatia/state.jsonl"), "") << "no attempt is remembered";
}

TEST(Flags, WrongOnesOfAnOptionAreNoAttempt) {
  const Toy toy;
  for (const char* verb : {"check", "run", "counters"}) {
    const Outcome outcome = toy.hypatia({verb, "00", "--flags", "devic=sim"});
    EXPECT_EQ(outcome.code, exit_usage) << verb << "\n" << outcome.output;
    EXPECT_TRUE(contains(outcome.output, "--flags: there is no flag 'devic'")) << outcome.output;
  }
  EXPECT_EQ(toy.scratch.read(".hypatia/state.jsonl"), "");
}

TEST(Flags, RightOnesAreTaken) {
  const Toy toy;
  toy.write(toy.right);
  EXPECT_EQ(toy.hypatia({"check", "00"}, {{"HYPATIA_FLAGS", "floatX=float32"}}).code, exit_pass);
}

}  // namespace hypatia::runner
