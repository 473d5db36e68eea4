// Lines of JSON, one a verdict; a line that was cut off is passed over.
#include "exercises/runner/grading_journal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/file.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

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

std::string fresh_seed() {
  std::random_device source;
  return std::to_string(source() % 1'000'000'000U + 1);
}

}  // namespace

GradingJournal::GradingJournal(const std::string& folder, bool resume)
    : folder_(folder), path_(folder + "/grading.jsonl") {
  if (resume && !fs::exists(path_)) {
    throw Stop{
        exit_usage,
        "there is no grading in " + shown(folder) + " to go on with",
        "name its folder with --out, or leave --resume out to begin one"};
  }
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
  open();
  remove_left_over(folder);
}

GradingJournal::~GradingJournal() {
  ::close(file_);
}

void GradingJournal::open() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) {
    throw Stop{exit_environment, "can't write " + shown(path_), "name another folder with --out"};
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw Stop{
        exit_usage,
        "another grading writes to " + shown(folder_) + " now",
        "wait for its end, or name another folder with --out"};
  }
}

void GradingJournal::begin(const std::string& asked_seed, const std::string& asked_device) {
  if (known_) {
    const bool other_device = !asked_device.empty() && has_device_ && asked_device != device;
    if ((asked_seed.empty() || asked_seed == seed) && !other_device) return;
    throw Stop{
        exit_usage,
        "that grading had seed " + seed + " and " +
            (device.empty() ? "each exercise's usual device" : "device " + device) +
            ", and goes on with them",
        "leave the option out, or grade into another folder (--out)"};
  }
  known_ = true;
  seed = asked_seed.empty() ? fresh_seed() : asked_seed;
  device = asked_device;
  write(nlohmann::json{{"grading", 1}, {"seed", seed}, {"device", device}}.dump());
}

const Result* GradingJournal::find(const std::string& who, const std::string& exercise) const {
  const auto found = results_.find({who, exercise});
  return found == results_.end() ? nullptr : &found->second;
}

void GradingJournal::add(const Result& result) {
  const std::string line = line_of(result);
  const Result* known = find(result.who, result.verdict.exercise->id);
  if (!known || line_of(*known) != line) write(line);
}

void GradingJournal::add(const Learner& learner) {
  const std::string line = line_of(learner);
  const auto known = learners_.find(learner.who);
  if (known == learners_.end() || line_of(known->second) != line) write(line);
}

bool GradingJournal::has_graded(const std::string& exercise) const {
  return std::any_of(results_.begin(), results_.end(), [&](const auto& each) {
    return each.first.second == exercise;
  });
}

void GradingJournal::write(const std::string& line) {
  // Begins with a line end as well: what was cut off before it is a line of its own then.
  const std::string text = "\n" + line + "\n";
  if (::write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Stop{exit_environment, "can't write " + shown(path_), "Is the disk full?"};
  }
}

void GradingJournal::read() {
  for (const std::string& line : lines_of(read_file(path_))) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("grading")) {
      known_ = true;
      seed = json.value("seed", "");
      device = json.value("device", "");
      has_device_ = json.contains("device");
      continue;
    }
    try {
      if (json.contains("learner")) {
        const Learner learner = learner_of(line);
        learners_[learner.who] = learner;
        continue;
      }
      const Result result = result_of(line);
      const std::string& file = result.verdict.file;
      learners_.try_emplace(
          result.who, Learner{result.who, file.substr(0, file.find(": ")), "", {}});
      results_[{result.who, result.verdict.exercise->id}] = result;
    } catch (const nlohmann::json::exception&) {
      // A line that was cut off: that file is graded again.
    }
  }
}

}  // namespace hypatia::runner
