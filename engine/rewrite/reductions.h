#pragma once
// What rules on sums need to look at: axes, and whether an exponent was made safe already.

#include "engine/rewrite/rule.h"

namespace hypatia {

/// sum(c x) as c sum(x) for a number c. Not sum(-x): others mostly read -x as well.
Variable sum_of_scaled(const Match& match);
/// log(sum(exp(x))) with the largest x taken out.
Variable log_of_summed_exp(const Match& match);
/// exp(x) / sum(exp(x)) with the largest x taken out.
Variable exp_over_summed_exp(const Match& match);

}  // namespace hypatia
