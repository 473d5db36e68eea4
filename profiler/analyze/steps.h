#pragma once
// The first stage of accounting: what each step of each plan cost, over all calls.

#include <vector>

#include "profiler/analyze/account.h"

namespace hypatia {

/// By step id - 1; wall times are left at zero.
std::vector<StepAccount> account_steps(const Recording& recording);

/// Pairs each launch with the device work that it submitted.
struct Submission {
  Event launch, work;
  std::int64_t queued = 0;  // nanoseconds that the work waited behind earlier work of its lane
};

/// In order of call and step. Work inside captured graphs has no launch of its own and is left out.
std::vector<Submission> submissions(const Recording& recording);

}  // namespace hypatia
