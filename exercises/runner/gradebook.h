#pragma once
// What a grading came to: a verdict for every learner and exercise, and its forms.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exercises/runner/submission.h"
#include "exercises/runner/verdict.h"

namespace hypatia::runner {

/// One learner's row.
struct Learner {
  std::string who, path;
  std::string problem;             // why nothing could be graded
  std::vector<std::string> notes;  // of the bundle
};

/// What a verdict depends on beside the learner's file: "check.cpp" and the like with the first
/// digits of their SHA-256, "device", "seed", "seconds".
using JudgedBy = std::map<std::string, std::string>;

/// One learner's verdict on one exercise; status "missing" or "unreadable" if there was no file.
struct Result {
  std::string who;
  Verdict verdict;
  double minutes = 0;              // from the first to the last check in the learner's journal
  std::vector<std::string> flags;  // for the teacher to look at
  JudgedBy judged_by;              // empty where nothing was judged
};

struct Gradebook {
  std::string seed, device, confinement;
  std::vector<std::string> exercises;  // ids, in the course's order
  std::vector<std::string> left_out;   // files beside the submissions
  std::vector<Learner> learners;
  std::vector<Result> results;  // learner by learner, each in the exercises' order

  const Result* find(const std::string& who, const std::string& exercise) const;
  /// How many of the exercises a learner passed.
  int passed(const std::string& who) const;
};

/// The document of docs/reference/grading.md.
std::string to_json(const Gradebook& book);
/// Throws Stop (usage) on a text that is no such document.
Gradebook gradebook_of(const std::string& json);
/// One line of a grading's journal, and back. Throws on a line that is none.
std::string line_of(const Result& result);
Result result_of(const std::string& line);
std::string line_of(const Learner& learner);
Learner learner_of(const std::string& line);

/// Attempts, hints and minutes from the learner's own journal: told, not proved.
void add_history(Result& result, const std::vector<Entry>& history);
/// Flags pairs of learners whose edits are alike beyond what the exercise makes alike, each pair
/// once: at the one who comes first.
void flag_similar(Gradebook& book, const std::vector<Submission>& submissions);

/// Gives the learners who are not in the submissions the likenesses that an earlier book tells,
/// but for those to someone who has handed in again.
void keep_likenesses(
    Gradebook& book, const Gradebook& earlier, const std::vector<Submission>& submissions);
/// The submissions of the book's other learners, with the files that still lie there as they were
/// graded.
std::vector<Submission> still_there(
    const Gradebook& book, const std::vector<Submission>& submissions);

/// What a report begins with; the others follow, but for concepts, which are shown when asked for.
enum class ReportOrder { learners, exercises, concepts };

/// Tables of at most 100 columns: a row a learner, an exercise with its failures, or something that
/// exercises teach.
std::string to_text(const Gradebook& book, ReportOrder order);
/// A page that needs nothing else.
std::string to_html(const Gradebook& book, ReportOrder order);

/// Why a verdict is no pass, in a few lines; the first says the most.
std::string why(const Verdict& verdict);

std::string to_csv(const Gradebook& book);
std::string to_junit(const Gradebook& book);
/// Of one learner: Gradescope's results.json, and the Exercism test runner's of version 3.
std::string to_gradescope(const Gradebook& book, const std::string& who);
std::string to_exercism(const Gradebook& book, const std::string& who);

}  // namespace hypatia::runner
