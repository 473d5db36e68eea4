// The journal of a grading, and the threads that work it off.
#include "exercises/runner/grading.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

using ResultKey = std::pair<std::string, std::string>;  // who, exercise

// What a grading that was killed worked in.
void remove_left_over(const std::string& folder) {
  std::vector<fs::path> left_over;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().rfind("work-", 0) == 0) left_over.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& path : left_over)
    fs::remove_all(path, ignored);
}

// Lines that are there whole or not at all. Its file is locked while it lives.
class GradingJournal {
 public:
  GradingJournal(const std::string& folder, bool resume) : path_(folder + "/grading.jsonl") {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) {
      throw Stop{
          exit_environment,
          "can't make the folder " + shown(folder) + ": " + failed.message(),
          "name another with --out"};
    }
    if (fs::exists(path_)) {
      if (!resume) {
        throw Stop{
            exit_usage,
            "there is a grading in " + shown(folder) + " already",
            "go on with it by --resume, or name another folder with --out"};
      }
      read();
    }
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) {
      throw Stop{exit_environment, "can't write " + shown(path_), "name another folder with --out"};
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file_);
      throw Stop{
          exit_usage,
          "another grading writes to " + shown(folder) + " now",
          "wait for its end, or name another folder with --out"};
    }
    remove_left_over(folder);
  }

  GradingJournal(const GradingJournal&) = delete;
  GradingJournal& operator=(const GradingJournal&) = delete;

  ~GradingJournal() { ::close(file_); }

  void add(const std::string& line) {
    // Begins with a line end as well: what was cut off before it is a line of its own then.
    const std::string text = "\n" + line + "\n";
    if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw Stop{exit_environment, "can't write " + shown(path_), "Is the disk full?"};
    }
  }

  std::string seed;
  std::map<ResultKey, Result> results;

 private:
  void read() {
    for (const std::string& line : lines_of(read_file(path_))) {
      const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
      if (!json.is_object()) continue;
      if (json.contains("grading")) {
        seed = json.value("seed", "");
        continue;
      }
      try {
        const Result result = result_of(line);
        results[{result.who, result.verdict.exercise->id}] = result;
      } catch (const nlohmann::json::exception&) {
        // A line that was cut off: that file is graded again.
      }
    }
  }

  std::string path_;
  int file_ = -1;
};

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

std::string fresh_seed() {
  std::random_device source;
  return std::to_string(source() % 1'000'000'000U + 1);
}

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

// One grading: what is to be done, and the threads' shared state.
class Grading {
 public:
  Grading(const GradingRequest& request, const Sandbox& sandbox)
      : request_(request), sandbox_(sandbox), journal_(request.out, request.resume) {
    seed_ = !journal_.seed.empty() ? journal_.seed : request.seed;
    if (seed_.empty()) seed_ = fresh_seed();
    if (journal_.seed.empty()) {
      journal_.add(nlohmann::json{{"grading", 1}, {"seed", seed_}}.dump());
    }
  }

  Gradebook run() {
    for (const Submission& each : request_.submissions) {
      for (const Exercise* exercise : request_.exercises)
        work_.push_back({&each, exercise});
    }
    prepare();
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
    for (const Exercise* exercise : request_.exercises) {
      if (request_.step)
        request_.step(
            "first the course's own solutions: " + std::to_string(judges_.size() + 1) + " of " +
            std::to_string(request_.exercises.size()) + ", " + exercise->id);
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
    file.device = request_.device.empty() ? usual_device(exercise) : request_.device;
    file.seed = seed_;
    file.scratch = folder.path();
    file.most_seconds = request_.most_seconds;
    file.slot = slot;
    return file;
  }

  Result graded(const Piece& piece, const WorkFolder& folder, int slot) {
    const auto& files = piece.from->files;
    const auto found = files.find(piece.exercise->id);
    if (found == files.end()) return without_file(*piece.from, *piece.exercise);
    if (const Result* known = earlier(piece, found->second)) return *known;
    Submitted file = submitted(*piece.exercise, found->second, folder, slot);
    file.path = piece.from->path + ": " + piece.exercise->id + "/exercise.cpp";
    Result result;
    result.who = piece.from->who;
    result.verdict = grade(judges_.at(piece.exercise), file, sandbox_);
    result.flags = flags_of(file.text, pristine(*piece.exercise));
    add_history(result, piece.from->history);
    return result;
  }

  // A verdict of before the grading was cut off, on the same text.
  const Result* earlier(const Piece& piece, const std::string& text) const {
    const auto found = journal_.results.find({piece.from->who, piece.exercise->id});
    if (found == journal_.results.end()) return nullptr;
    return found->second.verdict.sha256 == sha256(text) ? &found->second : nullptr;
  }

  void finish(const Result& result) {
    const std::lock_guard lock(mutex_);
    const ResultKey key{result.who, result.verdict.exercise->id};
    const auto known = journal_.results.find(key);
    const bool again =
        known != journal_.results.end() && known->second.verdict.sha256 == result.verdict.sha256;
    if (!again) journal_.add(line_of(result));
    done_[key] = result;
    if (request_.told) request_.told(result, done_.size(), work_.size());
  }

  Gradebook book() const {
    Gradebook book;
    book.seed = seed_;
    book.device = request_.device.empty() ? "each exercise's usual one" : request_.device;
    book.confinement = sandbox_.description();
    for (const Exercise* exercise : request_.exercises)
      book.exercises.push_back(exercise->id);
    for (const Submission& each : request_.submissions)
      book.learners.push_back({each.who, each.path, each.problem, each.notes});
    for (const Piece& piece : work_)
      book.results.push_back(done_.at({piece.from->who, piece.exercise->id}));
    return book;
  }

  const GradingRequest& request_;
  const Sandbox& sandbox_;
  GradingJournal journal_;
  std::string seed_;
  std::vector<Piece> work_;
  std::map<const Exercise*, Judge> judges_;
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
