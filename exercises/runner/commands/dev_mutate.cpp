// `hypatia dev mutate`: how much of what can go wrong a check notices. `hypatia dev stats`: what
// each exercise has.
#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/commands/dev.h"
#include "exercises/runner/course.h"
#include "exercises/runner/mutate.h"
#include "exercises/runner/places.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/state.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr double least_share = 0.9;

// What a mutant came to: all of them, or those that no check noticed.
std::string line_of(const Mutant& mutant, const std::string& fate, bool all) {
  if (all) return fmt::format("  {:<14}  {}  {}", fate, mutant.line, mutant.name());
  return fate == "survived" ? fmt::format("  survived: {}  {}", mutant.line, mutant.name()) : "";
}

MutationScore score_of(
    const Exercise& exercise, const std::vector<Mutant>& mutants, const Arguments& arguments) {
  StatusLine status(!arguments.json(), exercise.id + ": building");
  std::size_t tried = 0;
  const auto told = [&](const Mutant& mutant, const std::string& fate) {
    status.say(fmt::format("{}: {} of {} changes tried", exercise.id, ++tried, mutants.size()));
    const std::string line = line_of(mutant, fate, arguments.has("--list"));
    if (!arguments.json() && !line.empty()) status.print(line);
  };
  return try_mutants(exercise, mutants, equivalents_of(exercise), told);
}

/// `count` of the mutants, evenly spread; all of them for 0.
std::vector<Mutant> sample(std::vector<Mutant> all, std::size_t count) {
  if (count == 0 || count >= all.size()) return all;
  std::vector<Mutant> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(std::move(all[(2 * i + 1) * all.size() / (2 * count)]));
  return some;
}

std::vector<Mutant> all_mutants(const Exercise& exercise) {
  std::string fault;
  const std::string solution = read_file(exercise.solution());
  const std::string starter =
      edited_here(exercise) ? pristine(exercise) : read_file(exercise.source());
  const std::vector<Region> regions = solved_regions(starter, solution, fault);
  if (!fault.empty()) throw Stop{exit_authoring, exercise.id + ": the starter: " + fault, ""};
  return mutants_of(solution, regions);
}

std::size_t lines_to_write(const Exercise& exercise) {
  std::string fault;
  std::size_t lines = 0;
  const std::string starter =
      edited_here(exercise) ? pristine(exercise) : read_file(exercise.source());
  for (const Region& region : solved_regions(starter, read_file(exercise.solution()), fault))
    lines += region.end - region.begin;
  return lines;
}

}  // namespace

int dev_mutate(const Arguments& arguments) {
  const auto count = static_cast<std::size_t>(arguments.count("--sample", 0));
  int code = exit_pass;
  MutationScore whole;
  nlohmann::json exercises = nlohmann::json::array();
  for (const Exercise* exercise : chosen_exercises(arguments)) {
    const std::vector<Mutant> mutants = sample(all_mutants(*exercise), count);
    const bool quiet = arguments.json();
    const MutationScore score = score_of(*exercise, mutants, arguments);
    // A few mutants say nothing of one exercise; those of all of them do.
    if (count == 0 && score.share() < least_share) code = exit_authoring;
    whole.killed += score.killed;
    whole.survived.insert(whole.survived.end(), score.survived.begin(), score.survived.end());
    nlohmann::json survived = nlohmann::json::array();
    for (const Mutant& mutant : score.survived)
      survived.push_back({{"line", mutant.line}, {"kind", mutant.kind}, {"after", mutant.after}});
    exercises.push_back(
        {{"exercise", exercise->id},
         {"killed", score.killed},
         {"does_not_build", score.no_program},
         {"equivalent", score.equivalent},
         {"survived", survived},
         {"share", score.share()}});
    if (quiet) continue;
    std::printf(
        "%s  %s  %.0f %%: %d of %zu killed, %d equivalent, %d do not build\n",
        exercise->id.c_str(),
        score.share() < least_share ? "fail" : "pass",
        100 * score.share(),
        score.killed,
        static_cast<std::size_t>(score.killed) + score.survived.size(),
        score.equivalent,
        score.no_program);
    std::fflush(stdout);
  }
  if (count > 0) {
    if (whole.share() < least_share) code = exit_authoring;
    if (!arguments.json()) std::printf("%.0f %% of the sample killed\n", 100 * whole.share());
  }
  if (arguments.json()) {
    const nlohmann::json document{{"schema", 1}, {"least", least_share}, {"mutants", exercises}};
    std::printf("%s\n", document.dump(2).c_str());
  }
  return code;
}

int dev_stats(const Arguments& arguments) {
  std::vector<std::vector<std::string>> rows{
      {"exercise",
       "minutes",
       "lines",
       "tests",
       "hints",
       "wrong answers",
       "questions",
       "attempts",
       "hints used",
       "passed"}};
  nlohmann::json all = nlohmann::json::array();
  for (const Exercise& exercise : course()) {
    const Progress at = progress(exercise);
    const std::vector<std::pair<const char*, std::size_t>> numbers{
        {"minutes", static_cast<std::size_t>(exercise.minutes)},
        {"lines", lines_to_write(exercise)},
        {"tests", exercise.tests.size()},
        {"hints", exercise.hints.size()},
        {"wrong_answers", wrong_answers(exercise).size()},
        {"questions", exercise.questions.size()},
        {"attempts", static_cast<std::size_t>(at.attempts)},
        {"hints_used", static_cast<std::size_t>(at.hints)}};
    nlohmann::json entry{{"exercise", exercise.id}, {"passed", at.passed}};
    std::vector<std::string> row{exercise.id};
    for (const auto& [name, value] : numbers) {
      entry[name] = value;
      row.push_back(std::to_string(value));
    }
    row.emplace_back(at.passed ? "yes" : "-");
    rows.push_back(row);
    all.push_back(entry);
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"exercises", all}}.dump(2).c_str());
  } else {
    std::printf("%s", table(rows).c_str());
  }
  return exit_pass;
}

}  // namespace hypatia::runner
