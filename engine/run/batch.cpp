#include "engine/run/batch.h"

#include <algorithm>

#include "engine/plan/accesses.h"

namespace hypatia {

namespace {

bool only_copies(const LoopNest& nest) {
  return nest.program.steps.empty() && nest.folds.empty() && nest.gathers.empty() &&
         !nest.recurrence;
}

bool only_copies(const Step& step) {
  if (std::holds_alternative<CopyWork>(step.work)) return true;
  const auto* kernel = std::get_if<KernelWork>(&step.work);
  return kernel && !kernel->own && only_copies(kernel->nest) &&
         std::all_of(kernel->beside.begin(), kernel->beside.end(), [](const LoopNest& nest) {
           return only_copies(nest);
         });
}

std::vector<bool> inside_loops(const Plan& plan) {
  std::vector<bool> inside(plan.steps.size(), false);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const auto* loop = std::get_if<LoopWork>(&plan.steps[s].work);
    if (!loop) continue;
    const auto first = inside.begin() + static_cast<std::ptrdiff_t>(s + 1);
    std::fill(first, first + loop->steps, true);
  }
  return inside;
}

}  // namespace

std::vector<bool> steps_that_hand_out(const Plan& plan) {
  std::vector<bool> hand_out(plan.steps.size(), false);
  std::vector<bool> wanted(plan.buffers.size(), false);  // by a later step, or the next call
  const std::vector<bool> inside = inside_loops(plan);
  const auto root = [&](int buffer) { return static_cast<std::size_t>(root_of(plan, buffer)); };
  for (std::size_t s = plan.steps.size(); s-- > 0;) {
    const Step& step = plan.steps[s];
    bool for_the_caller = !inside[s] && only_copies(step);
    for_each_access(step, [&](const Located& at, bool writes) {
      const Buffer& to = plan.buffers[root(at.buffer)];
      const bool handed = to.kind == BufferKind::output || to.kind == BufferKind::temporary;
      if (writes && !(to.place.on_host() && handed && !wanted[root(at.buffer)]))
        for_the_caller = false;
    });
    hand_out[s] = for_the_caller;
    if (for_the_caller) continue;
    for_each_access(step, [&](const Located& at, bool writes) {
      if (!writes) wanted[root(at.buffer)] = true;
    });
    for_each_scratch(step, [&](int buffer) { wanted[root(buffer)] = true; });
    if (const auto* loop = std::get_if<LoopWork>(&step.work); loop && loop->until >= 0) {
      wanted[root(loop->until)] = true;
    }
  }
  return hand_out;
}

int longest_batch(const Plan& plan) {
  constexpr std::int64_t most_calls = 64;
  const std::vector<bool> hand_out = steps_that_hand_out(plan);
  std::int64_t launches = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const auto* loop = std::get_if<LoopWork>(&plan.steps[s].work);
    launches += loop ? loop->trips * loop->steps : static_cast<int>(!hand_out[s]);
    if (loop) s += static_cast<std::size_t>(loop->steps);
  }
  const std::int64_t fit = most_captured_launches / std::max<std::int64_t>(1, launches);
  const auto calls = static_cast<int>(std::min(most_calls, fit));
  return calls < 2 ? 1 : calls / 2 * 2;
}

}  // namespace hypatia
