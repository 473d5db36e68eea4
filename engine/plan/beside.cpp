// run_beside: a launch costs a GPU more than a short kernel's work, so that neighbours which need
// nothing of each other share one.
#include <algorithm>

#include "engine/plan/accesses.h"
#include "engine/plan/units.h"

namespace hypatia {

namespace {

// Of two kernels the shorter one has at most so many points: it leaves most of the card idle.
constexpr std::int64_t short_kernel = 65'536;
// A launch of many nests is long to compile and passes many addresses.
constexpr std::size_t most_nests = 8;

std::int64_t points(const KernelWork& work) {
  std::int64_t most = elements(work.nest.extents);
  for (const LoopNest& nest : work.beside)
    most = std::max(most, elements(nest.extents));
  return most;
}

std::size_t size_of_programs(const KernelWork& work) {
  std::size_t steps = work.nest.program.steps.size() + work.nest.epilogue.program.steps.size();
  for (const LoopNest& nest : work.beside)
    steps += nest.program.steps.size() + nest.epilogue.program.steps.size();
  return steps;
}

/// A step as a kernel that may share a launch, or null.
KernelWork* sharable(Step& step) {
  auto* work = std::get_if<KernelWork>(&step.work);
  const bool one_launch =
      work && work->chunks == 0 && !step.place.on_host() && !work->own && !work->nest.recurrence;
  return one_launch && elements(work->nest.extents) > 0 ? work : nullptr;
}

bool may_share(const Plan& plan, Step& a, Step& b) {
  const KernelWork *first = sharable(a), *second = sharable(b);
  if (!first || !second || !(a.place == b.place) || !second->beside.empty()) return false;
  if (std::min(points(*first), points(*second)) > short_kernel) return false;
  if (first->beside.size() + 2 > most_nests) return false;
  if (size_of_programs(*first) + size_of_programs(*second) > most_program_steps) return false;
  return independent(plan, a, b);
}

/// Each step's part of the shares is its part of the bytes moved and the work done.
void share(Step* into, const Step& from) {
  const double a = into->bytes + into->flops + 1, b = from.bytes + from.flops + 1;
  for (StepShare& s : into->shares)
    s.share *= a / (a + b);
  for (StepShare s : from.shares) {
    s.share *= b / (a + b);
    into->shares.push_back(s);
  }
  into->name += " | " + from.name;
  into->bytes += from.bytes;
  into->flops += from.flops;
}

}  // namespace

void run_beside(Plan* plan) {
  std::vector<Step> steps;
  int in_body = 0;
  bool after_body = false;
  for (Step& step : plan->steps) {
    // A loop counts the steps of its body, which were joined when the body was planned.
    const auto* loop = std::get_if<LoopWork>(&step.work);
    const bool apart = loop || in_body > 0 || after_body;
    after_body = in_body == 1;
    in_body = std::max(in_body - 1, 0) + (loop ? loop->steps : 0);
    if (apart || steps.empty() || !may_share(*plan, steps.back(), step)) {
      steps.push_back(std::move(step));
      continue;
    }
    share(&steps.back(), step);
    std::get<KernelWork>(steps.back().work)
        .beside.push_back(std::move(std::get<KernelWork>(step.work).nest));
  }
  plan->steps = std::move(steps);
}

}  // namespace hypatia
