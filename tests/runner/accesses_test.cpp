// What a checked program left behind becomes problems of a verdict and a table of lines.
#include "exercises/runner/accesses.h"

#include <gtest/gtest.h>

#include "tests/runner/scratch.h"

namespace hypatia::runner {

namespace {

// Two launches of a kernel with a race, one of another, and a line that was cut off.
constexpr const char* two_launches =
    R"({"kernel": "k", "file": "exercise.cpp", "launches": 1, "problems": [)"
    R"({"tag": "race", "text": "thread 1 of block 0 reads s[2] at line 7", "line": 7}], "lines": [)"
    R"({"line": 7, "global_loads": 32, "global_requests": 1, "sectors": 4, "active_lanes": 32}]})"
    "\n"
    R"({"kernel": "k", "file": "exercise.cpp", "launches": 1, "problems": [)"
    R"({"tag": "race", "text": "thread 9 of block 4 reads s[1] at line 7", "line": 7}], "lines": [)"
    R"({"line": 5, "barriers": 2}, )"
    R"({"line": 7, "global_loads": 32, "global_requests": 1, "sectors": 32, "active_lanes": 32}]})"
    "\n"
    R"({"kernel": "other", "file": "train.cu", "problems": [], "lines": []})"
    "\n"
    R"({"kernel": "k", "file": "exer)";

std::vector<KernelAccesses> read(const Scratch& scratch) {
  scratch.write("report.jsonl", two_launches);
  return read_accesses((scratch.path / "report.jsonl").string());
}

}  // namespace

TEST(Accesses, AreSummedByKernelAndLine) {
  const Scratch scratch;
  const std::vector<KernelAccesses> all = read(scratch);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].launches, 2);
  ASSERT_EQ(all[0].lines.size(), 2U);
  EXPECT_EQ(all[0].lines[0].line, 5);
  EXPECT_EQ(all[0].lines[0].barriers, 2);
  EXPECT_EQ(all[0].lines[1].loads, 64);
  EXPECT_EQ(all[0].problems.size(), 1U) << "one mistake is told once";
  EXPECT_TRUE(all[1].lines.empty());
  EXPECT_TRUE(read_accesses((scratch.path / "none.jsonl").string()).empty());
}

TEST(Accesses, TellHowManyLaunchesWereNotLookedAt) {
  const Scratch scratch;
  scratch.write(
      "report.jsonl",
      R"({"kernel": "k", "file": "e.cpp", "launches": 1, "skipped": 0})"
      "\n"
      R"({"kernel": "k", "file": "e.cpp", "launches": 0, "skipped": 1})"
      "\n"
      R"({"kernel": "k", "file": "e.cpp", "launches": 0, "skipped": 1})"
      "\n");
  const std::vector<KernelAccesses> all = read_accesses((scratch.path / "report.jsonl").string());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].title(), "k (e.cpp), the first 1 of 3 launches");
}

TEST(Accesses, AreToldByArrayWhenAskedFor) {
  const Scratch scratch;
  scratch.write(
      "report.jsonl",
      R"({"kernel": "k", "file": "e.cpp", "lines": [{"line": 2, "global_loads": 64}], "sites": [)"
      R"({"line": 2, "array": "b", "global_loads": 32, "global_requests": 1, "sectors": 32}, )"
      R"({"line": 2, "array": "a", "global_loads": 32, "global_requests": 1, "sectors": 4}]})"
      "\n");
  const std::vector<KernelAccesses> all = read_accesses((scratch.path / "report.jsonl").string());
  ASSERT_EQ(all.size(), 1U);
  const std::string by_line = to_text(all[0], "one\ntwo\n");
  EXPECT_EQ(by_line.find("array"), std::string::npos) << by_line;
  const std::string by_site = to_text(all[0], "one\ntwo\n", true);
  EXPECT_NE(by_site.find("\n2     a "), std::string::npos) << by_site;
  EXPECT_NE(by_site.find(" 32.0 "), std::string::npos) << by_site;
  EXPECT_LT(by_site.find(" 4.0 "), by_site.find(" 32.0 ")) << by_site;
}

