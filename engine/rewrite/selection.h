#pragma once
// Which passes and rules a function's graph goes through: an optimizer's, with names added and
// taken away.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia {

struct Pass;

/// A named selection of passes: "o2", "fast_run", "None".
struct Optimizer {
  std::string_view name;
  std::string_view doc;
  int level = 4;               // runs the passes of this level and below
  std::string_view last = "";  // the last pass but placing, where not the whole list runs
};

/// What the flag optimizer may be, each with what it means.
std::span<const Optimizer> optimizers();

/// An optimizer with rewrites named as in optimizer_including and its like: passes ("fuse"), rules
/// ("log_one_plus") or tags ("fusion", "inplace").
class RewriteSelection {
 public:
  struct Names {
    std::vector<std::string> included, excluded, required;
  };

  /// Throws Error that lists near names for what is none.
  RewriteSelection(std::string_view optimizer, const Names& names);

  bool runs(const Pass& pass) const;
  /// Whether a rule of a pass that runs may fire.
  bool allows(std::string_view pass, std::string_view rule) const;
  /// Whether the planner may let nodes share a kernel.
  bool merges_kernels() const;

 private:
  using Set = std::set<std::string, std::less<>>;

  bool by_level(const Pass& pass) const;

  const Optimizer* optimizer_;
  Set included_, excluded_, required_;
};

/// "fusion:inplace" as a list.
std::vector<std::string> rewrite_names(std::string_view joined);

}  // namespace hypatia
