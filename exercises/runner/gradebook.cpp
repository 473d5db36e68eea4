// A grading's document, its journal's lines, and what a learner's own journal tells.
#include "exercises/runner/gradebook.h"

#include <algorithm>
#include <ctime>
#include <fmt/core.h>
#include <set>

#include "exercises/runner/command.h"
#include "exercises/runner/verdict_json.h"

namespace hypatia::runner {

namespace {

nlohmann::json json_of(const Result& result) {
  nlohmann::json json = json_of(result.verdict);
  json["who"] = result.who;
  json["minutes"] = result.minutes;
  json["flags"] = result.flags;
  json["judged_by"] = result.judged_by;
  json["score"] = {{"points", result.verdict.passed() ? 1 : 0}, {"max", 1}};
  return json;
}

Result result_in(const nlohmann::json& json) {
  Result result;
  result.verdict = verdict_of(json);
  result.who = json.at("who");
  result.minutes = json.value("minutes", 0.0);
  result.flags = json.value("flags", std::vector<std::string>{});
  result.judged_by = json.value("judged_by", JudgedBy{});
  return result;
}

std::string dumped(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

double seconds_of(const std::string& time) {
  std::tm parts{};
  if (::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return 0;
  return static_cast<double>(::timegm(&parts));
}

}  // namespace

const Result* Gradebook::find(const std::string& who, const std::string& exercise) const {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& r) {
    return r.who == who && r.verdict.exercise->id == exercise;
  });
  return found == results.end() ? nullptr : &*found;
}

int Gradebook::passed(const std::string& who) const {
  return static_cast<int>(std::count_if(results.begin(), results.end(), [&](const Result& r) {
    return r.who == who && r.verdict.passed();
  }));
}

std::string to_json(const Gradebook& book) {
  nlohmann::json learners = nlohmann::json::array(), results = nlohmann::json::array();
  for (const Learner& learner : book.learners) {
    learners.push_back({
        {"who", learner.who},
        {"path", learner.path},
        {"problem", learner.problem},
        {"notes", learner.notes},
        {"score", {{"points", book.passed(learner.who)}, {"max", book.exercises.size()}}},
    });
  }
  for (const Result& result : book.results)
    results.push_back(json_of(result));
  const nlohmann::json document{
      {"schema", 1},
      {"kind", "grades"},
      {"seed", book.seed},
      {"device", book.device},
      {"confinement", book.confinement},
      {"exercises", book.exercises},
      {"left_out", book.left_out},
      {"learners", learners},
      {"verdicts", results},
  };
  return dumped(document, 2);
}

Gradebook gradebook_of(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    Gradebook book;
    book.seed = json.at("seed");
    book.device = json.at("device");
    book.confinement = json.at("confinement");
    book.exercises = json.at("exercises").get<std::vector<std::string>>();
    book.left_out = json.value("left_out", std::vector<std::string>{});
    for (const nlohmann::json& each : json.at("learners")) {
      book.learners.push_back(
          {each.at("who"), each.at("path"), each.at("problem"), each.at("notes")});
    }
    for (const nlohmann::json& each : json.at("verdicts"))
      book.results.push_back(result_in(each));
    return book;
  } catch (const nlohmann::json::exception&) {
    throw Stop{
        exit_usage,
        "grades.json is damaged: it is not what grade wrote",
        "./hypatia grade SUBMISSIONS --out DIR --resume makes it again from DIR/grading.jsonl"};
  }
}

std::string line_of(const Result& result) {
  return dumped(json_of(result), -1);
}

Result result_of(const std::string& line) {
  return result_in(nlohmann::json::parse(line));
}

std::string line_of(const Learner& learner) {
  const nlohmann::json json{
      {"learner", learner.who},
      {"path", learner.path},
      {"problem", learner.problem},
      {"notes", learner.notes}};
  return dumped(json, -1);
}

Learner learner_of(const std::string& line) {
  const nlohmann::json json = nlohmann::json::parse(line);
  return {json.at("learner"), json.at("path"), json.at("problem"), json.at("notes")};
}

std::string why(const Verdict& verdict) {
  std::string text;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += (text.empty() ? "" : "\n") + line;
  };
  for (const Complaint& complaint : verdict.complaints) {
    if (!complaint.error) continue;
    add(to_text(complaint));
    break;
  }
  add(verdict.message);
  if (const TestResult* failure = verdict.first_failure()) {
    add(failure->name + ": " + failure->message);
    if (!failure->expected.empty()) add("expected " + failure->expected);
    if (!failure->got.empty()) add("got " + failure->got);
  }
  return text.empty() ? verdict.status : text;
}

void add_history(Result& result, const std::vector<Entry>& history) {
  constexpr double longest_pause = 30 * 60;  // beyond it the learner was away
  double before = 0, spent = 0;
  result.verdict.attempts = 0;
  std::set<int> hints;
  for (const Entry& entry : history) {
    if (entry.exercise != result.verdict.exercise->id) continue;
    result.verdict.attempts += entry.event == "check" ? 1 : 0;
    if (entry.event == "hint") hints.insert(entry.level);
    const double now = seconds_of(entry.time);
    if (before > 0 && now > before) spent += std::min(now - before, longest_pause);
    before = now;
  }
  result.verdict.hints_used = static_cast<int>(hints.size());
  result.minutes = spent / 60;
}

}  // namespace hypatia::runner
