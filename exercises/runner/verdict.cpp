// Prints verdicts.
#include "exercises/runner/verdict.h"

#include <algorithm>
#include <fmt/core.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/text.h"
#include "exercises/runner/verdict_json.h"

namespace hypatia::runner {

namespace {

constexpr std::size_t most_output_lines = 6;

std::string row(std::string_view name, std::string_view text) {
  return fmt::format("  {:<9}", name) + wrap(text, 89, std::string(11, ' ')) + "\n";
}

// The compiler was stopped, so no test has run.
bool slow_to_build(const Verdict& verdict) {
  return std::count(verdict.tags.begin(), verdict.tags.end(), "slow-build") > 0;
}

std::string build_rows(const Verdict& verdict) {
  if (verdict.status == "unsupported") return "";
  if (slow_to_build(verdict)) return row("build", paint(Colour::bad, "stopped"));
  if (verdict.status != "build") {
    std::string text =
        row("build", paint(Colour::good, "ok") + " " + duration(verdict.build_seconds));
    for (const Complaint& warning : verdict.complaints) {
      text += row("warning", fmt::format("{}:{} {}", warning.file, warning.line, warning.text));
      break;
    }
    return text;
  }
  std::string text = row("build", paint(Colour::bad, "does not compile"));
  std::size_t shown_errors = 0;
  for (const Complaint& complaint : verdict.complaints) {
    if (!complaint.error || ++shown_errors > 3) continue;
    text += row("error", to_text(complaint));
  }
  return text;
}

std::string test_rows(const Verdict& verdict) {
  if (verdict.status == "build" || verdict.status == "unsupported" || slow_to_build(verdict))
    return "";
  const auto passed = std::count_if(
      verdict.tests.begin(), verdict.tests.end(), [](const auto& t) { return t.status == "pass"; });
  const std::size_t of = std::max(verdict.tests.size(), verdict.exercise->tests.size());
  std::string line = fmt::format("{}/{} passed", passed, of);
  const TestResult* failure = verdict.first_failure();
  if (failure) line += "   first failure: " + paint(Colour::bad, failure->name);
  if (failure && !failure->tag.empty()) line += "   [" + failure->tag + "]";
  std::string text = row("tests", line);
  for (const TestResult& test : verdict.tests) {
    if (test.status == "skip") text += row("skipped", test.name + ": " + test.message);
  }
  if (!failure) return text;
  text += row("", failure->message);
  if (!failure->expected.empty()) text += row("", "expected  " + failure->expected);
  if (!failure->got.empty()) text += row("", "got       " + failure->got);
  constexpr double unbounded = 1e300;  // as where a number came and none was expected, or nan
  if (failure->used > 1 && failure->used < unbounded) {
    text += row("", fmt::format("that is {:.3g} times the allowed error", failure->used));
  }
  std::string others;
  for (const TestResult& test : verdict.tests) {
    if (test.status == "fail" && &test != failure)
      others += (others.empty() ? "" : ", ") + test.name;
  }
  if (!others.empty()) text += row("", "failing too: " + others);
  return text;
}

// The failure that is told at length, or what stopped the check.
std::string main_tag(const Verdict& verdict) {
  const TestResult* failure = verdict.first_failure();
  if (failure && !failure->tag.empty()) return failure->tag;
  return verdict.tags.empty() ? "" : verdict.tags[0];
}

// The last lines that the learner's program printed, without what the engine says when it starts.
std::vector<std::string> own_lines(const Verdict& verdict) {
  std::vector<std::string> lines;
  for (const std::string& line : lines_of(verdict.output)) {
    const bool of_engine =
        line.starts_with("Mapped name ") || line.starts_with("Found cuDNN version ");
    if (!of_engine) lines.push_back(line);
  }
  if (lines.size() > most_output_lines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_output_lines));
  }
  return lines;
}

std::string end_rows(const Verdict& verdict) {
  std::string text;
  const std::string name = verdict.status == "unsupported" ? "not here" : verdict.status;
  if (!verdict.message.empty()) text += row(name, verdict.message);
  const std::vector<std::string> printed = own_lines(verdict);
  if (!verdict.passed() && !printed.empty() && verdict.status != "build") {
    text += row("printed", "");
    for (const std::string& line : printed)
      text += "    " + line.substr(0, 96) + "\n";
  }
  for (const std::string& line : prediction_lines(verdict))
    text += row("predict", line);
  const std::string& number = verdict.exercise->number;
  if (verdict.passed()) {
    text += row("next", "./hypatia next, or read " + shown(verdict.exercise->solution()));
  } else if (verdict.status != "unsupported") {
    const std::string tag = main_tag(verdict);
    const std::string meaning = tag.empty() ? "" : ", ./hypatia explain " + tag;
    text += row("next", "./hypatia hint " + number + meaning + ", then ./hypatia check " + number);
  }
  return text;
}

std::string headline(const Verdict& verdict) {
  std::string place = shown(verdict.file);
  for (const Complaint& complaint : verdict.complaints) {
    if (complaint.error && complaint.line > 0) {
      place = fmt::format("{}:{}", complaint.file, complaint.line);
      break;
    }
  }
  const std::string word =
      verdict.passed()
          ? paint(Colour::good, "PASSED")
          : paint(Colour::bad, verdict.status == "unsupported" ? "NOT RUN" : "NOT YET");
  return fmt::format(
      "{}: {} {}   [checked on: {}]\n",
      place,
      paint(Colour::strong, verdict.exercise->id),
      word,
      verdict.device);
}

}  // namespace

void Verdict::add_tag(const std::string& tag) {
  if (tag.empty() || std::find(tags.begin(), tags.end(), tag) != tags.end()) return;
  tags.push_back(tag);
}

int Verdict::exit_code() const {
  if (status == "pass") return exit_pass;
  if (status == "fail") return exit_not_yet;
  if (status == "build") return exit_no_build;
  if (status == "timeout") return exit_timeout;
  if (status == "crash") return exit_crash;
  return exit_unsupported;
}

const TestResult* Verdict::first_failure() const {
  for (const TestResult& test : tests) {
    if (test.status == "fail") return &test;
  }
  return nullptr;
}

std::string to_text(const Verdict& verdict) {
  return headline(verdict) + build_rows(verdict) + test_rows(verdict) + end_rows(verdict);
}

std::string to_json(const std::vector<Verdict>& verdicts) {
  nlohmann::json all = nlohmann::json::array();
  for (const Verdict& verdict : verdicts)
    all.push_back(json_of(verdict));
  const nlohmann::json document{{"schema", 1}, {"verdicts", all}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hypatia::runner
