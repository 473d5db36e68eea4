#include "exercises/runner/attempt.h"

#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/state.h"

namespace hypatia::runner {

void remember(Verdict& verdict, const std::string& text) {
  const Exercise& exercise = *verdict.exercise;
  keep_snapshot(exercise, text);
  Entry entry;
  entry.exercise = exercise.id;
  entry.event = "check";
  entry.sha256 = verdict.sha256;
  entry.status = verdict.status;
  entry.tags = verdict.tags;
  entry.seconds = verdict.build_seconds + verdict.seconds;
  if (verdict.passed()) entry.measured = verdict.measured;
  record(entry);
  const Progress at = progress(exercise);
  verdict.attempts = at.attempts;
  verdict.hints_used = at.hints;
  verdict.predicted = first_answers(exercise);
}

Verdict attempt(const CheckRequest& request) {
  require_source(*request.exercise);
  const std::string text = read_file(request.exercise->source());
  Verdict verdict = check(request);
  or_warn("this check", [&] { remember(verdict, text); });
  return verdict;
}

}  // namespace hypatia::runner
