// Verdicts to JSON and back.
#include "exercises/runner/verdict_json.h"

#include "exercises/runner/predictions.h"

namespace hypatia::runner {

namespace {

nlohmann::json tests_of(const Verdict& verdict) {
  nlohmann::json tests = nlohmann::json::array();
  for (const TestResult& test : verdict.tests) {
    tests.push_back({
        {"name", test.name},
        {"status", test.status},
        {"tag", test.tag},
        {"message", test.message},
        {"expected", test.expected},
        {"got", test.got},
        {"error_used", test.used},
        {"ms", test.milliseconds},
    });
  }
  return tests;
}

}  // namespace

nlohmann::json json_of(const Verdict& verdict) {
  nlohmann::json complaints = nlohmann::json::array();
  for (const Complaint& complaint : verdict.complaints) {
    complaints.push_back({
        {"file", complaint.file},
        {"line", complaint.line},
        {"text", complaint.text},
        {"kind", complaint.error ? "error" : "warning"},
    });
  }
  return {
      {"exercise", {{"id", verdict.exercise->id}, {"title", verdict.exercise->title}}},
      {"file", {{"path", verdict.file}, {"sha256", verdict.sha256}}},
      {"where", verdict.device},
      {"status", verdict.status},
      {"exit", verdict.exit_code()},
      {"tags", verdict.tags},
      {"tests", tests_of(verdict)},
      {"compiler", complaints},
      {"message", verdict.message},
      {"output", verdict.output},
      {"build_seconds", verdict.build_seconds},
      {"seconds", verdict.seconds},
      {"attempts", verdict.attempts},
      {"hints_used", verdict.hints_used},
      {"predictions", predictions_json(verdict)},
  };
}

Verdict verdict_of(const nlohmann::json& json) {
  Verdict verdict;
  verdict.exercise = &find_exercise(json.at("exercise").value("id", ""));
  verdict.file = json.at("file").value("path", "");
  verdict.sha256 = json.at("file").value("sha256", "");
  verdict.device = json.value("where", "");
  verdict.status = json.value("status", "");
  verdict.tags = json.value("tags", std::vector<std::string>{});
  for (const nlohmann::json& test : json.at("tests")) {
    verdict.tests.push_back({
        test.value("name", ""),
        test.value("status", ""),
        test.value("tag", ""),
        test.value("message", ""),
        test.value("expected", ""),
        test.value("got", ""),
        test.value("error_used", 0.0),
        test.value("ms", 0.0),
    });
  }
  for (const nlohmann::json& each : json.at("compiler")) {
    verdict.complaints.push_back({
        each.value("file", ""),
        each.value("line", 0),
        each.value("text", ""),
        each.value("kind", "") == "error",
    });
  }
  verdict.message = json.value("message", "");
  verdict.output = json.value("output", "");
  verdict.build_seconds = json.value("build_seconds", 0.0);
  verdict.seconds = json.value("seconds", 0.0);
  verdict.attempts = json.value("attempts", 0);
  verdict.hints_used = json.value("hints_used", 0);
  for (const nlohmann::json& each : json.value("predictions", nlohmann::json::array())) {
    const std::string name = each.value("name", "");
    if (each.contains("measured") && each["measured"].is_number()) {
      verdict.measured[name] = each["measured"];
    }
    if (each.contains("predicted") && each["predicted"].is_number()) {
      verdict.predicted[name] = each["predicted"];
    }
  }
  return verdict;
}

}  // namespace hypatia::runner
