// `hypatia report DIR`: the class at a glance, from what `grade` wrote.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "engine/core/text.h"

#include "exercises/runner/command.h"
#include "exercises/runner/commands/grade_exports.h"
#include "exercises/runner/gradebook.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

ReportOrder order_of(const std::string& word) {
  if (word == "student") return ReportOrder::learners;
  if (word == "exercise") return ReportOrder::exercises;
  if (word == "concept") return ReportOrder::concepts;
  throw Stop{exit_usage, "--by wants student, exercise or concept, not '" + word + "'", ""};
}

/// The book of one learner alone.
Gradebook only(Gradebook book, const std::string& who) {
  std::vector<std::string> names;
  for (const Learner& learner : book.learners)
    names.push_back(learner.who);
  if (std::find(names.begin(), names.end(), who) == names.end()) {
    throw Stop{
        exit_usage,
        "nobody in these grades is called " + who,
        names.empty() ? "nothing was handed in" : "there are " + join(names)};
  }
  std::erase_if(book.learners, [&](const Learner& learner) { return learner.who != who; });
  std::erase_if(book.results, [&](const Result& result) { return result.who != who; });
  book.left_out.clear();
  return book;
}

/// A paragraph for each exercise that was not passed: why, as far as it was judged.
std::string reasons(const Gradebook& book) {
  std::string text;
  for (const Result& result : book.results) {
    const Verdict& verdict = result.verdict;
    if (verdict.passed()) continue;
    text += "\n" + verdict.exercise->id + "  " + verdict.status + "\n";
    for (const std::string& line : lines_of(verdict.status == "missing" ? "" : why(verdict)))
      text += "  " + wrap(line, 96, "  ") + "\n";
  }
  return text;
}

int run_report(const Arguments& arguments) {
  const std::string word = arguments.words.at(0);
  const bool file = std::filesystem::is_regular_file(word);
  const std::string path = file ? word : word + "/grades.json";
  if (!std::filesystem::exists(path)) {
    throw Stop{
        exit_usage,
        "there is no grades.json in " + word,
        "./hypatia grade SUBMISSIONS --out DIR writes it; then report DIR"};
  }
  Gradebook book = gradebook_of(read_file(path));
  if (arguments.has("--learner")) book = only(std::move(book), arguments.value("--learner"));
  const ReportOrder order = order_of(arguments.value("--by", "student"));
  const std::string page = arguments.value("--html");
  if (!page.empty()) write_file(page, to_html(book, order));
  write_exports(book, arguments);
  if (arguments.json()) {
    std::printf("%s\n", to_json(book).c_str());
  } else {
    std::printf("%s", to_text(book, order).c_str());
    if (arguments.has("--learner")) std::printf("%s", reasons(book).c_str());
    if (!page.empty()) std::printf("\nwritten: %s\n", shown(page).c_str());
  }
  return exit_pass;
}

}  // namespace

extern const Command report_command{
    .name = "report",
    .summary = "the class at a glance, from a grading's folder",
    .positional = {"DIR", "where grade wrote, or its grades.json", 1, 1},
    .options =
        {
            {"--html", "FILE", "a page that needs nothing else", true, "<!DOCTYPE html>"},
            {"--learner", "NAME", "of one learner alone, and why each exercise was not passed"},
            {"--by", "WHAT", "what comes first: student, exercise or concept"},
            {"--csv", "FILE", "a row a learner and exercise", true, "who,exercise,"},
            {"--junit", "FILE", "JUnit's XML", true, "<?xml"},
            {"--gradescope", "FILE", "Gradescope's results.json; a folder of them for a class"},
            {"--exercism", "FILE", "Exercism's results.json, likewise"},
        },
    .run = run_report,
};

}  // namespace hypatia::runner
