// `dev check` lets a good exercise through, and none of these broken ones.
#include <gtest/gtest.h>

#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

Outcome prove(const Toy& toy, const char* how = "--mutants") {
  return toy.hypatia({"dev", "check", "00", how});
}

// True if exactly that is said to have failed.
bool rejected(const Outcome& outcome, const std::string& what) {
  return outcome.code == 8 && contains(outcome.output, "00_toy  fail  " + what);
}

void change(
    const Toy& toy, const std::string& file, const std::string& old, const std::string& now) {
  std::string text = toy.scratch.read(file);
  const std::size_t at = text.find(old);
  ASSERT_NE(at, std::string::npos) << file;
  toy.scratch.write(file, text.replace(at, old.size(), now));
}

}  // namespace

TEST(Proof, AGoodExercisePasses) {
  const Toy toy;
  const Outcome outcome = prove(toy);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "the wrong answer plus_5 is rejected")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "the answer to 'digits' is measured")) << outcome.output;
}

TEST(Proof, AStarterThatIsSolvedIsRejected) {
  Toy toy;
  toy.wrong =
      "answer() {\n  # >>> edit between these marks\n  echo 42\n"
      "  # <<< edit between these marks\n}\nmain() { echo the answer is $(answer); }\n";
  toy.write(toy.wrong);
  toy.sheet("");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the starter fails for its declared reason")) << outcome.output;
}

TEST(Proof, AStarterThatDoesNotBuildIsRejected) {
  Toy toy;
  toy.wrong =
      "answer() {\n  # >>> edit between these marks\n  echo $((\n"
      "  # <<< edit between these marks\n}\nmain() { echo the answer is $(answer); }\n";
  toy.write(toy.wrong);
  toy.sheet("");
  const Outcome outcome = prove(toy);
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.output, "does not compile")) << outcome.output;
}

TEST(Proof, AStarterThatFailsForAnotherReasonIsRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/check.cpp", "fail wrong-value", "fail wrong-shape");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the starter fails for its declared reason")) << outcome.output;
}

TEST(Proof, AStarterThatDiffersOutsideItsMarksIsRejected) {
  const Toy toy;
  change(toy, "solutions/00_toy/solution.cpp", "the answer is", "the number is");
  const Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, "the starter is the solution outside its marks")) << outcome.output;
}

TEST(Proof, AnEditedStarterThatIsNotOnTheSheetIsRejected) {
  const Toy toy;
  toy.sheet("", std::string(64, '0'));
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the starter fails for its declared reason")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, sha256(toy.wrong)));
}

TEST(Proof, ASolutionThatFailsIsRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/check.cpp", "= 42", "= 43");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the solution passes on cpu, seed 1")) << outcome.output;
}

TEST(Proof, ACheckThatLetsWrongAnswersThroughIsRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/check.cpp", "\"$said\" = 42", "\"$said\" != 41");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the wrong answer plus_3 is rejected")) << outcome.output;
}

TEST(Proof, AWrongAnswerIsToldWithTheWordsAboveItsPatch) {
  const Toy toy;
  const std::string patch = "exercises/00_toy/mutants/plus_3.patch";
  const std::string text = toy.scratch.read(patch);
  toy.scratch.write(patch, "says: it is 43\n" + text);
  EXPECT_EQ(prove(toy).code, 0);
  toy.scratch.write(patch, "says: it is 44\n" + text);
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the wrong answer plus_3 is rejected")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "'it is 44'")) << outcome.output;
}

TEST(Proof, ASheetNamesNoOtherPlaceToBeCheckedOn) {
  const Toy toy;
  toy.sheet("\"checked_on\": \"moon\", ");
  const Outcome outcome = prove(toy, "--texts");
  EXPECT_EQ(outcome.code, 8);
  EXPECT_TRUE(contains(outcome.output, "checked_on is gpu or left out")) << outcome.output;
}

