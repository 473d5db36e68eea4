// Every block and figure of a course's texts is held by something, and a wrong one is told.
#include "exercises/runner/holds.h"

#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

constexpr const char* notes = "solutions/00_toy/notes.md";

// What `dev book --check` says of the toy's notes.
std::string said_of(const Toy& toy, const std::string& text) {
  toy.scratch.write(notes, "# Notes on the toy\n\n" + text + "\n");
  const Outcome outcome = toy.hypatia({"dev", "book", "--check"});
  EXPECT_EQ(outcome.code == 0, !contains(outcome.output, "notes.md")) << outcome.output;
  return contains(outcome.output, "notes.md") ? outcome.output : "";
}

}  // namespace

TEST(Holds, AFigureThatNothingHoldsIsTold) {
  const Toy toy;
  ASSERT_EQ(toy.hypatia({"dev", "book"}).code, 0);
  EXPECT_EQ(said_of(toy, "It is a number."), "");
  EXPECT_TRUE(contains(said_of(toy, "It carries 4 MB."), "notes.md:3: 4 MB: nothing holds it"));
  EXPECT_TRUE(contains(said_of(toy, "    it took 3 s"), "nothing holds it"));
  EXPECT_EQ(said_of(toy, "    echo $((______ + 2))"), "");
  EXPECT_EQ(said_of(toy, "<!-- cited: a book -->\nIt carried 4 MB."), "");
  EXPECT_TRUE(contains(said_of(toy, "    ./hypatia chek 00"), "names a command that is not there"));
  EXPECT_TRUE(contains(said_of(toy, "<!-- sited: a book -->\nWords."), "no such comment"));
}

TEST(Holds, AWrongFigureIsTold) {
  const Toy toy;
  ASSERT_EQ(toy.hypatia({"dev", "book"}).code, 0);
  EXPECT_EQ(said_of(toy, "<!-- figure: 4 MB = 4 * 1000 * 1000 / 1e6 -->\nIt carries 4 MB."), "");
  EXPECT_TRUE(contains(
      said_of(toy, "<!-- figure: 5 MB = 4 * 1000 * 1000 / 1e6 -->\nIt carries 5 MB."),
      "5 MB: it is 4"));
  EXPECT_TRUE(
      contains(said_of(toy, "<!-- figure: 4 MB = 4 -->\nIt carries more."), "does not say '4 MB'"));
  EXPECT_EQ(said_of(toy, "<!-- figure: two kernels = asked.digits -->\nIt is two kernels."), "");
  EXPECT_TRUE(contains(
      said_of(toy, "<!-- figure: 3 kernels = asked.digits -->\nIt is 3 kernels."), "it is 2"));
  EXPECT_EQ(said_of(toy, "<!-- held by: notes.txt four -->\nIt is four nodes.").empty(), false);
  toy.scratch.write("notes.txt", "four");
  EXPECT_EQ(said_of(toy, "<!-- held by: notes.txt four -->\nIt is four nodes."), "");
}

TEST(Holds, ABlockIsWhatItsCommandPrints) {
  const Toy toy;
  ASSERT_EQ(toy.hypatia({"dev", "book"}).code, 0);
  const std::string run = "<!-- shown: ./hypatia run 00 --solution -->\n";
  EXPECT_EQ(said_of(toy, run + "    the answer is 42"), "");
  EXPECT_EQ(said_of(toy, run + "```text\nthe answer is …\n```"), "");
  EXPECT_TRUE(contains(said_of(toy, run + "    the answer is 43"), "it is not printed"));
  EXPECT_TRUE(contains(said_of(toy, "<!-- shown: ./hypatia rum -->\n    42"), "failed"));
}

TEST(Holds, ATableIsWhatWasMeasured) {
  const Toy toy;
  toy.scratch.write(
      "solutions/00_toy/measured.json",
      R"({"measures": [{"name": "it", "run": "./hypatia run 00 --solution",
      "line": "the answer is {}", "times": "1000", "repeats": true}],
      "tables": {"answers": {"head": ["toy", "answer"], "rows": [["this", "it"]]}}})");
  toy.scratch.write(notes, "# Notes\n\n<!-- table: answers -->\n<!-- end of table -->\n");
  const Outcome made = toy.hypatia({"dev", "book", "--measure"});
  ASSERT_EQ(made.code, 0) << made.output;
  const std::string page = toy.scratch.read(notes);
  EXPECT_TRUE(contains(page, "| this | 42,000 |\n")) << page;
  EXPECT_EQ(toy.hypatia({"dev", "book", "--check"}).code, 0);

  std::string wrong = page;
  wrong.replace(wrong.find("42,000"), 6, "43,000");
  toy.scratch.write(notes, wrong);
  const Outcome table = toy.hypatia({"dev", "book", "--check"});
  EXPECT_TRUE(contains(table.output, "a table is not what was measured")) << table.output;

  toy.scratch.write(notes, page);
  std::string values = toy.scratch.read("solutions/00_toy/measured.json");
  values.replace(values.find("42000"), 5, "40000");
  toy.scratch.write("solutions/00_toy/measured.json", values);
  const Outcome stale = toy.hypatia({"dev", "book", "--check"});
  EXPECT_TRUE(contains(stale.output, "measured as 40000 and is 42000 now")) << stale.output;
}

}  // namespace hypatia::runner
