#pragma once
// The story of a function's rewrites, for people: what fired, on what, and what it saves.

#include <string>
#include <vector>

#include "engine/rewrite/pass.h"
#include "engine/trace/rewrites.h"

namespace hypatia {

/// What one run of the nodes that a rewrite takes away costs, and of those that it puts there.
struct RewriteCost {
  Cost before, after;
};

/// Sizes that are not known count as `assumed_size`.
RewriteCost cost_of(const Rewrite& rewrite);
inline constexpr std::int64_t assumed_size = 1000;

/// The passes in order, each with its time and nodes, and below it each rewrite with its rule, the
/// expression before and after, their costs, and the user's line.
std::string to_text(const RewriteLog& log, const std::string& function);

/// The same as plain data for a recording, under the function's id there. Of many rewrites it tells
/// the first `most_told` one by one.
std::vector<PassStory> story_of(const RewriteLog& log, std::uint32_t function);
inline constexpr std::size_t most_told = 5000;

}  // namespace hypatia
