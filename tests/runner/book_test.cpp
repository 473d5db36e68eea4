// The book's pages are made from the folders, and what they show is what is printed.
#include "exercises/runner/book.h"

#include <gtest/gtest.h>

#include "exercises/runner/command.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Book, APromiseHasToBeKeptBySomeDevice) {
  const std::vector<Sample> samples{{"cpu", "one 1.0000001\ntwo\ntook … s\n"}, {"sim", "three\n"}};
  const std::string head = "## What you should see\n\n";
  EXPECT_TRUE(broken_promises(head + "    one 1.0\n    took 3 s\n", samples).empty());
  EXPECT_TRUE(broken_promises(head + "    one ...\n\ntext\n\n    three\n", samples).empty());
  EXPECT_EQ(
      broken_promises(head + "    two\n    one 1\n", samples), std::vector<std::string>{"two"});
  EXPECT_EQ(broken_promises(head + "    four\n", samples), std::vector<std::string>{"four"});
  EXPECT_TRUE(broken_promises("## What to do\n\n    four\n", samples).empty());
  EXPECT_EQ(
      broken_promises(head + "    two\n\n## Borrow\n\n    four\n", samples),
      std::vector<std::string>{"four"});
  EXPECT_TRUE(broken_promises(head + "    two\n\n## Questions\n\n    four\n", samples).empty());
}

TEST(Book, CommandsOfAPageAreThere) {
  EXPECT_TRUE(unknown_commands("`./hypatia check 06 --race` and\n\n    ./hypatia tour\n").empty());
  EXPECT_EQ(unknown_commands("    ./hypatia chek 06\n").size(), 1U);
  EXPECT_EQ(unknown_commands("    ./hypatia check 06 --rase\n").size(), 1U);
}

TEST(Book, APageThatDriftedIsToldAndMadeAnew) {
  const Toy toy;
  EXPECT_EQ(toy.hypatia({"dev", "book", "--check"}).code, 8);
  ASSERT_EQ(toy.hypatia({"dev", "book"}).code, 0) << toy.hypatia({"dev", "book"}).output;
  EXPECT_TRUE(contains(toy.scratch.read("docs/course/book/00_toy.md"), "    the answer is 42"));
  EXPECT_TRUE(contains(toy.scratch.read("docs/course/book/README.md"), "[00_toy](00_toy.md)"));
  EXPECT_EQ(toy.hypatia({"dev", "book", "--check"}).code, 0);
  std::string solution = toy.right;
  solution.replace(solution.find("the answer"), 10, "an answer");
  toy.scratch.write("solutions/00_toy/solution.cpp", solution);
  const Outcome drifted = toy.hypatia({"dev", "book", "--check"});
  EXPECT_EQ(drifted.code, 8);
  EXPECT_TRUE(contains(drifted.output, "the page promises")) << drifted.output;
  EXPECT_TRUE(contains(drifted.output, "+     an answer is 42")) << drifted.output;
}

TEST(Book, WhatVariedOnceVariesStill) {
  const std::string before = "It … prints\n\n    took … s\n    and 1 more\n";
  const std::string lucky = "It … says\n\n    took 0.5 s\n    and 2 more\n";
  EXPECT_EQ(book_text(before, lucky), "It … says\n\n    took … s\n    and 2 more\n");
  EXPECT_EQ(book_text("", lucky), lucky);
}

TEST(DevNew, IsOfTheCourseAtOnce) {
  const Toy toy;
  const Outcome made = toy.hypatia({"dev", "new", "12_mine"});
  EXPECT_EQ(made.code, 0) << made.output;
  EXPECT_TRUE(contains(toy.hypatia({"list"}).output, "12_mine"));
  EXPECT_TRUE(contains(toy.hypatia({"dev", "stats"}).output, "12_mine"));
  EXPECT_EQ(toy.hypatia({"dev", "new", "12_other"}).code, 2);
  EXPECT_EQ(toy.hypatia({"dev", "new", "mine"}).code, 2);
}

}  // namespace hypatia::runner
