#include "exercises/runner/predictions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string digits(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

// A device on which a question that was not measured on `device` is.
std::string other_device(const std::string& device) {
  return device.substr(0, 3) == "cpu" ? best_gpu() : "cpu";
}

// "question=number", checked against the sheet.
std::pair<std::string, double> answer_of(const Exercise& exercise, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  std::vector<std::string> names;
  for (const Question& question : exercise.questions)
    names.push_back(question.name);
  if (const std::string near = near_names(name, names); !near.empty()) {
    throw Stop{exit_usage, exercise.id + " has no question '" + name + "'", near};
  }
  double value = 0;
  const char* const end = word.data() + word.size();
  const char* const begin = equals == std::string::npos ? end : word.data() + equals + 1;
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(value)) {
    throw Stop{
        exit_usage, "'" + word + "' should be a question and a number", "as in " + name + "=3"};
  }
  return {name, value};
}

const double* found(const std::map<std::string, double>& values, const std::string& name) {
  const auto at = values.find(name);
  return at == values.end() ? nullptr : &at->second;
}

}  // namespace

std::map<std::string, double> first_answers(const Exercise& exercise) {
  std::map<std::string, double> first;
  for (const Entry& entry : journal()) {
    if (entry.exercise != exercise.id || entry.event != "predict") continue;
    first.insert(entry.answers.begin(), entry.answers.end());
  }
  return first;
}

std::map<std::string, double> last_measured(const Exercise& exercise) {
  std::map<std::string, double> last;
  for (const Entry& entry : journal()) {
    if (entry.exercise != exercise.id || entry.event != "check") continue;
    for (const auto& [name, value] : entry.measured)
      last[name] = value;
  }
  return last;
}

bool is_right(const Question& question, double predicted, double measured) {
  return std::fabs(predicted - measured) <= question.within;
}

bool is_measured_on(const Question& question, const std::string& device) {
  return question.on.empty() || (question.on == "cpu") == (device.substr(0, 3) == "cpu");
}

void record_answers(const Exercise& exercise, const std::vector<std::string>& words) {
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "predict";
  for (const std::string& word : words)
    entry.answers.insert(answer_of(exercise, word));
  record(entry);
}

std::vector<std::string> prediction_lines(const Verdict& verdict) {
  std::vector<std::string> lines;
  if (!verdict.passed()) return lines;
  int kept_back = 0;
  for (const Question& question : verdict.exercise->questions) {
    const double* const measured = found(verdict.measured, question.name);
    const double* const predicted = found(verdict.predicted, question.name);
    if (measured && !predicted) ++kept_back;
    if (!measured && predicted && !is_measured_on(question, verdict.device)) {
      lines.push_back(fmt::format(
          "{}: you said {}; ./hypatia check {} --device {} measures it",
          question.name,
          digits(*predicted),
          verdict.exercise->number,
          other_device(verdict.device)));
    }
    if (!measured || !predicted) continue;
    const bool right = is_right(question, *predicted, *measured);
    lines.push_back(fmt::format(
        "{}: you said {}, measured {}   {}",
        question.name,
        digits(*predicted),
        digits(*measured),
        paint(right ? Colour::good : Colour::bad, right ? "right" : "off")));
  }
  if (kept_back > 0) {
    lines.push_back(fmt::format(
        "{} measured and kept back until you say what you expect: ./hypatia predict {}",
        kept_back == 1 ? "1 answer is" : fmt::format("{} answers are", kept_back),
        verdict.exercise->number));
  }
  return lines;
}

nlohmann::json predictions_json(const Verdict& verdict) {
  nlohmann::json all = nlohmann::json::array();
  for (const Question& question : verdict.exercise->questions) {
    const double* const measured = found(verdict.measured, question.name);
    const double* const predicted = found(verdict.predicted, question.name);
    const bool shown = measured && predicted && verdict.passed();
    all.push_back(
        {{"name", question.name},
         {"question", question.text},
         {"predicted", predicted ? nlohmann::json(*predicted) : nlohmann::json()},
         {"measured", shown ? nlohmann::json(*measured) : nlohmann::json()},
         {"right",
          shown ? nlohmann::json(is_right(question, *predicted, *measured)) : nlohmann::json()}});
  }
  return all;
}

Calibration calibration() {
  Calibration all;
  std::vector<double> factors;
  for (const Exercise& exercise : course()) {
    if (exercise.questions.empty()) continue;
    const std::map<std::string, double> said = first_answers(exercise);
    const std::map<std::string, double> measured = last_measured(exercise);
    for (const Question& question : exercise.questions) {
      const double* const mine = found(said, question.name);
      const double* const truth = found(measured, question.name);
      if (!mine || !truth) continue;
      ++all.compared;
      if (is_right(question, *mine, *truth)) {
        ++all.right;
      } else if (*mine > 0 && *truth > 0) {
        factors.push_back(std::fmax(*mine / *truth, *truth / *mine));
      }
    }
  }
  if (!factors.empty()) {
    const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
    std::nth_element(factors.begin(), middle, factors.end());
    all.typical_factor = *middle;
  }
  return all;
}

std::string to_text(const Calibration& all) {
  const std::string text = fmt::format("{} of {} predictions right", all.right, all.compared);
  const int wrong = all.compared - all.right;
  if (wrong == 0 || all.typical_factor == 0) return text;
  return text + fmt::format(
                    "; {} off by a factor of {:.2g}",
                    wrong == 1 ? (all.right == 0 ? "it was" : "the other was")
                               : (all.right == 0 ? "typically" : "the others were typically"),
                    all.typical_factor);
}

}  // namespace hypatia::runner
