// The journal of a grading, and the threads that work it off.
#include "exercises/runner/grading.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/grading_journal.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

using ResultKey = std::pair<std::string, std::string>;  // who, exercise

// A folder of the grader's own, gone at the end.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& in) : path_(in + "/work-XXXXXX") {
    if (!::mkdtemp(path_.data())) throw Stop{exit_environment, "can't write " + shown(in), ""};
  }

  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result without_file(const Submission& from, const Exercise& exercise) {
  Result result;
  result.who = from.who;
  result.verdict.exercise = &exercise;
  result.verdict.file = from.path;
  result.verdict.status = from.problem.empty() ? "missing" : "unreadable";
  result.verdict.message =
      from.problem.empty() ? "there is no file for this exercise" : from.problem;
  return result;
}

// What a teacher should look at by hand, unless the starter has it too. None of it decides
// anything.
std::vector<std::string> flags_of(const std::string& text, const std::string& starter) {
  static const std::vector<std::pair<const char*, const char*>> words{
      {"ptrace", "names ptrace"},
      {"HYPATIA_", "reads the runner's environment"},
      {"solution.cpp", "names the solution's file"},
      {"check.cpp", "names the check's file"},
      {"asm(", "holds assembly"},
      {"constructor", "runs code before main"},
      {"atexit", "runs code at the end"},
      {"fork(", "starts processes"},
      {"system(", "starts programs"},
      {"/proc", "looks at processes"},
      {"_exit", "leaves early"},
  };
  std::vector<std::string> flags;
  for (const auto& [word, meaning] : words) {
    const bool given = starter.find(word) != std::string::npos;
    if (!given && text.find(word) != std::string::npos) flags.emplace_back(meaning);
  }
  return flags;
}

Learner learner_in(const Submission& from) {
  return {from.who, from.path, from.problem, from.notes};
}

