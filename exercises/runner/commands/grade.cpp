// `hypatia grade`: verdicts on a class's submissions, each compiled and run where it can do no
// harm.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <thread>

#include "exercises/runner/command.h"
#include "exercises/runner/commands/grade_exports.h"
#include "exercises/runner/grading.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/places.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

std::string told(const Result& result, std::size_t done, std::size_t of) {
  const Verdict& verdict = result.verdict;
  const Colour colour = verdict.passed() ? Colour::good : Colour::bad;
  return fmt::format(
      "{:4}/{}  {:<30.30} {:<24.24} {}",
      done,
      of,
      result.who,
      verdict.exercise->id,
      paint(colour, verdict.status));
}

Gradebook graded(GradingRequest request, const Sandbox& sandbox) {
  StatusLine status(true, "grading");
  request.step = status.told();
  request.say = [&](const std::string& line) { status.print(line, stderr); };
  request.told = [&](const Result& result, std::size_t done, std::size_t of) {
    status.print(told(result, done, of), stderr);
    status.say(fmt::format("grading: {} of {} done", done, of));
  };
  return run_grading(request, sandbox);
}

// Those asked for, else those that anyone handed in.
std::vector<const Exercise*> chosen(
    const Arguments& arguments, const std::vector<Submission>& submissions) {
  std::vector<const Exercise*> all;
  std::string list = arguments.value("--only");
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    all.push_back(&find_exercise(list.substr(0, end)));
    list.erase(0, end + 1);
  }
  if (!all.empty()) return all;
  for (const Exercise& exercise : course()) {
    const bool there = std::any_of(submissions.begin(), submissions.end(), [&](const auto& each) {
      return each.files.count(exercise.id) > 0;
    });
    if (there && can_be_graded(exercise)) all.push_back(&exercise);
    if (there && !can_be_graded(exercise)) {
      std::fprintf(stderr, "%s is left out: it has no border.cpp\n", exercise.id.c_str());
    }
  }
  return all;
}

// With each other and with those that a grading that goes on has kept.
void compare_all(Gradebook& book, const GradingRequest& request) {
  std::vector<Submission> all = request.submissions;
  if (request.resume) {
    try {
      const Gradebook earlier = gradebook_of(read_file(request.out + "/grades.json"));
      keep_likenesses(book, earlier, request.submissions);
    } catch (const Stop&) {
      // There is none yet, or it is damaged and made again.
    }
    for (Submission& kept : still_there(book, request.submissions))
      all.push_back(std::move(kept));
  }
  flag_similar(book, all);
}

int run_grade(const Arguments& arguments) {
  GradingRequest request;
  std::vector<std::string> left_out;
  request.submissions = find_submissions(arguments.words, &left_out);
  if (request.submissions.empty()) {
    throw Stop{
        exit_usage,
        "there is no submission in " + arguments.words[0] +
            (left_out.empty() ? "" : ", only " + left_out[0]),
        "put bundles (.zip) into it, or folders with NN_name/exercise.cpp"};
  }
  request.exercises = chosen(arguments, request.submissions);
  const Sandbox sandbox(arguments.has("--trust"));
  request.out = fs::absolute(arguments.value("--out", "grades")).string();
  request.device = arguments.value("--device");
  require_device(request.device);
  request.seed = arguments.value("--seed");
  request.most_seconds = arguments.number("--seconds", 0);
  request.resume = arguments.has("--resume");
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  request.jobs = arguments.count("--jobs", static_cast<int>(std::min(cores, 16U)));
  if (request.jobs > 16) {
    throw Stop{exit_usage, "--jobs wants a number from 1 to 16", ""};
  }
  request.only = arguments.has("--only");
  Gradebook book = graded(request, sandbox);
  book.left_out = left_out;
  compare_all(book, request);
  write_file(request.out + "/grades.json", to_json(book));
  write_exports(book, arguments);
  if (arguments.has("--html"))
    write_file(arguments.value("--html"), to_html(book, ReportOrder::learners));
  if (arguments.json()) {
    std::printf("%s\n", to_json(book).c_str());
  } else {
    std::printf("%s", to_text(book, ReportOrder::learners).c_str());
    std::printf(
        "\nseed %s (repeat with --seed); %s\nall of it: %s\n",
        book.seed.c_str(),
        book.confinement.c_str(),
        shown(request.out + "/grades.json").c_str());
  }
  const bool all_read = std::all_of(
      book.learners.begin(), book.learners.end(), [](const auto& l) { return l.problem.empty(); });
  return all_read ? exit_pass : exit_not_yet;
}

}  // namespace

extern const Command grade_command{
    .name = "grade",
    .summary = "grade bundles, or a folder of them, each confined",
    .positional = {"PATH", "bundles (.zip), or folders of them", 1, 1000},
    .options =
        {
            {"--out", "DIR", "where verdicts are kept as they come (default: grades)"},
            {"--resume", "", "go on with the grading in that folder"},
            {"--only", "NN,NN", "these exercises (default: all that anyone handed in)"},
            {"--device", "D", "cpu or sim (default: each exercise's usual one)"},
            {"--seed", "N", "the inputs of an earlier grading (default: fresh ones)"},
            {"--seconds", "S", "the most a program may run (default: as the exercise says)"},
            {"--jobs", "N", "submissions at once (default: one a core)"},
            {"--trust", "", "run them without confinement: only for files that you have read"},
            {"--html", "FILE", "the class on a page", true, "<!DOCTYPE html>"},
            {"--csv", "FILE", "a row a learner and exercise", true, "who,exercise,"},
            {"--junit", "FILE", "JUnit's XML", true, "<?xml"},
            {"--gradescope", "FILE", "Gradescope's results.json; a folder of them for a class"},
            {"--exercism", "FILE", "Exercism's results.json, likewise"},
        },
    .run = run_grade,
};

}  // namespace hypatia::runner