TEST(Proof, AKeyThatNoSheetHasIsRejectedWithTheNearestOne) {
  const Toy toy;
  const std::string fails = "its sheet makes sense";
  toy.sheet("\"titel\": \"x\", ");
  Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, fails)) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "'titel' is no key of a sheet. Did you mean 'title'?"))
      << outcome.output;
  toy.sheet("");
  change(
      toy,
      "exercises/00_toy/exercise.json",
      "\"file\": \"hints/3.md\"",
      "\"file\": \"hints/3.md\", \"tag\": []");
  outcome = prove(toy, "--texts");
  EXPECT_TRUE(contains(outcome.output, "'hints[].tag' is no key of a sheet. Did you mean 'tags'?"))
      << outcome.output;
}

TEST(Proof, ATagOfAHintThatNoFailureHasIsRejected) {
  const Toy toy;
  const std::string sheet = "exercises/00_toy/exercise.json", what = "its hints answer tags";
  toy.scratch.write("docs/course/tags.md", "# Tags\n\n## wrong-value, stale\n\nA number.\n");
  change(toy, sheet, "\"hints/2.md\"", "\"hints/2.md\", \"tags\": [\"wrong-vlaue\"]");
  const Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, what)) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "'wrong-vlaue', which check.cpp does not report"));
  EXPECT_TRUE(contains(outcome.output, "Did you mean 'wrong-value'?")) << outcome.output;
  change(toy, sheet, "wrong-vlaue", "stale");
  EXPECT_EQ(prove(toy, "--texts").code, 0) << "the page explains it";
  change(toy, sheet, "stale", "far-off");
  EXPECT_TRUE(rejected(prove(toy, "--texts"), what));
  toy.scratch.write("exercises/00_toy/check.cpp", toy.check + "# fail \"far-off\"\n");
  EXPECT_EQ(prove(toy, "--texts").code, 0) << "the check reports it";
}

TEST(Proof, ATestThatTheSheetDoesNotListIsRejected) {
  const Toy toy;
  change(
      toy,
      "exercises/00_toy/check.cpp",
      "report '{\"end\": 1}'",
      "one edge pass; report '{\"end\": 2}'");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "its sheet lists every test of the check")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "more than the sheet's \"tests\": edge")) << outcome.output;
}

TEST(Proof, ATestThatTheCheckLacksIsToldAsThat) {
  const Toy toy;
  change(toy, "exercises/00_toy/exercise.json", "[\"value\"]", "[\"value\", \"edge\"]");
  toy.write(toy.right);
  const Outcome outcome = toy.hypatia({"check", "00"});
  EXPECT_EQ(outcome.code, 1) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "check.cpp has no test 'edge'; it has value"))
      << outcome.output;
  EXPECT_FALSE(contains(outcome.output, "ended before")) << outcome.output;
}

TEST(Proof, APatchThatDoesNotApplyIsOneFailureAndIsNamed) {
  const Toy toy;
  toy.scratch.write("exercises/00_toy/mutants/plus_3.patch", "@@ -2,1 +2,1 @@\n-  gone\n+  new\n");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the wrong answer plus_3 is rejected")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "plus_3.patch: a hunk for line 2 does not apply"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "pass  the wrong answer plus_5 is rejected"));
  EXPECT_TRUE(contains(outcome.output, "1 failed")) << outcome.output;
}

TEST(Proof, AMistakeThatIsListedAsEquivalentIsRejected) {
  const Toy toy;
  toy.scratch.write(
      "exercises/00_toy/mutants/equivalent.json",
      R"json([{"line": "echo $((40 - 2))", "why": "?"}, {"line": "nonsense", "why": "?"}])json");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "what mutants/equivalent.json lists is no mistake"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "lists 'echo $((40 - 2))', which is a mistake that the"));
  EXPECT_TRUE(contains(outcome.output, "lists 'nonsense', which is none of the changes"));
}

TEST(Proof, AHintThatGivesTheSolutionAwayIsRejected) {
  const Toy toy;
  toy.scratch.write("exercises/00_toy/hints/1.md", "Write " + toy.right);
  Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, "its hints say a little more each time")) << outcome.output;
  toy.scratch.write("exercises/00_toy/hints/1.md", "Look at line 3.\n");
  outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, "its hints say a little more each time")) << outcome.output;
  std::filesystem::remove(toy.scratch.path / "exercises/00_toy/hints/2.md");
  EXPECT_TRUE(rejected(prove(toy, "--texts"), "its files are complete"));
}

