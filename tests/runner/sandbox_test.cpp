// Where programs can't be confined, or nothing can be written, grading says so and what to do.
#include "exercises/runner/sandbox.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

/// A folder of submissions to the toy's exercise, and a bubblewrap that refuses with these words.
struct Refused {
  Toy toy;

  explicit Refused(const std::string& words) {
    toy.scratch.write("in/anna/00_toy/exercise.cpp", toy.right);
    toy.scratch.write("bin/bwrap", "#!/bin/sh\necho 'bwrap: " + words + "' >&2\nexit 1\n", true);
  }

  Outcome grade() const {
    const std::string path = (toy.scratch.path / "bin").string() + ":/usr/bin:/bin";
    return toy.hypatia({"grade", "in", "--only", "00"}, {{"PATH", path}});
  }
};

}  // namespace

TEST(Sandbox, ARefusalIsToldWithTheSettingThatAllowsIt) {
  const Outcome many =
      Refused("Creating new namespace failed: /proc/sys/user/max_*_namespaces exceeded (ENOSPC)")
          .grade();
  EXPECT_EQ(many.code, 6) << many.output;
  EXPECT_TRUE(
      contains(many.output, "refuses to confine them: bwrap: Creating new namespace failed"))
      << many.output;
  EXPECT_TRUE(contains(many.output, "sysctl user.max_user_namespaces=")) << many.output;
  EXPECT_FALSE(contains(many.output, "\n\n")) << many.output;
  const Outcome none = Refused("No permissions to create new namespace").grade();
  EXPECT_EQ(none.code, 6) << none.output;
  EXPECT_TRUE(contains(none.output, "--trust")) << none.output;
}

TEST(Sandbox, WithoutBubblewrapItsPackageIsNamed) {
  const Toy toy;
  toy.scratch.write("in/anna/00_toy/exercise.cpp", toy.right);
  const Outcome outcome =
      toy.hypatia({"grade", "in", "--only", "00"}, {{"PATH", toy.scratch.path.string()}});
  EXPECT_EQ(outcome.code, 6) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "apt-get install bubblewrap")) << outcome.output;
}

TEST(Sandbox, AFolderThatCannotBeMadeIsTold) {
  const Toy toy;
  toy.scratch.write("in/anna/00_toy/exercise.cpp", toy.right);
  toy.scratch.write("a file", "");
  const Outcome outcome =
      toy.hypatia({"grade", "in", "--only", "00", "--trust", "--out", "a file/grades"});
  EXPECT_EQ(outcome.code, 7) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "can't make the folder a file/grades")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "--out")) << outcome.output;
}

TEST(Sandbox, ABuildFolderOfSomeoneElseIsTold) {
  namespace fs = std::filesystem;
  const Toy toy;
  fs::permissions(toy.scratch.path, fs::perms::owner_all | fs::perms(0055));
  fs::permissions(toy.scratch.path / "build", fs::perms(0555));
  Task task;
  if (::geteuid() == 0) task.words = {"setpriv", "--reuid", "65534", "--clear-groups"};
  for (const std::string& word : {program("hypatia"), std::string("check"), std::string("00")})
    task.words.push_back(word);
  task.environment = toy.environment();
  task.folder = toy.scratch.path.string();
  task.limit_seconds = 60;
  const Outcome outcome = run(task);
  fs::permissions(toy.scratch.path / "build", fs::perms(0755));
  EXPECT_EQ(outcome.code, 7) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "you may not write to the build folder")) << outcome.output;
}

}  // namespace hypatia::runner
