#pragma once
// Products and quotients as lists of factors: what cancels, and what becomes a sigmoid.

#include "engine/rewrite/rule.h"

namespace hypatia {

/// The product or quotient at a match with factors cancelled, exp(x)/(1 + exp(x)) joined, and a
/// sum of quotients multiplied out where each of its denominators cancels; no variable if nothing
/// of that applies. This is what keeps the gradient of log(p) and log(1 - p) finite where p
/// rounds to 0 or 1.
Variable simplify_product(const Match& match);

}  // namespace hypatia
