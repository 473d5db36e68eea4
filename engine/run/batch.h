#pragma once
// What several calls of a function need to do when only the last one's results are wanted.

#include <vector>

#include "engine/plan/plan.h"

namespace hypatia {

/// The most launches that one captured graph may hold: making a larger one takes longer than it
/// saves.
inline constexpr std::int64_t most_captured_launches = 4096;

/// By step, whether it only brings a result to the host, or lays it out there for the caller: what
/// it copies, nothing else reads.
std::vector<bool> steps_that_hand_out(const Plan& plan);

/// How many calls one submission should hold, at least 1: enough to hide a submission, few enough
/// to begin soon. If more than one, an even number, since new values alternate between two
/// storages.
int longest_batch(const Plan& plan);

}  // namespace hypatia
