// Which learners' edits are alike. A flag for the teacher, never a verdict.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/core.h>
#include <set>

#include "exercises/runner/gradebook.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"

namespace hypatia::runner {

namespace {

constexpr std::size_t run_length = 6;  // words that must stand together
constexpr std::size_t least_runs = 20;
constexpr double alike = 0.8;
constexpr std::string_view like = " % like ";

bool is_among(const std::vector<Submission>& submissions, const std::string& who) {
  return std::any_of(
      submissions.begin(), submissions.end(), [&](const auto& each) { return each.who == who; });
}

// The words and signs of C++ text; comments and blanks do not count, and every name is the same.
std::vector<std::string> signs_of(const std::string& text) {
  std::vector<std::string> signs;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 2;
    } else if (std::isspace(c)) {
      ++i;
    } else if (std::isalnum(c) || c == '_') {
      const std::size_t begin = i;
      while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) ||
                                 text[i] == '_' || text[i] == '.'))
        ++i;
      signs.push_back(std::isdigit(c) ? text.substr(begin, i - begin) : "name");
    } else {
      signs.emplace_back(1, text[i++]);
    }
  }
  return signs;
}

std::set<std::string> runs_of(const std::string& text) {
  const std::vector<std::string> signs = signs_of(text);
  std::set<std::string> runs;
  for (std::size_t i = 0; i + run_length <= signs.size(); ++i) {
    std::string run;
    for (std::size_t j = 0; j < run_length; ++j)
      run += signs[i + j] + " ";
    runs.insert(run);
  }
  return runs;
}

// What a learner wrote that stands neither in the starter nor in the solution.
std::set<std::string> own_runs(const std::string& text, const Exercise& exercise) {
  std::set<std::string> own = runs_of(text);
  for (const std::string& given : {pristine(exercise), read_file(exercise.solution())}) {
    for (const std::string& run : runs_of(given))
      own.erase(run);
  }
  return own;
}

double likeness(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (std::min(a.size(), b.size()) < least_runs) return 0;
  const auto common = static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](const std::string& run) { return b.count(run) > 0; }));
  return common / (static_cast<double>(a.size() + b.size()) - common);
}

}  // namespace

void flag_similar(Gradebook& book, const std::vector<Submission>& submissions) {
  for (const std::string& id : book.exercises) {
    const Exercise& exercise = find_exercise(id);
    std::vector<std::pair<std::string, std::set<std::string>>> all;
    for (const Submission& each : submissions) {
      const auto found = each.files.find(id);
      if (found != each.files.end()) {
        all.emplace_back(each.who, own_runs(found->second, exercise));
      }
    }
    for (Result& result : book.results) {
      if (result.verdict.exercise->id != id) continue;
      const auto mine = std::find_if(
          all.begin(), all.end(), [&](const auto& each) { return each.first == result.who; });
      if (mine == all.end()) continue;
      for (auto other = std::next(mine); other != all.end(); ++other) {
        const double share = likeness(mine->second, other->second);
        if (share < alike) continue;
        const std::string flag = fmt::format("{:.0f}{}{}", 100 * share, like, other->first);
        if (std::find(result.flags.begin(), result.flags.end(), flag) == result.flags.end()) {
          result.flags.push_back(flag);
        }
      }
    }
  }
}

void keep_likenesses(
    Gradebook& book, const Gradebook& earlier, const std::vector<Submission>& submissions) {
  for (Result& result : book.results) {
    const Result* before = earlier.find(result.who, result.verdict.exercise->id);
    if (is_among(submissions, result.who) || !before) continue;
    for (const std::string& flag : before->flags) {
      const std::size_t at = flag.find(like);
      if (at == std::string::npos) continue;
      if (!is_among(submissions, flag.substr(at + like.size()))) result.flags.push_back(flag);
    }
  }
}

std::vector<Submission> still_there(
    const Gradebook& book, const std::vector<Submission>& submissions) {
  std::vector<Submission> all;
  for (const Learner& learner : book.learners) {
    if (is_among(submissions, learner.who) || !std::filesystem::exists(learner.path)) continue;
    std::vector<Submission> found = find_submissions({learner.path});
    if (found.size() != 1) continue;
    Submission kept = std::move(found[0]);
    kept.who = learner.who;
    std::erase_if(kept.files, [&](const auto& file) {
      const Result* result = book.find(learner.who, file.first);
      return !result || result->verdict.sha256 != sha256(file.second);
    });
    all.push_back(std::move(kept));
  }
  return all;
}

}  // namespace hypatia::runner
