#pragma once
// What a verb of the `hypatia` command is: its words, its options and the function behind it.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia::runner {

/// The exit codes, the same for every verb.
enum Exit : int {
  exit_pass = 0,
  exit_not_yet = 1,      // tests or targets not met
  exit_usage = 2,        // a word of the command line is wrong
  exit_no_build = 3,     // the learner's file does not compile
  exit_timeout = 4,      // killed after its time limit
  exit_crash = 5,        // a signal or a sanitizer ended it
  exit_unsupported = 6,  // this machine can't; nothing was run
  exit_environment = 7,  // a tool, package or file is missing: not the user's code
  exit_authoring = 8,    // the exercise itself is wrong
};

/// An option of a verb. With no value name it is a switch.
struct Option {
  std::string name;   // "--device"
  std::string value;  // "D"; empty: a switch
  std::string help;
  bool writes = false;      // the value is a file that the verb writes
  std::string begins = {};  // how such a file begins: no other file is written over; "": any way
};

/// The words that follow a verb.
struct Positional {
  std::string name;  // "NN"; empty: none
  std::string help;
  int least = 0, most = 0;
};

/// What the user wrote, sorted by option name.
class Arguments {
 public:
  std::map<std::string, std::string, std::less<>> options;
  std::vector<std::string> words;    // the positionals
  std::vector<std::string> rest;     // what follows a lone --
  std::vector<std::string> unknown;  // never filled for the user: main refuses unknown options

  bool has(std::string_view option) const { return options.find(option) != options.end(); }

  /// The option's value, or `fallback` if it was not given.
  std::string value(std::string_view option, std::string_view fallback = "") const;
  /// The option's value as a number; throws Stop if it is none.
  double number(std::string_view option, double fallback) const;
  /// The option's value as a whole number of at least 1; throws Stop if it is none.
  int count(std::string_view option, int fallback) const;

  bool json() const { return has("--json"); }
};

/// One verb.
struct Command {
  std::string name;
  std::string summary;
  Positional positional;
  std::vector<Option> options;  // --json is added to every verb
  int (*run)(const Arguments&) = nullptr;
};

/// Throws Stop (usage) if a file that the verb is asked to write can't be, is one that it reads or
/// writes besides, or holds something else than that option writes: before its work, not after.
void require_outputs(const Command& command, const Arguments& arguments);

/// Every verb, in the order that --help shows.
const std::vector<const Command*>& commands();

/// Ends the command with an exit code and a sentence; `help` is one thing to try.
struct Stop {
  int code = exit_usage;
  std::string message;
  std::string help;
};

}  // namespace hypatia::runner
