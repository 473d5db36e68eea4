#pragma once
// The journal of a grading: its head and a line for each verdict, from which it goes on.

#include <map>
#include <string>

#include "exercises/runner/gradebook.h"

namespace hypatia::runner {

/// DIR/grading.jsonl. Lines are there whole or not at all. The file is locked while this lives.
class GradingJournal {
 public:
  /// Throws Stop (usage) if the folder holds a grading already and `resume` is not set, or the
  /// other way round, or another grading writes to it; (environment) if it can't be written.
  GradingJournal(const std::string& folder, bool resume);
  GradingJournal(const GradingJournal&) = delete;
  GradingJournal& operator=(const GradingJournal&) = delete;
  ~GradingJournal();

  /// Settles `seed` and `device`: those of the grading that goes on, else those asked for, which
  /// are written as its head. Throws Stop (usage) where a grading that goes on had others;
  /// "" asks for none.
  void begin(const std::string& asked_seed, const std::string& asked_device);

  /// A verdict of before; nullptr if there is none.
  const Result* find(const std::string& who, const std::string& exercise) const;
  /// Writes the verdict unless it is known as it is.
  void add(const Result& result);
  /// Likewise a learner's row.
  void add(const Learner& learner);

  /// As they were when the grading went on.
  const std::map<std::string, Learner>& learners() const { return learners_; }

  /// Whether a verdict on the exercise was there.
  bool has_graded(const std::string& exercise) const;

  std::string seed;
  std::string device;  // "": each exercise's usual one

 private:
  void open();
  void read();
  void write(const std::string& line);

  std::string folder_, path_;
  bool known_ = false;                                             // a head was read
  bool has_device_ = false;                                        // which told its device
  std::map<std::pair<std::string, std::string>, Result> results_;  // by who, exercise
  std::map<std::string, Learner> learners_;
  int file_ = -1;
};

}  // namespace hypatia::runner
