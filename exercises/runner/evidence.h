#pragma once
// What blocks of a page are compared with: what commands print, and code.

#include <map>
#include <string>
#include <vector>

namespace hypatia::runner {

/// Runs the commands of a page in a folder of their own, each once.
class Trials {
 public:
  Trials();
  ~Trials();
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  /// What the last of "./hypatia run 03 --profile a.hyp; ./hypatia profile a.hyp --text" prints.
  /// Throws Stop (authoring) if one of them fails.
  const std::string& printed_by(const std::string& commands);

 private:
  std::string folder_;
  std::map<std::string, std::string> printed_;
};

/// The lines of a block that a command does not print: what is measured anew in each run is masked,
/// counts are exact, lines may come in another order and with others between. "..." and "…" stand
/// for any word.
std::vector<std::string> lines_not_printed(
    const std::vector<std::string>& block, const std::string& output);
/// The lines of a block that are not in the code, blanks apart; "______" is anything, and so is
/// what follows "//".
std::vector<std::string> lines_not_in_code(
    const std::vector<std::string>& block, const std::string& code);

}  // namespace hypatia::runner
