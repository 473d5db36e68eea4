#pragma once
// What to do about a recording: rules, each with numbers as evidence, a fix and what it would gain.

#include <string>
#include <vector>

#include "profiler/analyze/account.h"

namespace hypatia {

struct Advice {
  std::string rule;      // "transfers", "small-grid": stable, for tests and links
  std::string title;     // one line
  std::string evidence;  // with numbers
  std::string fix;
  std::string lesson;         // the exercise that teaches it: "08_curse_of_transfers"; may be empty
  double gain = 0;            // nanoseconds over the whole recording, an estimate; 0: unknown
  double confidence = 0;      // 0 to 1
  std::vector<NodeId> nodes;  // what it is about
  bool positive = false;      // nothing to do
};

/// One a rule, whatever the number of places that it holds for: `nodes` has all, the words are of
/// the one that gains most. By falling gain; a positive verdict comes last. Empty if no rule has
/// anything to say. The functions of the engine's own checks are not looked at.
std::vector<Advice> advise(const Recording& recording, const Account& account);

}  // namespace hypatia
