#pragma once
// Rewrites of one's own: one line from outside the engine, with their place in the pipeline.
//
//   register_rewrite({.name = "twice", .from = hole(0) + hole(0), .to = 2 * hole(0)},
//   "specialize");

#include <string_view>

#include "engine/expr/variable.h"

namespace hypatia {

/// A hole of a pattern: matches any value; the same hole twice matches the same value twice.
Variable hole(int number);

/// What stands there, and what comes in its place: an expression over the pattern's holes, or what
/// `build` makes of them (an empty variable: not here).
struct OwnRewrite {
  std::string_view name;  // a literal
  Variable from = {};
  Variable to = {};
  Variable (*build)(const Apply& node, const Vars& holes) = nullptr;
};

/// Adds a rewrite to a pass of the pipeline: "canonicalize", "stabilize" or "specialize". It is
/// tried after the engine's, in all functions made from now on, and its uses are part of their
/// rewrite story. Throws Error on other passes, on a rewrite without sides, and on a name that is
/// taken.
void register_rewrite(const OwnRewrite& rewrite, std::string_view pass);
/// Takes it out again.
void remove_rewrite(std::string_view name);

}  // namespace hypatia