TEST(Proof, AnAnswerThatIsNotMeasuredIsRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/exercise.json", "\"answer\": 2", "\"answer\": 3");
  const Outcome outcome = prove(toy);
  EXPECT_TRUE(rejected(outcome, "the answer to 'digits' is measured on cpu")) << outcome.output;
}

TEST(Proof, NeedsThatAreNotThereOrGoInCirclesAreRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/exercise.json", "\"needs\": []", "\"needs\": [\"00_toy\"]");
  Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, "what it needs is there")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "00_toy needs 00_toy"));
  change(toy, "exercises/00_toy/exercise.json", "[\"00_toy\"]", "[\"99_none\"]");
  outcome = prove(toy, "--texts");
  EXPECT_TRUE(contains(outcome.output, "there is no exercise '99_none'")) << outcome.output;
}

TEST(Proof, APageWithoutItsSectionsIsRejected) {
  const Toy toy;
  change(toy, "exercises/00_toy/README.md", "## Questions", "## Afterwards");
  EXPECT_TRUE(rejected(prove(toy, "--texts"), "its page has every section"));
  change(toy, "exercises/00_toy/README.md", "## Afterwards", "## Questions\n\n[x](none.md)");
  EXPECT_TRUE(rejected(prove(toy, "--texts"), "its page has every section"));
}

TEST(Proof, APageThatMeasuresBeforeItAsksOrTellsAnAnswerIsRejected) {
  const Toy toy;
  const std::string page = "exercises/00_toy/README.md", asks = "its page asks for predictions";
  change(toy, page, "./hypatia predict 00", "./hypatia next");
  Outcome outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, asks)) << outcome.output;
  change(toy, page, "## Questions", "`./hypatia predict 00`\n\n## Questions");
  outcome = prove(toy, "--texts");
  EXPECT_TRUE(contains(outcome.output, "names check, which measures, before predict"));
  change(toy, page, "./hypatia next", "./hypatia predict 00");
  EXPECT_EQ(prove(toy, "--texts").code, 0);
  change(toy, "exercises/00_toy/exercise.json", "\"answer\": 2", "\"answer\": 1024");
  change(toy, page, "*A number.*", "*A number: 11024 or 3.1024.*");
  EXPECT_EQ(prove(toy, "--texts").code, 0) << "those are other numbers";
  change(toy, page, "11024", "1024");
  outcome = prove(toy, "--texts");
  EXPECT_TRUE(rejected(outcome, asks)) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "tells the answer to 'digits': 1024")) << outcome.output;
}

TEST(Proof, APageThatTellsASmallAnswerInWordsOrByAGraphIsRejected) {
  const Toy toy;
  const std::string page = "exercises/00_toy/README.md", told = "tells the answer to";
  EXPECT_EQ(prove(toy, "--texts").code, 0);
  change(toy, page, "*A number.*", "*A number of three digits.*");
  EXPECT_EQ(prove(toy, "--texts").code, 0) << "that is not the answer";
  change(toy, page, "of three digits", "of two digits");
  EXPECT_TRUE(contains(prove(toy, "--texts").output, told));
  change(toy, page, "of two digits", "of 2 digits");
  EXPECT_TRUE(contains(prove(toy, "--texts").output, told));
  change(toy, page, " of 2 digits", "");
  change(toy, "exercises/00_toy/exercise.json", "\"digits\"", "\"nodes_gpu\"");
  change(toy, page, "    the answer is 42", "    [Elemwise{exp}(<Type(float64, (False,))>)]");
  EXPECT_EQ(prove(toy, "--texts").code, 0) << "one node is not the answer";
  change(toy, page, "(False,))>)]", "(False,))>), HostFromGpu(gpuarray)(Elemwise{exp}.0)]");
  EXPECT_TRUE(contains(prove(toy, "--texts").output, told));
}

}  // namespace hypatia::runner
