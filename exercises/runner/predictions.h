#pragma once
// What the learner expected before it was measured, beside what was measured.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exercises/runner/course.h"
#include "exercises/runner/verdict.h"

namespace hypatia::runner {

/// The learner's first answer to each question. A later one is kept in the journal, but doesn't
/// count: the measured value was known by then.
std::map<std::string, double> first_answers(const Exercise& exercise);
/// What the last passed check measured, by question.
std::map<std::string, double> last_measured(const Exercise& exercise);
/// True if the prediction is as near to the measured value as the sheet wants it.
bool is_right(const Question& question, double predicted, double measured);
/// True if a check on this device ("cpu", "sim:gtx1060", …) can answer the question.
bool is_measured_on(const Question& question, const std::string& device);

/// Writes answers (question to number) into the journal. Throws Stop (usage) for a word that is not
/// "name=number", or whose name the sheet doesn't have.
void record_answers(const Exercise& exercise, const std::vector<std::string>& words);

/// For a passed check: a line for each question, predicted beside measured. A measured value
/// without a prediction is kept back.
std::vector<std::string> prediction_lines(const Verdict& verdict);
/// The same for programs: {"name", "question", "predicted", "measured", "right"}, null where
/// there is none.
nlohmann::json predictions_json(const Verdict& verdict);

/// How good the learner's predictions are.
struct Calibration {
  int compared = 0, right = 0;
  /// The median of how many times too large or too small the wrong ones were; 0 if none is wrong,
  /// or none of the wrong ones has the sign of what was measured.
  double typical_factor = 0;
};

Calibration calibration();
/// As "3 of 4 predictions right; the other was off by a factor of 2".
std::string to_text(const Calibration& all);

}  // namespace hypatia::runner
