// Long work says on a terminal what it is at, on a line that is written over; elsewhere it is
// quiet.
#include "exercises/runner/status_line.h"

#include <gtest/gtest.h>

#include "exercises/runner/text.h"
#include "tests/runner/terminal.h"

namespace hypatia::runner {

namespace {

// What is left on the screen's lines: what was written over is not.
std::vector<std::string> screen_of(const std::string& bytes) {
  std::vector<std::string> lines{""};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.compare(i, 4, "\r\033[K") == 0) {
      lines.back().clear();
      i += 3;
    } else if (bytes[i] == '\n') {
      lines.emplace_back();
    } else if (bytes[i] != '\r') {
      lines.back() += bytes[i];
    }
  }
  return lines;
}

std::string slow(double seconds) {
  return "answer() { sleep " + std::to_string(seconds) + "; echo 42; }\nmain() { answer; }\n";
}

}  // namespace

TEST(StatusLine, TellsTheStepAndIsGoneAtTheEnd) {
  const Toy toy;
  toy.write(slow(0.9));
  Terminal terminal(toy, {"check", "00"});
  EXPECT_FALSE(terminal.shows("never shown", 3));  // reads to the end
  EXPECT_TRUE(contains(terminal.seen(), "00_toy: running its tests")) << terminal.seen();
  const std::vector<std::string> screen = screen_of(terminal.seen());
  EXPECT_TRUE(contains(terminal.seen(), "PASSED")) << terminal.seen();
  for (const std::string& line : screen)
    EXPECT_FALSE(contains(line, "running its tests")) << line;
}

TEST(StatusLine, IsGoneAfterAnInterruptToo) {
  const Toy toy;
  toy.sheet("");
  toy.write(slow(0.9));
  Terminal terminal(toy, {"check", "00"});
  ASSERT_TRUE(terminal.shows("00_toy: running its tests")) << terminal.seen();
  terminal.signal(SIGINT);
  EXPECT_TRUE(terminal.shows("\r\033[K", 2)) << terminal.seen();
  EXPECT_FALSE(contains(terminal.seen(), "running its tests")) << terminal.seen();
}

TEST(StatusLine, TellsTheTimeOfLongSteps) {
  const Toy toy;
  toy.write(slow(1.7));
  toy.sheet("", "");
  Terminal terminal(toy, {"counters", "00"});
  EXPECT_TRUE(terminal.shows("00_toy: counting every access … 1 s")) << terminal.seen();
}

TEST(StatusLine, IsAsWideAsTheTerminal) {
  const Toy toy;
  toy.write(slow(0.9));
  Terminal terminal(toy, {"check", "00"}, 20);
  ASSERT_TRUE(terminal.shows("\033[K00_toy: running it…")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("PASSED")) << terminal.seen();
}

TEST(StatusLine, SaysNothingOfQuickWork) {
  const Toy toy;
  toy.write(toy.right);
  Terminal terminal(toy, {"check", "00"});
  ASSERT_FALSE(terminal.shows("00_toy: ", 5)) << terminal.seen();
  EXPECT_TRUE(contains(terminal.seen(), "PASSED")) << terminal.seen();
}

TEST(StatusLine, IsNotWrittenIntoAFileOrADocument) {
  const Toy toy;
  toy.write(slow(0.9));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", "00"}, {"check", "00", "--json"}}) {
    const Outcome outcome = toy.hypatia(words);
    EXPECT_FALSE(contains(outcome.output, "running its tests")) << outcome.output;
    EXPECT_FALSE(contains(outcome.output, "\033[K")) << outcome.output;
  }
  Terminal terminal(toy, {"check", "00", "--json"});
  EXPECT_FALSE(terminal.shows("running its tests", 5)) << "one document, on a terminal too";
  EXPECT_TRUE(contains(terminal.seen(), "\"verdicts\"")) << terminal.seen();
}

TEST(StatusLine, LinesAreCutAtACharacter) {
  EXPECT_EQ(beginning("grün und rot", 12), "grün und rot");
  EXPECT_EQ(beginning("grün und rot", 5), "grün…");
  EXPECT_EQ(beginning("grün und rot", 4), "grü…");
  EXPECT_EQ(beginning("x", 0), "");
}

}  // namespace hypatia::runner
