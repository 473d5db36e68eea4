// `hypatia dev`: for authors. `check` proves that each exercise is fit for a class, `coverage`
// writes the page of what of Theano there is; the other parts have files of their own.
#include "exercises/runner/commands/dev.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/coverage.h"
#include "exercises/runner/places.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/status_line.h"
#include "exercises/runner/structure.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

void print(const Exercise& exercise, const Proof& proof) {
  const Colour colour = proof.status == "fail" ? Colour::bad : Colour::good;
  std::printf(
      "%s  %-4s  %s\n",
      exercise.id.c_str(),
      paint(colour, proof.status).c_str(),
      proof.what.c_str());
  if (!proof.detail.empty()) std::printf("    %s\n", proof.detail.c_str());
  std::fflush(stdout);
}

int write_coverage(const Arguments& arguments) {
  const std::string folder = root() + "/docs/reference/";
  const std::vector<CoverageRow> rows = coverage_rows(read_file(folder + "coverage.txt"));
  const std::vector<std::string> faults = coverage_faults(rows, root());
  write_file(folder + "coverage.md", coverage_page(rows));
  if (arguments.json()) {
    std::printf(
        "%s\n",
        nlohmann::json{{"schema", 1}, {"rows", rows.size()}, {"faults", faults}}.dump(2).c_str());
  } else {
    for (const std::string& fault : faults)
      std::printf("%s\n", fault.c_str());
    std::printf("%zu rows, %zu faults: docs/reference/coverage.md\n", rows.size(), faults.size());
  }
  return faults.empty() ? exit_pass : exit_authoring;
}

std::vector<Proof> proofs_of(const Exercise& exercise, const Arguments& arguments) {
  if (arguments.has("--texts")) return prove_structure(exercise);
  StatusLine status(!arguments.json(), exercise.id + ": proving");
  return prove(exercise, arguments.has("--mutants"), status.told());
}

int dev_check(const Arguments& arguments) {
  const std::vector<const Exercise*> chosen = chosen_exercises(arguments);
  int failed = 0, passed = 0;
  nlohmann::json all = nlohmann::json::array();
  for (const Exercise* exercise : chosen) {
    const std::vector<Proof> proofs = proofs_of(*exercise, arguments);
    for (const Proof& proof : proofs) {
      (proof.status == "fail" ? failed : passed) += proof.status == "skip" ? 0 : 1;
      if (!arguments.json()) print(*exercise, proof);
      all.push_back(
          {{"exercise", exercise->id},
           {"what", proof.what},
           {"status", proof.status},
           {"detail", proof.detail}});
    }
  }
  if (arguments.json()) {
    std::printf("%s\n", nlohmann::json{{"schema", 1}, {"proofs", all}}.dump(2).c_str());
  } else {
    std::printf("%d passed, %d failed\n", passed, failed);
  }
  return failed == 0 ? exit_pass : exit_authoring;
}

constexpr std::pair<const char*, int (*)(const Arguments&)> dev_verbs[] = {
    {"check", dev_check},
    {"new", dev_new},
    {"mutate", dev_mutate},
    {"stats", dev_stats},
    {"book", dev_book},
    {"coverage", write_coverage},
};

int run_dev(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, part] : dev_verbs) {
    if (arguments.words.at(0) == name) return part(arguments);
    names.emplace_back(name);
  }
  throw Stop{
      exit_usage,
      "dev has no part '" + arguments.words[0] + "'",
      near_names(arguments.words[0], names)};
}

}  // namespace

std::vector<const Exercise*> chosen_exercises(const Arguments& arguments) {
  std::vector<const Exercise*> all;
  if (arguments.words.size() > 1) return {&find_exercise(arguments.words[1])};
  for (const Exercise& exercise : course())
    all.push_back(&exercise);
  return all;
}

extern const Command dev_command{
    .name = "dev",
    .summary = "for authors: dev new NN_name, check, mutate, stats, book, coverage",
    .positional =
        {"PART",
         "new NN_name: an exercise to start from; check [NN]: is it fit for a class? mutate [NN]: "
         "generic wrong answers; stats; book: the pages of docs/course; coverage: what of Theano "
         "there is",
         1,
         2},
    .options =
        {
            {"--mutants", "", "check: also that each shipped wrong answer is rejected"},
            {"--texts", "", "check: the texts alone; nothing is built"},
            {"--list", "", "mutate: each change; book: each block and figure, and what holds it"},
            {"--sample", "N", "mutate: N changes of each exercise; one score for all"},
            {"--check", "", "book: compare with the pages in the tree, and write nothing"},
            {"--measure", "", "book: measure anew what the pages' tables and figures say"},
        },
    .run = run_dev,
};

}  // namespace hypatia::runner
