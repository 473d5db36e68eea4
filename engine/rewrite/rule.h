#pragma once
// A rule: a named line that says what is replaced by what. Patterns are expressions over holes,
// written with the same functions as user code.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/rewrite/pass.h"
#include "engine/rewrite/register.h"

namespace hypatia {

/// Where a rule's two sides agree, for the test that samples them.
enum class Domain : std::uint8_t { all, positive, unit, nonzero };

/// What a rule's left side matched: holes by number.
struct Match {
  const Apply& node;
  std::vector<Variable> holes;
};

/// One rule. Either `to` is given, or `build`, which may answer "not here" by an empty variable.
struct Rule {
  std::string_view name;
  Variable from;
  Variable to;
  Domain domain = Domain::all;
  bool keeps_nan = true;  // NaN and inf come out as they would have
  Variable (*build)(const Match& match) = nullptr;
  const Op* root = nullptr;  // without a pattern: the op on which `build` is tried
  Variable (*own_build)(const Apply& node, const Vars& holes) =
      nullptr;  // of rewrites from outside
};

using Rules = std::vector<Rule>;

/// Matches a pattern at a node. Constants match by value whatever their dtype.
bool match_pattern(const Variable& pattern, const Apply& node, std::vector<Variable>* holes);
/// The pattern with its holes filled; float constants take `dtype`.
Variable fill_pattern(const Variable& pattern, const std::vector<Variable>& holes, DType dtype);

/// Applies rules everywhere until none fires. Rules that undo each other are reported by name.
Graph apply_rules(
    const Graph& graph, const Rules& rules, std::string_view pass, const PassContext& context);

// The sets of rules.
const Rules& canonical_rules();
const Rules& stability_rules();
const Rules& special_rules();
/// All rules of the engine, for tests and the reference.
std::vector<const Rule*> all_rules();
/// How often each rule fired in this process, by name.
const std::unordered_map<std::string_view, long>& fired_rules();

}  // namespace hypatia
