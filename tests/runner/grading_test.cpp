// A class is graded: every verdict is the right one whatever the programs do, and a grading that
// was killed goes on where it was.
#include "exercises/runner/grading.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/text.h"
#include "runner/class.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

namespace {

GradingRequest request_for(const Scratch& scratch) {
  GradingRequest request;
  request.submissions = find_submissions({(scratch.path / "in").string()});
  request.exercises = {&expressions()};
  request.out = (scratch.path / "out").string();
  request.device = "cpu";
  request.most_seconds = 4;
  request.jobs = 2;
  return request;
}

// The head and the verdicts.
std::size_t lines_in(const std::filesystem::path& path) {
  std::size_t count = 0;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    count += line.empty() || line.rfind("{\"learner\"", 0) == 0 ? 0U : 1U;
  return count;
}

// Grades in a process of its own and kills that once `enough` verdicts are in the journal.
void grade_until(const Scratch& scratch, std::size_t enough) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      run_grading(request_for(scratch), Sandbox(false));
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (int i = 0; i < 6000 && lines_in(scratch.path / "out/grading.jsonl") < enough + 1; ++i)
    ::usleep(20'000);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the grading ended before it could be killed";
}

void expect_verdicts(const Gradebook& book, const std::vector<Pupil>& pupils) {
  for (const Pupil& pupil : pupils) {
    const Result* result = book.find(pupil.who, "00_expressions");
    ASSERT_NE(result, nullptr) << pupil.who;
    const std::string status = result->verdict.status;
    EXPECT_NE((" " + pupil.verdict + " ").find(" " + status + " "), std::string::npos)
        << pupil.who << " should be " << pupil.verdict << ", is " << status << "\n"
        << why(result->verdict);
  }
}

bool can_grade() {
  return !no_setup() && std::filesystem::exists(build_folder() + "/build.ninja");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Why nothing can be graded here; "" if it can.
std::string hindrance() {
  if (sanitized) return "a sanitizer's program needs more addresses than a submission may have";
  if (!can_grade()) return "grading compiles, and there is no build folder";
  try {
    const Sandbox sandbox(false);
  } catch (const Stop& stop) {
    return stop.message;
  }
  return "";
}

// What a grading says while it goes on.
struct Going {
  GradingRequest request;
  std::vector<std::string> lines;

  explicit Going(const GradingRequest& of) : request(of) {
    request.resume = true;
    request.say = [this](const std::string& line) { lines.push_back(line); };
  }

  Going(const Going&) = delete;
  Going& operator=(const Going&) = delete;

  Gradebook run() const { return run_grading(request, Sandbox(false)); }

  std::string said() const {
    std::string all;
    for (const std::string& line : lines)
      all += line + "\n";
    return all;
  }
};

}  // namespace

TEST(Grading, AVerdictOfAnotherCheckIsMadeAgain) {
  if (const std::string reason = hindrance(); !reason.empty()) GTEST_SKIP() << reason;
  const Scratch scratch;
  hand_in(scratch, honest()[0]);
  hand_in(scratch, honest()[3]);
  const Gradebook first = run_grading(request_for(scratch), Sandbox(false));
  Going same(request_for(scratch));
  same.run();
  EXPECT_EQ(same.said(), "") << "nothing has changed";
  EXPECT_EQ(lines_in(scratch.path / "out/grading.jsonl"), 3U);

  // As if it had been judged by a check that took right for wrong.
  Result old = *first.find("right_1", "00_expressions");
  old.judged_by["check.cpp"] = "0123456789abcdef";
  old.verdict.status = "fail";
  std::ofstream(scratch.path / "out/grading.jsonl", std::ios::app) << line_of(old) << "\n";
  Going going(request_for(scratch));
  EXPECT_TRUE(going.run().find("right_1", "00_expressions")->verdict.passed());
  EXPECT_EQ(
      going.said(),
      "1 verdict is made again, for what judges has changed (00_expressions: check.cpp)\n");
}

TEST(Grading, OneWhoHandsInAgainIsReplacedAndTheOthersAreKept) {
  if (const std::string reason = hindrance(); !reason.empty()) GTEST_SKIP() << reason;
  const Scratch scratch;
  hand_in(scratch, honest()[0]);
  hand_in(scratch, honest()[3]);
  hand_in(scratch, honest()[7]);
  hand_in_unreadable(scratch);
  const Gradebook first = run_grading(request_for(scratch), Sandbox(false));
  hand_in(scratch, {"wrong_starter", "pass", answer("pow(a + b, 2)")});
  Going going(request_for(scratch));
  going.request.submissions = find_submissions({(scratch.path / "in/wrong_starter").string()});
  const Gradebook second = going.run();
  EXPECT_EQ(
      going.said(),
      "handed in again: wrong_starter; this replaces what was graded before\n"
      "6 learners are kept, not being named here\n");
  ASSERT_EQ(second.learners.size(), first.learners.size());
  ASSERT_EQ(second.results.size(), first.results.size());
  for (const Learner& learner : first.learners) {
    const auto same =
        std::find_if(second.learners.begin(), second.learners.end(), [&](const Learner& l) {
          return line_of(l) == line_of(learner);
        });
    EXPECT_NE(same, second.learners.end()) << learner.who;
    const Result* now = second.find(learner.who, "00_expressions");
    ASSERT_NE(now, nullptr) << learner.who;
    if (learner.who == "wrong_starter") {
      EXPECT_TRUE(now->verdict.passed());
    } else {
      EXPECT_EQ(line_of(*now), line_of(*first.find(learner.who, "00_expressions")));
    }
  }
}

TEST(Grading, GoesOnWithItsOwnSeedAndDevice) {
  const Scratch scratch;
  GradingRequest request;
  request.out = (scratch.path / "out").string();
  request.resume = true;
  const auto refusal = [&](const char* seed, const char* device) {
    request.seed = seed;
    request.device = device;
    try {
      const Gradebook book = run_grading(request, Sandbox(true));
      return "seed " + book.seed + ", device " + book.device;
    } catch (const Stop& stop) {
      EXPECT_EQ(stop.code, exit_usage);
      EXPECT_FALSE(stop.help.empty());
      return stop.message;
    }
  };
  EXPECT_TRUE(contains(refusal("", ""), "there is no grading in")) << "nothing to go on with";
  EXPECT_FALSE(std::filesystem::exists(request.out)) << "a folder that nobody asked for";

  scratch.write("out/grading.jsonl", R"({"grading": 1, "seed": "7", "device": "cpu"})");
  EXPECT_EQ(refusal("", ""), "seed 7, device cpu");
  EXPECT_EQ(refusal("7", "cpu"), "seed 7, device cpu");
  EXPECT_TRUE(contains(refusal("8", ""), "had seed 7 and device cpu"));
  EXPECT_TRUE(contains(refusal("", "sim"), "had seed 7 and device cpu"));
  scratch.write("out/grading.jsonl", R"({"grading": 1, "seed": "7", "device": ""})");
  EXPECT_TRUE(contains(refusal("", "sim"), "each exercise's usual device"));
}

TEST(Grading, AClassIsGradedAlsoWhenItWasKilledInTheMiddle) {
  if (const std::string reason = hindrance(); !reason.empty()) GTEST_SKIP() << reason;
  const Scratch scratch;
  std::vector<Pupil> pupils = honest();
  for (const auto& more : {cheats(), dangerous()})
    pupils.insert(pupils.end(), more.begin(), more.end());
  for (const Pupil& pupil : pupils)
    hand_in(scratch, pupil);
  for (const Pupil& pupil : hand_in_unreadable(scratch))
    pupils.push_back(pupil);
  ASSERT_GE(pupils.size(), 30U);

  grade_until(scratch, pupils.size() / 2);
  std::ofstream(scratch.path / "out/grading.jsonl", std::ios::app) << "{\"who\": \"cut o";
  const std::size_t before = lines_in(scratch.path / "out/grading.jsonl");
  GradingRequest request = request_for(scratch);
  EXPECT_THROW(run_grading(request, Sandbox(false)), Stop) << "it would begin anew";
  request.resume = true;
  const Gradebook book = run_grading(request, Sandbox(false));

  EXPECT_EQ(book.results.size(), pupils.size());
  expect_verdicts(book, pupils);
  EXPECT_EQ(
      book.find("kills_its_parent", "00_expressions")->flags,
      std::vector<std::string>{"names ptrace"});
  EXPECT_TRUE(book.find("right_1", "00_expressions")->flags.empty());
  // The head, the line that was cut off, and a line for each: no one was graded twice.
  EXPECT_EQ(lines_in(scratch.path / "out/grading.jsonl"), pupils.size() + 2);
  EXPECT_GT(before, 2U);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path / "out"))
    EXPECT_EQ(entry.path().filename().string().find("work-"), std::string::npos) << entry.path();
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream words(entry.path() / "cmdline");
    std::string first;
    std::getline(words, first, '\0');
    EXPECT_NE(first, "/submission/program") << "a submission still runs";
  }
}

TEST(Grading, TwoAtOnceDoNotShareAFolder) {
  const Scratch scratch;
  scratch.write("out/grading.jsonl", "{\"grading\": 1, \"seed\": \"7\"}\n");
  scratch.write("out/work-abcdef/program", "of the grading that goes on");
  const int other = ::open((scratch.path / "out/grading.jsonl").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  GradingRequest request;
  request.out = (scratch.path / "out").string();
  request.resume = true;
  try {
    run_grading(request, Sandbox(true));
    ADD_FAILURE() << "two gradings write one journal";
  } catch (const Stop& stop) {
    EXPECT_NE(stop.message.find("another grading"), std::string::npos) << stop.message;
  }
  EXPECT_TRUE(std::filesystem::exists(scratch.path / "out/work-abcdef"));
  ::close(other);
  run_grading(request, Sandbox(true));
  EXPECT_FALSE(std::filesystem::exists(scratch.path / "out/work-abcdef")) << "nobody uses it";
}

}  // namespace hypatia::runner
