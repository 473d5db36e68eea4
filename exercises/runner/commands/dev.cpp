// `hypatia dev`: for authors. `check` proves that each exercise is fit for a class, `coverage`
// writes the page of what of Theano there is.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/coverage.h"
#include "exercises/runner/places.h"
#include "exercises/runner/proof.h"
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

int run_dev(const Arguments& arguments) {
  if (arguments.words.at(0) == "coverage") return write_coverage(arguments);
  if (arguments.words[0] != "check") {
    throw Stop{
        exit_usage,
        "dev has no part '" + arguments.words[0] + "'",
        near_names(arguments.words[0], {"check", "coverage"})};
  }
  std::vector<const Exercise*> chosen;
  if (arguments.words.size() > 1) {
    chosen.push_back(&find_exercise(arguments.words[1]));
  } else {
    for (const Exercise& exercise : course())
      chosen.push_back(&exercise);
  }
  int failed = 0, passed = 0;
  nlohmann::json all = nlohmann::json::array();
  for (const Exercise* exercise : chosen) {
    for (const Proof& proof : prove(*exercise, arguments.has("--mutants"))) {
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

}  // namespace

extern const Command dev_command{
    .name = "dev",
    .summary =
        "for authors: dev check [NN] proves exercises, dev coverage writes a page of the docs",
    .positional = {"PART", "check (then an exercise, or nothing for all) or coverage", 1, 2},
    .options = {{"--mutants", "", "also that each shipped wrong answer is rejected"}},
    .run = run_dev,
};

}  // namespace hypatia::runner
