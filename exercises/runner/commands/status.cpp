// `hypatia status`: how far the learner is, and what to do next.
#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/state.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

const Exercise* first_pending(int& passed) {
  const Exercise* pending = nullptr;
  passed = 0;
  for (const Exercise& exercise : course()) {
    if (progress(exercise).passed) {
      ++passed;
    } else if (!pending) {
      pending = &exercise;
    }
  }
  return pending;
}

int run_status(const Arguments& arguments) {
  int passed = 0;
  const Exercise* pending = first_pending(passed);
  const std::size_t of = course().size();
  const Calibration predictions = calibration();
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1},
        {"passed", passed},
        {"exercises", of},
        {"next", pending ? nlohmann::json(pending->id) : nlohmann::json()},
        {"predictions", {{"compared", predictions.compared}, {"right", predictions.right}}},
    };
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  std::printf("%d of %zu exercises passed\n", passed, of);
  if (predictions.compared > 0) {
    std::printf("%s\n", to_text(predictions).c_str());
  }
  if (passed == 0) {
    std::printf("  ./hypatia tour          see every solution run, with its times\n");
  }
  if (pending) {
    std::printf(
        "  ./hypatia run %s        start with %s\n",
        pending->number.c_str(),
        shown(pending->source()).c_str());
    std::printf("  ./hypatia check %s      check it\n", pending->number.c_str());
  }
  std::printf("  ./hypatia --help        every verb\n");
  return exit_pass;
}

int run_next(const Arguments& arguments) {
  int passed = 0;
  const Exercise* pending = first_pending(passed);
  if (arguments.json()) return run_status(arguments);
  if (!pending) {
    std::printf("All %d exercises are passed.\n", passed);
    return exit_pass;
  }
  std::printf("%s\n", without_holds(read_file(pending->folder + "/README.md")).c_str());
  std::printf("%s: %s\n", shown(pending->source()).c_str(), pending->title.c_str());
  std::printf(
      "  next      ./hypatia run %s, then ./hypatia check %s\n",
      pending->number.c_str(),
      pending->number.c_str());
  return exit_pass;
}

}  // namespace

extern const Command status_command{
    .name = "status",
    .summary = "how far you are",
    .positional = {},
    .options = {},
    .run = run_status,
};

extern const Command next_command{
    .name = "next",
    .summary = "the first exercise you have not passed, and its text",
    .positional = {},
    .options = {},
    .run = run_next,
};

}  // namespace hypatia::runner
