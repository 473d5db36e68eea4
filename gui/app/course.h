#pragma once
// The course, seen through the `hypatia` command: its exercises and their state, and the command
// that is running now.

#include <string>
#include <vector>

#include "gui/app/process.h"

namespace hypatia::gui {

struct Exercise {
  std::string id;     // "03_logistic_regression"
  std::string title;  // what it teaches
  int attempts = 0;
  std::string state;  // "passed" or "pending", as the runner says it
};

/// What a person wants of a command when it has ended.
enum class Aim { output, profile, comparison };

/// Talks to the runner; every command's output is kept line by line.
class Course {
 public:
  /// The program to start: HYPATIA_COMMAND, or the runner built beside this program, or ./hypatia
  /// found upward from the working folder or from this program, or `hypatia` on the PATH.
  static std::string command();

  /// Asks for the list of exercises, once; again if `again`.
  void list(bool again = false);
  /// Runs a verb with arguments, and after it the one of `next`, if the first ended well; their
  /// output is in `lines`.
  void start(
      const std::vector<std::string>& arguments,
      Aim aim = Aim::output,
      std::vector<std::string> next = {});

  void stop() {
    next_.clear();
    process_.stop();
  }

  /// Takes in output; true if something changed.
  bool poll();

  const std::vector<Exercise>& exercises() const { return exercises_; }

  const std::vector<std::string>& lines() const { return lines_; }

  bool running() const { return process_.running() || listing_.running(); }

  /// A command runs, or the next one is about to.
  bool busy() const { return process_.running() || !next_.empty(); }

  /// The command that runs or ran last, "check 03"; empty if none did.
  const std::string& title() const { return title_; }

  int status() const { return process_.status(); }

  /// Why there is no list; empty if there is one.
  const std::string& error() const { return error_; }

  /// The file that the command records to; empty if it records nothing.
  const std::string& recording() const { return recording_; }

  /// A recording that the command has begun to write and that was not opened yet; empty if none.
  std::string take_recording();

  /// True once, after the last command of a start ended well: what it was for, and its recordings
  /// in order.
  bool take_end(Aim& aim, std::vector<std::string>& recordings);

 private:
  void launch(const std::vector<std::string>& arguments);
  void ended();
  void read_list(const std::vector<std::string>& lines);

  Process process_, listing_;
  bool listed_ = false;
  std::vector<std::string> list_lines_;
  std::vector<Exercise> exercises_;
  std::vector<std::string> lines_;
  std::string title_, error_, recording_;
  std::vector<std::string> next_, recordings_;
  Aim aim_ = Aim::output;
  bool opened_ = false, end_ = false;
};

}  // namespace hypatia::gui
