// Watch mode on a terminal of its own: a verdict at every save, also at one during a run; keys.
#include <gtest/gtest.h>
#include <thread>

#include "tests/runner/terminal.h"

namespace hypatia::runner {

namespace {

std::string sleeping(const std::string& answer) {
  return "answer() { sleep 0.8; echo " + answer + "; }\nmain() { answer; }\n";
}

}  // namespace

TEST(Watch, ASaveBringsAVerdict) {
  const Toy toy;
  Terminal terminal(toy, {});  // the bare command on a terminal
  ASSERT_TRUE(terminal.shows("NOT YET")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("it is 41")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit"));
  EXPECT_FALSE(terminal.echoes());
  const auto saved = std::chrono::steady_clock::now();
  toy.write(toy.right);
  ASSERT_TRUE(terminal.shows("PASSED")) << terminal.seen();
  EXPECT_LT(seconds_since(saved), 2);
  EXPECT_TRUE(terminal.shows("after the save"));
  terminal.press("q");
  EXPECT_EQ(terminal.exit_code(), 0);
  EXPECT_TRUE(terminal.echoes());
}

TEST(Watch, ASaveDuringARunIsNotLost) {
  const Toy toy;
  toy.write(sleeping("41"));
  Terminal terminal(toy, {"watch", "00"});
  ASSERT_TRUE(terminal.shows("checking"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // Editors write beside and rename; the first run is ended, and gives no verdict.
  toy.scratch.write("exercises/00_toy/exercise.cpp~", toy.right);
  std::filesystem::rename(
      toy.scratch.path / "exercises/00_toy/exercise.cpp~",
      toy.scratch.path / "exercises/00_toy/exercise.cpp");
  ASSERT_TRUE(terminal.shows("PASSED")) << terminal.seen();
  EXPECT_FALSE(contains(toy.scratch.read(".hypatia/state.jsonl"), "fail"));
}

TEST(Watch, DeathsAndEndlessLoopsAreTold) {
  const Toy toy;
  toy.write("answer() { kill -SEGV $$; }\nmain() { answer; }\n");
  Terminal terminal(toy, {"watch", "00"});
  EXPECT_TRUE(terminal.shows("segmentation fault")) << terminal.seen();
  toy.write("answer() { while true; do :; done; }\nmain() { answer; }\n");
  EXPECT_TRUE(terminal.shows("still running after 1 s")) << terminal.seen();
  toy.write("answer() { ((;\n");
  EXPECT_TRUE(terminal.shows("does not compile")) << terminal.seen();
  toy.write(toy.right);
  EXPECT_TRUE(terminal.shows("PASSED")) << terminal.seen();
}

TEST(Watch, KeysAnswer) {
  const Toy toy;
  Terminal terminal(toy, {"watch", "00", "--plain"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  terminal.press("h");
  EXPECT_TRUE(terminal.shows("Look at the number")) << terminal.seen();
  terminal.press("s");
  EXPECT_TRUE(terminal.shows("## Questions"));
  terminal.press("?");
  EXPECT_TRUE(terminal.shows("check again"));
  terminal.press("l");
  EXPECT_TRUE(terminal.shows("a toy"));
  terminal.press("r");
  EXPECT_TRUE(terminal.shows("the answer is 41")) << terminal.seen();
  terminal.press("d");
  EXPECT_TRUE(terminal.shows("not passed yet")) << terminal.seen();
  terminal.press("p");
  ASSERT_TRUE(terminal.shows("digits = ")) << terminal.seen();
  terminal.press("3\n");
  EXPECT_TRUE(terminal.shows("1 of 1 questions answered")) << terminal.seen();
  toy.write(toy.right);
  EXPECT_TRUE(terminal.shows("you said 3, measured 2")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("u");
  EXPECT_TRUE(terminal.shows("as it was at the check of")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("NOT YET")) << terminal.seen();
  EXPECT_EQ(toy.scratch.read("exercises/00_toy/exercise.cpp"), toy.wrong);
}

TEST(Watch, OneKeyAnswersAQuestion) {
  const Toy toy;
  Terminal terminal(toy, {"watch", "00", "--plain"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  toy.write(toy.right + "# mine\n");
  ASSERT_TRUE(terminal.shows("PASSED")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.press("x");
  ASSERT_TRUE(terminal.shows("[y/N]"));
  terminal.press("n");
  EXPECT_TRUE(terminal.shows("no")) << terminal.seen();
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  EXPECT_EQ(toy.scratch.read("exercises/00_toy/exercise.cpp"), toy.right + "# mine\n");
  terminal.press("x");
  ASSERT_TRUE(terminal.shows("[y/N]"));
  terminal.press("y");
  EXPECT_TRUE(terminal.shows("yes")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("starter")) << terminal.seen();
}

TEST(Watch, LeavesWhatScrolledOutAndTheLastWords) {
  const Toy toy;
  toy.write(toy.right);
  Terminal terminal(toy, {"watch", "00"});
  ASSERT_TRUE(terminal.shows("n next exercise")) << terminal.seen();
  terminal.press("n");
  ASSERT_TRUE(terminal.shows("All exercises are passed.")) << terminal.seen();
  EXPECT_FALSE(terminal.shows("checking ", 1)) << "the words stay on the screen";
  EXPECT_FALSE(contains(terminal.seen(), "after the save")) << "nothing was saved yet";
  EXPECT_FALSE(contains(terminal.seen(), "\033[3J")) << "what scrolled out is not wiped";
}

TEST(Watch, ASignalLeavesTheTerminalAsItWas) {
  const Toy toy;
  Terminal terminal(toy, {"watch"});
  ASSERT_TRUE(terminal.shows("q quit")) << terminal.seen();
  ASSERT_FALSE(terminal.echoes());
  terminal.signal(SIGTERM);
  terminal.exit_code();
  EXPECT_TRUE(terminal.echoes());
}

TEST(Watch, WithoutATerminalTheBareCommandIsStatus) {
  const Toy toy;
  EXPECT_TRUE(contains(toy.hypatia({}).output, "0 of 1 exercises passed"));
  EXPECT_EQ(toy.hypatia({"watch"}).code, 2);
}

}  // namespace hypatia::runner