std::string listed(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// What a verdict depends on beside the learner's file: the first digits of the hashes of the
// exercise's files, and the settings.
JudgedBy judged_by(const Exercise& exercise, const Submitted& settings) {
  JudgedBy parts{
      {"device", settings.device},
      {"seed", settings.seed},
      {"seconds", settings.most_seconds > 0 ? fmt::format("{}", settings.most_seconds) : ""}};
  std::vector<fs::path> paths{exercise.solution()};
  for (const fs::directory_entry& entry : fs::directory_iterator(exercise.folder)) {
    const std::string ending = entry.path().extension().string();
    const bool source = ending == ".cpp" || ending == ".h" || ending == ".json";
    if (source && entry.path() != exercise.source()) paths.push_back(entry.path());
  }
  for (const fs::path& path : paths)
    parts[path.filename().string()] = sha256(read_file(path.string())).substr(0, 16);
  return parts;
}

// One grading: what is to be done, and the threads' shared state.
class Grading {
 public:
  Grading(const GradingRequest& request, const Sandbox& sandbox)
      : request_(request), sandbox_(sandbox), journal_(request.out, request.resume) {
    journal_.begin(request.seed, request.device);
    for (const Exercise& exercise : course()) {
      const auto& asked = request.exercises;
      const bool named = std::find(asked.begin(), asked.end(), &exercise) != asked.end();
      const bool known = journal_.has_graded(exercise.id);
      if (named || (known && !request.only)) exercises_.push_back(&exercise);
      if (named || known) in_book_.push_back(&exercise);
    }
    for (const Submission& each : request.submissions)
      named_.insert(each.who);
  }

  Gradebook run() {
    for (const Submission& each : request_.submissions) {
      journal_.add(learner_in(each));
      for (const Exercise* exercise : exercises_)
        work_.push_back({&each, exercise});
    }
    prepare();
    if (request_.say) {
      tell_what_is_made_again();
      tell_who_hands_in_again();
      tell_who_is_kept();
    }
    if (request_.step) request_.step("grading " + std::to_string(work_.size()) + " files");
    std::vector<std::thread> threads;
    for (int slot = 0; slot < std::max(1, request_.jobs); ++slot)
      threads.emplace_back([this, slot] { work(slot); });
    for (std::thread& thread : threads)
      thread.join();
    if (failure_) std::rethrow_exception(failure_);
    return book();
  }

 private:
  struct Piece {
    const Submission* from;
    const Exercise* exercise;
  };

  // What is wrong with the machine must not be held against a learner: the solutions come first.
  void prepare() {
    const WorkFolder folder(request_.out);
    for (const Exercise* exercise : exercises_) {
      if (request_.step)
        request_.step(
            "first the course's own solutions: " + std::to_string(judges_.size() + 1) + " of " +
            std::to_string(exercises_.size()) + ", " + exercise->id);
      const Judge judge = judge_for(*exercise);
      const Submitted solution = submitted(*exercise, read_file(exercise->solution()), folder, 0);
      const Verdict verdict = grade(judge, solution, sandbox_);
      if (!verdict.passed()) {
        throw Stop{
            exit_environment,
            "nothing was graded: on this machine the solution of " + exercise->id +
                " does not pass (" + verdict.status + ")",
            why(verdict)};
      }
      judges_.emplace(exercise, judge);
      judged_by_[exercise] = judged_by(*exercise, solution);
    }
  }

  void work(int slot) {
    try {
      const WorkFolder folder(request_.out);
      for (std::size_t at = next_++; at < work_.size() && !stop_; at = next_++)
        finish(graded(work_[at], folder, slot));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      stop_ = true;
    }
  }

  Submitted submitted(
      const Exercise& exercise, const std::string& text, const WorkFolder& folder, int slot) const {
    Submitted file;
    file.text = text;
    file.device = journal_.device.empty() ? usual_device(exercise) : journal_.device;
    file.seed = journal_.seed;
    file.scratch = folder.path();
    file.most_seconds = request_.most_seconds;
    file.slot = slot;
    return file;
  }

  Result graded(const Piece& piece, const WorkFolder& folder, int slot) {
    const auto& files = piece.from->files;
    const auto found = files.find(piece.exercise->id);
    if (found == files.end()) return without_file(*piece.from, *piece.exercise);
    Result result;
    if (const Result* known = earlier(piece, found->second); known && is_of(*known)) {
      result = *known;
    } else {
      const Submitted file = submitted(*piece.exercise, found->second, folder, slot);
      result.verdict = grade(judges_.at(piece.exercise), file, sandbox_);
      result.judged_by = judged_by_.at(piece.exercise);
      result.flags = flags_of(file.text, pristine(*piece.exercise));
    }
    result.who = piece.from->who;
    result.verdict.file = piece.from->path + ": " + piece.exercise->id + "/exercise.cpp";
    add_history(result, piece.from->history);
    return result;
  }

  // A verdict of before, on the same text.
  const Result* earlier(const Piece& piece, const std::string& text) const {
    const Result* known = journal_.find(piece.from->who, piece.exercise->id);
    return known && known->verdict.sha256 == sha256(text) ? known : nullptr;
  }

  // Whether this grading would judge by the same.
  bool is_of(const Result& known) const {
    return known.judged_by == judged_by_.at(known.verdict.exercise);
  }

  // With the reasons.
  void tell_what_is_made_again() const {
    int again = 0;
    std::set<std::string> reasons;
    for (const Piece& piece : work_) {
      const auto found = piece.from->files.find(piece.exercise->id);
      if (found == piece.from->files.end()) continue;
      const Result* known = earlier(piece, found->second);
      if (!known || is_of(*known)) continue;
      ++again;
      for (const auto& [name, value] : judged_by_.at(piece.exercise)) {
        const auto before = known->judged_by.find(name);
        if (before == known->judged_by.end() || before->second != value)
          reasons.insert(piece.exercise->id + ": " + name);
      }
    }
    if (again == 0) return;
    request_.say(
        std::to_string(again) + (again == 1 ? " verdict is" : " verdicts are") +
        " made again, for what judges has changed (" + listed(reasons) + ")");
  }

  void tell_who_hands_in_again() const {
    std::set<std::string> names;
    for (const Piece& piece : work_) {
      const Result* known = journal_.find(piece.from->who, piece.exercise->id);
      const auto found = piece.from->files.find(piece.exercise->id);
      const std::string hash = found == piece.from->files.end() ? "" : sha256(found->second);
      if (known && known->verdict.sha256 != hash) names.insert(piece.from->who);
    }
    if (names.empty()) return;
    request_.say("handed in again: " + listed(names) + "; this replaces what was graded before");
  }

  void tell_who_is_kept() const {
    std::size_t kept = 0;
    bool of_others = false;
    for (const auto& [who, learner] : journal_.learners()) {
      if (named_.count(who) > 0) continue;
      ++kept;
      for (const auto& [exercise, judge] : judged_by_) {
        const Result* known = journal_.find(who, exercise->id);
        of_others = of_others || (known && !known->judged_by.empty() && !is_of(*known));
      }
    }
    if (kept == 0) return;
    const std::string more =
        "; some of their verdicts are by another check: name their submissions to judge them again";
    request_.say(
        std::to_string(kept) + (kept == 1 ? " learner is" : " learners are") +
        " kept, not being named here" + (of_others ? more : ""));
  }

  void finish(const Result& result) {
    const std::lock_guard lock(mutex_);
    journal_.add(result);
    done_[{result.who, result.verdict.exercise->id}] = result;
    if (request_.told) request_.told(result, done_.size(), work_.size());
  }

  Gradebook book() const {
    Gradebook book;
    book.seed = journal_.seed;
    book.device = journal_.device.empty() ? "each exercise's usual one" : journal_.device;
    book.confinement = sandbox_.description();
    for (const Exercise* exercise : in_book_)
      book.exercises.push_back(exercise->id);
    for (const Submission& each : request_.submissions)
      book.learners.push_back(learner_in(each));
    for (const auto& [who, learner] : journal_.learners()) {
      if (named_.count(who) == 0) book.learners.push_back(learner);
    }
    if (book.learners.size() > request_.submissions.size()) {
      std::stable_sort(
          book.learners.begin(), book.learners.end(), [](const auto& a, const auto& b) {
            return a.who < b.who;
          });
    }
    for (const Learner& learner : book.learners) {
      for (const Exercise* exercise : in_book_) {
        const auto found = done_.find({learner.who, exercise->id});
        const Result* kept = journal_.find(learner.who, exercise->id);
        if (found != done_.end()) {
          book.results.push_back(found->second);
        } else if (kept) {
          book.results.push_back(*kept);
        }
      }
    }
    return book;
  }

  const GradingRequest& request_;
  const Sandbox& sandbox_;
  GradingJournal journal_;
  std::vector<const Exercise*> exercises_;  // those to grade
  std::vector<const Exercise*> in_book_;    // and those that are kept
  std::set<std::string> named_;             // whose submissions are to be graded
  std::vector<Piece> work_;
  std::map<const Exercise*, Judge> judges_;
  std::map<const Exercise*, JudgedBy> judged_by_;
  std::map<ResultKey, Result> done_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

Gradebook run_grading(const GradingRequest& request, const Sandbox& sandbox) {
  return Grading(request, sandbox).run();
}

}  // namespace hypatia::runner
