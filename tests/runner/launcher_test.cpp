// The launcher script, run as a copy in a folder of its own against pretended tools.
#include <gtest/gtest.h>
#include <thread>

#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "tests/runner/scratch.h"

namespace hypatia::runner {

namespace {

// A checkout with a launcher, and tools that leave a line in `calls` each time they run.
struct Launcher {
  Scratch scratch;

  Launcher() {
    scratch.write("hypatia", read_file(root() + "/hypatia"), true);
    for (const char* folder :
         {"cmake", "engine", "profiler", "exercises", "solutions", "bench", "gui", "tests"})
      std::filesystem::create_directories(scratch.path / folder);
    scratch.write("CMakeLists.txt", "");
    scratch.write("CMakePresets.json", "");
    scratch.write("engine/a.cpp", "");
    tool("dpkg-query", "[ -e \"$HOME/installed\" ] && cat \"$HOME/installed\" || true");
    tool("apt-get", "[ ! -e \"$HOME/offline\" ]");
    tool(
        "cmake",
        "while [ $# -gt 0 ]; do [ \"$1\" = -B ] && build=$2; shift; done; touch "
        "\"$build/build.ninja\"");
    tool(
        "ninja",
        "[ -e \"$HOME/broken\" ] && exit 1; [ -e \"$HOME/slow\" ] && sleep 0.5; mkdir -p "
        "\"$2/bin\"; printf '#!/bin/sh\\necho built program: \"$@\"\\n' > \"$2/bin/hypatia\"; "
        "chmod "
        "+x \"$2/bin/hypatia\"");
    scratch.write("home/installed", everything());
    scratch.write("home/calls", "");
  }

  // The answer of dpkg-query when all packages of the script's lists are there.
  static std::string everything() {
    Task task;
    task.words = {
        "bash",
        "-c",
        "sed -n '/^required=/,/^checking=/p' \"$0\" | tr -d '\\n' | sed "
        "'s/[a-z]*=(/ /g; s/)/ /g' | xargs -n1 printf 'installed=%s '",
        root() + "/hypatia"};
    return run(task).output;
  }

  void tool(const std::string& name, const std::string& script) const {
    scratch.write(
        "tools/" + name,
        "#!/bin/bash\necho \"" + name + " $*\" >> \"$HOME/calls\"\n" + script + "\n",
        true);
  }

  Outcome start(const std::string& words, const std::string& user_id = "0") const {
    Task task;
    // EUID can't be set in bash: the copy asks a variable instead.
    task.words = {
        "bash",
        "-c",
        "sed -i 's/EUID != 0/" + user_id + " != 0/' hypatia; cd / && \"$0\" " + words,
        (scratch.path / "hypatia").string()};
    task.folder = scratch.path.string();
    task.environment = {
        {"HOME", (scratch.path / "home").string()},
        {"PATH", (scratch.path / "tools").string() + ":/usr/bin:/bin"},
        {"HYPATIA_BUILD", ""},
        {"HYPATIA_NO_SETUP", ""},
        {"HYPATIA_PRESET", "default"},
    };
    task.limit_seconds = 30;
    return run(task);
  }

  std::string calls() const { return scratch.read("home/calls"); }

