// From a file to a verdict.
#include "exercises/runner/checker.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/accesses.h"
#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/flags.h"
#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// A program that leaves early, or never says what it tested, has proved nothing.
void require_every_test(Verdict& verdict, bool ended) {
  for (const std::string& name : verdict.exercise->tests) {
    const bool there = std::any_of(
        verdict.tests.begin(), verdict.tests.end(), [&](const auto& t) { return t.name == name; });
    if (!there) {
      verdict.tests.push_back(
          {name,
           "fail",
           "not-run",
           "this test was not run: the program ended before it",
           "",
           "",
           0,
           0});
    }
  }
  if (!ended && !verdict.first_failure()) {
    verdict.tests.push_back(
        {"end",
         "fail",
         "not-run",
         "the program ended before its check was complete",
         "",
         "",
         0,
         0});
  }
}

// A report's fields are what some program wrote: one of another type counts as missing.
std::string text_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

// What is neither "pass" nor "skip" is no proof.
std::string status_in(const nlohmann::json& json) {
  const std::string status = text_in(json, "status");
  return status == "pass" || status == "skip" ? status : "fail";
}

// The file's check program; "" with the verdict's reason if it can't be built.
std::string built_check(const CheckRequest& request, Verdict& verdict) {
  const Exercise& exercise = *request.exercise;
  const std::string target = exercise.target(request.solution ? "check_solution" : "check");
  if (request.told) request.told(exercise.id + ": compiling");
  const Built built = build({target}, exercise.build_seconds);
  verdict.build_seconds = built.seconds;
  verdict.complaints = built.complaints;
  if (built.ok) return program(target);
  verdict.status = built.timed_out ? "timeout" : "build";
  if (built.timed_out) {
    verdict.message = slow_build(exercise);
  } else if (built.complaints.empty()) {
    verdict.message = tail(built.log, 8);
  }
  verdict.add_tag(built.timed_out ? "slow-build" : "build");
  return "";
}

Task task_for(const CheckRequest& request, const std::string& path, std::string flags) {
  Task task;
  task.words = {path};
  if (!request.seed.empty()) task.words.insert(task.words.end(), {"--seed", request.seed});
  flags += std::string(flags.empty() ? "" : ",") + "force_device=True";
  task.environment = {{"HYPATIA_FLAGS", flags_for(request.device, flags)}};
  task.limit_seconds =
      request.limit_seconds > 0 ? request.limit_seconds : request.exercise->test_seconds;
  task.report = true;
  task.stoppable = true;
  return task;
}

// A result that depends on the order of threads is wrong, whichever order a card happens to take.
void check_accesses(const CheckRequest& request, const std::string& path, Verdict& verdict) {
  constexpr double slower = 10;  // a checked access takes about that much longer
  const std::string report = build_folder() + "/checked/" + request.exercise->id + ".jsonl";
  const std::vector<std::string> orders{"ascending", "descending", "random"};
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const std::string& order = orders[i];
    if (request.told) {
      request.told(
          request.exercise->id + ": run " + std::to_string(i + 1) + " of " +
          std::to_string(orders.size()) + ", every access checked, threads in " + order + " order");
    }
    std::filesystem::create_directories(build_folder() + "/checked");
    std::filesystem::remove(report);
    std::string flags = request.flags + (request.flags.empty() ? "" : ",");
    Task task = task_for(request, path, flags + "sim.checked=True,sim.order=" + order);
    task.environment.emplace_back("HYPATIA_SIM_REPORT", report);
    task.limit_seconds *= slower;
    read_verdict(verdict, run(task), task.limit_seconds);
    add_access_findings(verdict, report);
    if (!verdict.passed()) {
      verdict.device += ", every access checked, threads in " + order + " order";
      return;
    }
  }
  verdict.device += ", every access checked, threads in three orders";
}

}  // namespace

std::string slow_build(const Exercise& exercise) {
  return "the compiler took longer than " + duration(exercise.build_seconds) +
         "; try again when the machine has less to do";
}

void read_verdict(Verdict& verdict, const Outcome& outcome, double limit) {
  bool ended = false;
  verdict.tests = read_report(outcome.report, ended);
  verdict.measured = read_measured(outcome.report);
  verdict.output = outcome.output;
  verdict.seconds = outcome.seconds;
  verdict.cpu_seconds = outcome.cpu_seconds;
  if (outcome.timed_out || outcome.signal || (outcome.code != 0 && !ended)) {
    const Diagnosis diagnosis = diagnose(outcome, limit);
    verdict.status = outcome.timed_out ? "timeout" : "crash";
    verdict.message = diagnosis.message;
    if (diagnosis.line > 0) {
      verdict.message =
          diagnosis.file + ":" + std::to_string(diagnosis.line) + " " + verdict.message;
    }
    verdict.add_tag(diagnosis.tag);
    return;
  }
  require_every_test(verdict, ended);
  const TestResult* failure = verdict.first_failure();
  verdict.status = failure || outcome.code != 0 ? "fail" : "pass";
  for (const TestResult& test : verdict.tests) {
    if (test.status == "fail") verdict.add_tag(test.tag);
  }
}

std::vector<TestResult> read_report(const std::string& report, bool& ended) {
  std::vector<TestResult> tests;
  ended = false;
  for (const std::string& line : lines_of(report)) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("begin")) {
      tests.push_back(
          {text_in(json, "begin"), "fail", "died", "the program died in this test", "", "", 0, 0});
    } else if (json.contains("test") && !tests.empty()) {
      tests.back() = {
          text_in(json, "test"),
          status_in(json),
          text_in(json, "tag"),
          text_in(json, "message"),
          text_in(json, "expected"),
          text_in(json, "got"),
          number_in(json, "used"),
          number_in(json, "ms"),
      };
    } else if (json.contains("end")) {
      ended = json["end"] == tests.size();
    }
  }
  return tests;
}

std::map<std::string, double> read_measured(const std::string& report) {
  std::map<std::string, double> measured;
  for (const std::string& line : lines_of(report)) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("measured") || !json.contains("value")) continue;
    if (json["measured"].is_string() && json["value"].is_number()) {
      measured[json["measured"]] = json["value"];
    }
  }
  return measured;
}

Verdict check(const CheckRequest& request) {
  require_flags(request.flags);
  const Exercise& exercise = *request.exercise;
  if (!request.solution) require_source(exercise);
  Verdict verdict;
  verdict.exercise = &exercise;
  verdict.device = request.device;
  verdict.file = request.solution ? exercise.solution() : exercise.source();
  verdict.sha256 = sha256(read_file(verdict.file));
  const std::string path =
      request.program.empty() ? built_check(request, verdict) : request.program;
  if (path.empty()) return verdict;
  if (request.race) {
    check_accesses(request, path, verdict);
  } else {
    const Task task = task_for(request, path, request.flags);
    if (request.told) request.told(exercise.id + ": running its tests");
    read_verdict(verdict, run(task), task.limit_seconds);
  }
  return verdict;
}

}  // namespace hypatia::runner