TEST(Accesses, FailAVerdict) {
  const Scratch scratch;
  read(scratch);
  Verdict verdict;
  verdict.status = "pass";
  verdict.tests = {{"values", "pass", "", "", "", "", 0, 1}};
  add_access_findings(verdict, (scratch.path / "report.jsonl").string());
  EXPECT_EQ(verdict.status, "fail");
  ASSERT_EQ(verdict.tests.size(), 2U);
  EXPECT_EQ(verdict.first_failure()->name, "accesses of k");
  EXPECT_EQ(
      verdict.first_failure()->message, "exercise.cpp:7 thread 1 of block 0 reads s[2] at line 7");
  EXPECT_EQ(verdict.tags, std::vector<std::string>{"race"});
}

TEST(Accesses, LeaveAVerdictWithoutProblemsAlone) {
  const Scratch scratch;
  Verdict verdict;
  verdict.status = "pass";
  add_access_findings(verdict, (scratch.path / "none.jsonl").string());
  EXPECT_EQ(verdict.status, "pass");
  EXPECT_TRUE(verdict.tests.empty());
}

TEST(Accesses, AreShownBesideTheirLines) {
  const Scratch scratch;
  const std::string source = "1\n2\n3\n4\n  __syncthreads();\n6\n  y[t] = x[t];\n";
  const std::string text = to_text(read(scratch)[0], source);
  EXPECT_NE(text.find("k (exercise.cpp), 2 launches (simulated: counts exact)"), std::string::npos);
  EXPECT_NE(text.find("y[t] = x[t];"), std::string::npos) << text;
  EXPECT_NE(text.find("18.0"), std::string::npos) << text;  // (4 + 32) / 2 sectors a request
}

TEST(Accesses, OfGeneratedKernelsCarryTheirOpAndText) {
  const Scratch scratch;
  scratch.write(
      "report.jsonl",
      R"({"kernel": "k0", "file": "f.cu", "nodes": "exp+Sum", "lines": [)"
      R"({"line": 9, "text": "y = exp(x);"}]})"
      "\n"
      R"({"kernel": "k0", "file": "f.cu", "nodes": "tanh", "lines": [)"
      R"({"line": 9, "text": "y = tanh(x);"}]})"
      "\n"
      R"({"kernel": "k0", "file": "verify_grad.cpp:62", "nodes": "mul", "lines": []})");
  const auto all = read_accesses((scratch.path / "report.jsonl").string());
  ASSERT_EQ(all.size(), 3U);
  const std::string text = to_text(all[0], "");
  EXPECT_NE(text.find("exp+Sum: k0 (f.cu), 1 launch"), std::string::npos) << text;
  EXPECT_NE(text.find("y = exp(x);"), std::string::npos) << text;
  EXPECT_FALSE(all[1].is_the_engines());
  EXPECT_TRUE(all[2].is_the_engines());
}

TEST(Course, KnowsWhereAnExerciseRuns) {
  Exercise exercise;
  exercise.devices = {"sim", "cuda"};
  EXPECT_TRUE(exercise.runs_on("sim:gtx1060"));
  EXPECT_TRUE(exercise.runs_on("cuda1"));
  EXPECT_FALSE(exercise.runs_on("cpu"));
}

TEST(Course, ChecksOnAGpuWhatShowsThere) {
  Exercise exercise;
  exercise.devices = {"cpu", "sim", "cuda"};
  EXPECT_FALSE(exercise.needs_gpu());
  exercise.checked_on = "gpu";
  EXPECT_TRUE(exercise.needs_gpu());
  exercise.checked_on = "";
  exercise.devices = {"sim", "cuda"};
  EXPECT_TRUE(exercise.needs_gpu());
}

}  // namespace hypatia::runner