  int count(const std::string& tool) const {
    int found = 0;
    const std::string all = "\n" + calls();
    for (std::size_t at = all.find("\n" + tool + " "); at != std::string::npos;
         at = all.find("\n" + tool + " ", at + 1)) {
      ++found;
    }
    return found;
  }
};

bool says(const Outcome& outcome, const std::string& words) {
  return outcome.output.find(words) != std::string::npos;
}

}  // namespace

TEST(Launcher, BuildsOnceAndPassesArgumentsOn) {
  const Launcher launcher;
  const Outcome first = launcher.start("run 01 -- --no-setup 'a b'");
  EXPECT_EQ(first.code, 0) << first.output;
  EXPECT_TRUE(says(first, "built program: run 01 -- --no-setup a b")) << first.output;
  EXPECT_EQ(launcher.count("cmake"), 1);
  EXPECT_EQ(launcher.count("apt-get"), 0);
  const int builds = launcher.count("ninja");
  const Outcome second = launcher.start("list");
  EXPECT_EQ(second.output, "built program: list\n");
  EXPECT_EQ(launcher.count("ninja"), builds) << launcher.calls();
}

TEST(Launcher, AChangedSourceBuildsAgain) {
  const Launcher launcher;
  launcher.start("list");
  const int builds = launcher.count("ninja");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  launcher.scratch.write("engine/a.cpp", "int a;");
  launcher.start("list");
  EXPECT_GT(launcher.count("ninja"), builds);
  EXPECT_EQ(launcher.count("cmake"), 1) << launcher.calls();
}

TEST(Launcher, ALearnersFileBuildsNothing) {
  const Launcher launcher;
  launcher.scratch.write("exercises/01_exp_test/exercise.cpp", "");
  launcher.start("list");
  const int builds = launcher.count("ninja");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  launcher.scratch.write("exercises/01_exp_test/exercise.cpp", "half written");
  launcher.start("list");
  EXPECT_EQ(launcher.count("ninja"), builds);
}

TEST(Launcher, WithoutRootItPrintsTheLine) {
  const Launcher launcher;
  launcher.scratch.write("home/installed", "");
  const Outcome outcome = launcher.start("tour", "1000");
  EXPECT_EQ(outcome.code, 7);
  EXPECT_TRUE(says(outcome, "apt-get install -y --no-install-recommends g++ cmake ninja-build"));
  EXPECT_EQ(launcher.count("apt-get"), 0);
  EXPECT_EQ(launcher.count("cmake"), 0);
}

TEST(Launcher, WithoutOptionalPackagesItGoesOn) {
  const Launcher launcher;
  std::string installed = Launcher::everything();
  const std::string package = "installed=libimgui-dev ";
  installed.erase(installed.find(package), package.size());
  launcher.scratch.write("home/installed", installed);
  const Outcome outcome = launcher.start("tour", "1000");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(says(outcome, "without 1 optional packages"));
}

TEST(Launcher, AsRootItInstalls) {
  const Launcher launcher;
  launcher.scratch.write("home/installed", "");
  EXPECT_EQ(launcher.start("tour").code, 0);
  EXPECT_EQ(launcher.count("apt-get"), 2);  // update, install
  EXPECT_EQ(launcher.calls().find("clang-tidy"), std::string::npos);
}

TEST(Launcher, WithoutANetworkItSaysSo) {
  const Launcher launcher;
  launcher.scratch.write("home/installed", "");
  launcher.scratch.write("home/offline", "");
  const Outcome outcome = launcher.start("tour");
  EXPECT_EQ(outcome.code, 7);
  EXPECT_TRUE(says(outcome, "Without a network")) << outcome.output;
  EXPECT_EQ(launcher.count("cmake"), 0);
}

TEST(Launcher, AFailedBuildIsTriedAgain) {
  const Launcher launcher;
  launcher.scratch.write("home/broken", "");
  EXPECT_EQ(launcher.start("list").code, 3);
  std::filesystem::remove(launcher.scratch.path / "home/broken");
  EXPECT_EQ(launcher.start("list").code, 0);
}

TEST(Launcher, TwoStartsAtOnceBuildOnce) {
  const Launcher launcher;
  launcher.scratch.write("home/slow", "");
  Outcome other;
  std::thread beside([&] { other = launcher.start("list"); });
  const Outcome one = launcher.start("list");
  beside.join();
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_EQ(other.code, 0) << other.output;
  EXPECT_EQ(launcher.count("cmake"), 1) << launcher.calls();
}

TEST(Launcher, NoSetupRunsABuildFolderAsItIs) {
  const Launcher launcher;
  const Outcome none = launcher.start("--no-setup list");
  EXPECT_EQ(none.code, 7);
  launcher.start("list");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  launcher.scratch.write("engine/a.cpp", "int changed;");
  launcher.scratch.write("home/calls", "");
  EXPECT_EQ(
      launcher.start("test --no-setup --filter x").output, "built program: test --filter x\n");
  EXPECT_EQ(launcher.calls(), "");
}

TEST(Launcher, HelpComesAtOnceWhereTheProgramIsBuilt) {
  const Launcher launcher;
  EXPECT_EQ(launcher.start("help bench").code, 0);
  EXPECT_GT(launcher.count("ninja"), 0) << "there was no program yet that could have told it";
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  launcher.scratch.write("engine/a.cpp", "int changed;");
  launcher.scratch.write("home/calls", "");
  for (const std::string words :
       {"--help", "-h", "help", "help bench", "bench --help", "dev check --help", "test -h"}) {
    EXPECT_EQ(launcher.start(words).output, "built program: " + words + "\n");
    EXPECT_EQ(launcher.calls(), "") << words;
  }
  launcher.start("bench -- --help");
  EXPECT_GT(launcher.count("ninja"), 0) << "what follows -- is the benchmarks' own";
}

TEST(Launcher, ABuildFolderThatCannotBeWrittenIsNamed) {
  const Launcher launcher;
  // Root may write everywhere, but not below a file.
  launcher.scratch.write("build", "a file");
  const Outcome outcome = launcher.start("list");
  EXPECT_EQ(outcome.code, 7) << outcome.output;
  EXPECT_TRUE(says(outcome, "you may not write to the build folder")) << outcome.output;
  EXPECT_TRUE(says(outcome, "HYPATIA_BUILD=/path")) << outcome.output;
}

TEST(Launcher, AMovedCheckoutIsConfiguredAfresh) {
  const Launcher launcher;
  launcher.start("list");
  launcher.scratch.write(
      "build/default/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n");
  launcher.scratch.write("build/default/surroundings", "root /elsewhere\n");
  launcher.start("list");
  EXPECT_NE(launcher.calls().find("--fresh"), std::string::npos) << launcher.calls();
}

}  // namespace hypatia::runner
