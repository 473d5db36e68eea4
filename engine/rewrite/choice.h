#pragma once
// Which passes and rules run: the optimizer's name, and the flags that add and take away.

#include <string>
#include <string_view>
#include <vector>

#include "engine/rewrite/pass.h"

namespace hypatia {

/// A choice among passes and rules. A word names a pass ("fuse", "fold"), all rules of a pass, or
/// one rule ("log_one_plus"); Theano's "fusion", "constant_folding" and "BlasOpt" are known too.
class RewriteChoice {
 public:
  /// By an optimizer's name ("o3", "stabilize", "None", …) and the flags optimizer_excluding,
  /// optimizer_including, optimizer_requiring, on_opt_error and optdb.max_use_ratio of this moment.
  explicit RewriteChoice(std::string_view optimizer);

  bool takes(const Pass& pass) const;

  bool takes_rule(std::string_view rule) const { return !among(excluded_, rule); }

  /// What a rule that threw means: "warn", "raise" or "ignore".
  std::string_view on_error() const { return on_error_; }

  /// The most applications of one pass's rules on a graph of so many nodes.
  double most_applications(int nodes) const;

 private:
  static bool among(const std::vector<std::string>& words, std::string_view name);

  int level_ = 4;
  bool only_merge_ = false, until_stable_ = false;
  std::vector<std::string> excluded_, included_, required_;
  std::string_view on_error_;
  double ratio_ = 8;
};

}  // namespace hypatia
