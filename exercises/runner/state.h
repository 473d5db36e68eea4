#pragma once
// What the learner did: an append-only journal and content-addressed copies of their files.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exercises/runner/course.h"

namespace hypatia::runner {

/// One line of .hypatia/state.jsonl.
struct Entry {
  std::string time;      // "2026-01-31T12:00:00Z"
  std::string exercise;  // id
  std::string event;     // "check", "hint", "reset", "undo", "predict", "solution"
  std::string sha256;    // of the file at that moment
  std::string status;    // a check's: "pass", "fail", "build", "timeout", "crash"
  std::vector<std::string> tags;
  int level = 0;                           // a hint's
  double seconds = 0;                      // a check's
  std::map<std::string, double> answers;   // a prediction's, by question
  std::map<std::string, double> measured;  // a check's, by question
};

/// Appends a line; the time is filled in.
void record(Entry entry);
/// Remembers, or says on stderr why that can't be, and goes on: what a learner asked for does not
/// depend on it. `what` is "this check", "this hint".
void or_warn(const char* what, const std::function<void()>& remember);
/// The journal, oldest first. Lines that can't be read (a cut last line) are left out.
std::vector<Entry> journal();
/// The entries in a journal's text.
std::vector<Entry> journal_of(const std::string& text);
/// Keeps a copy of the exercise's file; returns its SHA-256.
std::string keep_snapshot(const Exercise& exercise, const std::string& text);
/// The snapshot of that hash (or its first digits). Throws Stop (usage) if there is none or
/// several.
std::string snapshot(const Exercise& exercise, const std::string& sha256);

/// Where the learner stands with an exercise.
struct Progress {
  bool tried = false, passed = false;
  int attempts = 0, hints = 0;
  std::vector<std::string> last_tags;  // of the last check
};

Progress progress(const Exercise& exercise);

}  // namespace hypatia::runner
