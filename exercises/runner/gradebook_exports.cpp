// Gradebooks in the forms of other programs. docs/reference/grading.md names their sources.
#include <algorithm>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/gradebook.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr auto replace = nlohmann::json::error_handler_t::replace;

// Begins with a quote where a spreadsheet would take the cell for a formula.
std::string cell(std::string text) {
  if (!text.empty() && std::string("=+-@\t").find(text[0]) != std::string::npos) {
    text.insert(0, "'");
  }
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// Text of an XML document: no control letters, and only whole UTF-8.
std::string xml(const std::string& text) {
  const std::string whole = nlohmann::json(text).dump(-1, ' ', false, replace);
  std::string out;
  for (const char c : nlohmann::json::parse(whole).get<std::string>()) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (letter >= 0x20 || c == '\n' || c == '\t') {
      out += c;
    } else {
      out += '?';
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

// Of the verdict, and the notes of its learner's bundle.
std::string flags_in(const Gradebook& book, const Result& result) {
  std::vector<std::string> all = result.flags;
  for (const Learner& learner : book.learners) {
    if (learner.who == result.who)
      all.insert(all.end(), learner.notes.begin(), learner.notes.end());
  }
  std::string text;
  for (const std::string& flag : all)
    text += (text.empty() ? "" : "; ") + flag;
  return text;
}

std::vector<const Result*> results_of(const Gradebook& book, const std::string& who) {
  std::vector<const Result*> own;
  for (const Result& result : book.results) {
    if (result.who == who) own.push_back(&result);
  }
  return own;
}

const TestResult* test_called(const Verdict& verdict, const std::string& name) {
  for (const TestResult& test : verdict.tests) {
    if (test.name == name) return &test;
  }
  return nullptr;
}

}  // namespace

std::string to_csv(const Gradebook& book) {
  std::string text = "who,exercise,status,points,max,tags,attempts,hints,minutes,flags,reason\n";
  for (const Result& result : book.results) {
    const Verdict& verdict = result.verdict;
    text += fmt::format(
        "{},{},{},{},1,{},{},{},{:.1f},{},{}\n",
        cell(result.who),
        verdict.exercise->id,
        verdict.status,
        verdict.passed() ? 1 : 0,
        cell(joined(verdict.tags)),
        verdict.attempts,
        verdict.hints_used,
        result.minutes,
        cell(flags_in(book, result)),
        cell(verdict.passed() ? "" : why(verdict)));
  }
  return text;
}

std::string to_junit(const Gradebook& book) {
  std::string suites;
  int all = 0, all_failed = 0, all_skipped = 0;
  for (const Learner& learner : book.learners) {
    std::string cases;
    int count = 0, failed = 0, skipped = 0;
    for (const Result* result : results_of(book, learner.who)) {
      const Verdict& verdict = result->verdict;
      ++count;
      cases += fmt::format(
          "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
          xml(learner.who),
          xml(verdict.exercise->id),
          verdict.build_seconds + verdict.seconds);
      if (verdict.passed()) {
        cases += "/>\n";
        continue;
      }
      const std::string reason = xml(why(verdict));
      if (verdict.status == "missing") {
        ++skipped;
        cases += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", reason);
        continue;
      }
      ++failed;
      cases += fmt::format(
          ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
          xml(verdict.status),
          reason.substr(0, reason.find('\n')),
          reason);
    }
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}"
        "  </testsuite>\n",
        xml(learner.who),
        count,
        failed,
        skipped,
        cases);
    all += count;
    all_failed += failed;
    all_skipped += skipped;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hypatia\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n{}</testsuites>\n",
      all,
      all_failed,
      all_skipped,
      suites);
}

std::string to_gradescope(const Gradebook& book, const std::string& who) {
  nlohmann::json tests = nlohmann::json::array();
  double seconds = 0;
  int number = 0;
  for (const Result* result : results_of(book, who)) {
    const Verdict& verdict = result->verdict;
    seconds += verdict.build_seconds + verdict.seconds;
    tests.push_back({
        {"name", verdict.exercise->id},
        {"number", std::to_string(++number)},
        {"score", verdict.passed() ? 1 : 0},
        {"max_score", 1},
        {"status", verdict.passed() ? "passed" : "failed"},
        {"output", verdict.passed() ? "" : why(verdict)},
        {"tags", verdict.tags},
        {"visibility", "visible"},
    });
  }
  const nlohmann::json document{
      {"score", book.passed(who)},
      {"execution_time", seconds},
      {"visibility", "visible"},
      {"tests", tests},
  };
  return document.dump(2, ' ', false, replace) + "\n";
}

std::string to_exercism(const Gradebook& book, const std::string& who) {
  constexpr std::size_t most_output = 500, most_message = 65'535;
  nlohmann::json tests = nlohmann::json::array();
  bool good = true, ran = false;
  std::string message;
  for (const Result* result : results_of(book, who)) {
    const Verdict& verdict = result->verdict;
    good = good && verdict.passed();
    if (verdict.tests.empty()) {
      message += verdict.exercise->id + ": " + why(verdict) + "\n";
    }
    for (const std::string& name : verdict.exercise->tests) {
      const TestResult* test = test_called(verdict, name);
      if (!test) continue;
      ran = true;
      nlohmann::json entry{
          {"name", verdict.exercise->id + ": " + name},
          {"test_code", name},
          {"status", test->status == "skip" ? "pass" : test->status},
          {"output", verdict.output.substr(0, most_output)},
      };
      if (test->status == "fail") {
        entry["message"] =
            (test->message.empty() ? test->tag : test->message).substr(0, most_message);
      }
      tests.push_back(entry);
    }
  }
  nlohmann::json document{
      {"version", 3},
      {"status",
       good  ? "pass"
       : ran ? "fail"
             : "error"},
      {"tests", tests}};
  if (!ran) document["message"] = message.substr(0, most_message);
  return document.dump(2, ' ', false, replace) + "\n";
}

}  // namespace hypatia::runner
