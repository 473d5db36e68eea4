// Generic wrong answers: made at every place, and counted.
#include "exercises/runner/mutate.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

std::vector<std::string> changes_of(const std::string& line) {
  std::vector<std::string> after;
  for (const Mutant& mutant : mutants_of(line + "\n", {{0, 1}}))
    after.push_back(mutant.after);
  return after;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Lets the toy's check take any output of `test`, where 42 was wanted.
void weaken(const Toy& toy, const std::string& test) {
  std::string check = toy.check;
  check.replace(check.find("= 42"), 4, test);
  toy.scratch.write("exercises/00_toy/check.cpp", check);
}

}  // namespace

TEST(Mutate, ChangesEveryPlace) {
  const std::vector<std::string> kernel =
      changes_of("  if (row < rows && column < columns) dest[i] = a[i] * b[i];");
  EXPECT_TRUE(has(kernel, "if (row <= rows && column < columns) dest[i] = a[i] * b[i];"));
  EXPECT_TRUE(has(kernel, "if (row < rows && column <= columns) dest[i] = a[i] * b[i];"));
  EXPECT_TRUE(has(kernel, "if (row < rows) dest[i] = a[i] * b[i];"));
  EXPECT_TRUE(has(kernel, "if (column < columns) dest[i] = a[i] * b[i];"));
  EXPECT_TRUE(has(kernel, "if (row < rows && column < columns) dest[i] = a[i] + b[i];"));
  EXPECT_TRUE(has(kernel, "if (row < rows && column < columns) dest[i + 1] = a[i] * b[i];"));
  EXPECT_TRUE(has(changes_of("  __syncthreads();"), ""));
  EXPECT_TRUE(has(changes_of("  r.sync();  // wait"), "// wait"));
  EXPECT_TRUE(has(changes_of("  i = blockIdx.x * n + j;"), "i = blockIdx.y * n + j;"));
  EXPECT_TRUE(has(changes_of("  i = row * n + j;"), "i = row * (n + 1) + j;"));
  EXPECT_TRUE(has(changes_of("  x.astype(DType::float32);"), "x.astype(DType::float64);"));
  EXPECT_TRUE(has(changes_of("  return pow(a, 10);"), "return pow(a, (10 - 1));"));
  EXPECT_TRUE(has(changes_of("  return pow(a, 10);"), "return pow(a, 10);") == false);
}

TEST(Mutate, LeavesCommentsNamesAndOtherLinesAlone) {
  EXPECT_TRUE(changes_of("  // a < b and a + b").empty());
  EXPECT_TRUE(changes_of("  auto f = function({x}, y, {.name = \"a + 1\"});").empty());
  EXPECT_TRUE(mutants_of("a + b\nc\n", {{1, 2}}).empty());
}

TEST(Mutate, RegionsOfTheSolutionAreThoseBetweenTheMarks) {
  std::string fault;
  const std::string starter =
      "a\n// >>> edit between these marks\nx\n// <<< edit between these marks\nb\n";
  EXPECT_EQ(solved_regions(starter, "a\ny\nz\nb\n", fault), (std::vector<Region>{{1, 3}}));
  EXPECT_EQ(fault, "");
  EXPECT_EQ(
      solved_regions("#include <x>\n" + starter, "helper\na\ny\nb\nmore\n", fault),
      (std::vector<Region>{{2, 3}}))
      << fault;
  EXPECT_TRUE(solved_regions(starter, "a\ny\nc\n", fault).empty());
  EXPECT_NE(fault, "");
  solved_regions("a\n", "a\n", fault);
  EXPECT_EQ(fault, "it has no marks");
}

TEST(Mutate, AScoreBelowNineOfTenIsAFault) {
  const Toy toy;
  const Outcome good = toy.hypatia({"dev", "mutate", "00", "--list"});
  EXPECT_EQ(good.code, 0) << good.output;
  EXPECT_TRUE(contains(good.output, "killed          2  + to -: echo $((40 - 2))")) << good.output;
  EXPECT_TRUE(contains(good.output, "100 %")) << good.output;
  weaken(toy, "-ge 38");
  const Outcome weak = toy.hypatia({"dev", "mutate", "00"});
  EXPECT_EQ(weak.code, 8) << weak.output;
  EXPECT_TRUE(contains(weak.output, "survived")) << weak.output;
}

TEST(Mutate, ASampleIsJudgedAsAWhole) {
  const Toy toy;
  const Outcome one = toy.hypatia({"dev", "mutate", "--sample", "1"});
  EXPECT_EQ(one.code, 0) << one.output;
  EXPECT_TRUE(contains(one.output, "1 of 1 killed")) << one.output;
  EXPECT_TRUE(contains(one.output, "100 % of the sample killed")) << one.output;
  weaken(toy, "-ge 0");
  const Outcome blind = toy.hypatia({"dev", "mutate", "--sample", "1"});
  EXPECT_EQ(blind.code, 8) << blind.output;
  for (const char* none : {"-1", "0", "1.5", "nan", "inf", "many"}) {
    const Outcome refused = toy.hypatia({"dev", "mutate", "--sample", none});
    EXPECT_EQ(refused.code, 2) << refused.output;
    EXPECT_TRUE(contains(refused.output, "--sample wants a")) << refused.output;
  }
}

TEST(Mutate, KnownEquivalentsDontCount) {
  const Toy toy;
  weaken(toy, "-ge 38");
  const std::string before = toy.hypatia({"dev", "mutate", "00", "--json"}).output;
  EXPECT_TRUE(contains(before, "\"after\": \"echo $((40 - 2))\"")) << before;
  toy.scratch.write(
      "exercises/00_toy/mutants/equivalent.json",
      R"json([{"line": "echo $((40 - 2))", "why": "38 will do"}])json");
  const std::string after = toy.hypatia({"dev", "mutate", "00", "--json"}).output;
  EXPECT_FALSE(contains(after, "\"after\": \"echo $((40 - 2))\"")) << after;
  EXPECT_TRUE(contains(after, "\"equivalent\": 1")) << after;
}

TEST(Mutate, ALineThatIsNoEquivalentIsTold) {
  const Toy toy;
  const std::string list = "exercises/00_toy/mutants/equivalent.json";
  toy.scratch.write(list, R"json([{"line": "echo $((40 - 2))", "why": "?"}])json");
  const Outcome killed = toy.hypatia({"dev", "mutate", "00"});
  EXPECT_EQ(killed.code, 8) << killed.output;
  EXPECT_TRUE(contains(killed.output, "which is a mistake that the check rejects: take it out"));
  toy.scratch.write(list, R"json([{"line": "nonsense", "why": "?"}])json");
  const Outcome unknown = toy.hypatia({"dev", "mutate", "00", "--sample", "1"});
  EXPECT_EQ(unknown.code, 8) << unknown.output;
  EXPECT_TRUE(contains(unknown.output, "'nonsense', which is none of the changes that are tried"));
  for (const char* text :
       {"{\"line\": \"x\"}", "[{\"line\": 1, \"why\": \"\"}]", "[{\"line\": \"x\"}]"}) {
    toy.scratch.write(list, text);
    const Outcome wrong = toy.hypatia({"dev", "mutate", "00"});
    EXPECT_EQ(wrong.code, 8) << wrong.output;
    EXPECT_TRUE(contains(wrong.output, "equivalent.json should be a list of objects"))
        << wrong.output;
  }
}

}  // namespace hypatia::runner
