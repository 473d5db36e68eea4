// join_loops: two loops of dependent steps take the time of one where they run in one, because a
// step waits for its own operands only.
#include <algorithm>

#include "engine/plan/accesses.h"
#include "engine/plan/units.h"

namespace hypatia {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

LoopNest* loop_of(Step* step) {
  auto* work = std::get_if<KernelWork>(&step->work);
  const bool joins = work && work->nest.recurrence && work->nest.recurrence->until < 0;
  return joins ? &work->nest : nullptr;
}

bool fit(const Step& a, const LoopNest& first, const Step& b, const LoopNest& second) {
  return a.place == b.place && first.extents == second.extents &&
         first.recurrence->steps == second.recurrence->steps &&
         first.program.steps.size() + second.program.steps.size() <= most_program_steps;
}

/// Two nests as one: loads, literals and steps of the first, then of the second.
class Joined {
 public:
  explicit Joined(const LoopNest& first) { nest_.extents = first.extents; }

  LoopNest of(const LoopNest& first, const LoopNest& second) {
    time_.steps = first.recurrence->steps;
    std::vector<int> one, two;
    add_loads(first, &one);
    add_loads(second, &two);
    add_literals(first, &one);
    add_literals(second, &two);
    add_program(first, &one);
    add_program(second, &two);
    nest_.recurrence = std::move(time_);
    return std::move(nest_);
  }

 private:
  /// `map` gets the new number of each value.
  void add_loads(const LoopNest& nest, std::vector<int>* map) {
    const auto& time = *nest.recurrence;
    for (std::size_t i = 0; i < nest.loads.size(); ++i) {
      map->push_back(static_cast<int>(nest_.loads.size()));
      nest_.loads.push_back(nest.loads[i]);
      nest_.program.inputs.push_back(nest.loads[i].dtype);
      time_.load_strides.push_back(time.load_strides[i]);
    }
  }

  void add_literals(const LoopNest& nest, std::vector<int>* map) {
    for (const Array& value : nest.literals) {
      map->push_back(static_cast<int>(nest_.loads.size() + nest_.literals.size()));
      nest_.literals.push_back(value);
      nest_.program.inputs.push_back(value.dtype());
    }
  }

  void add_program(const LoopNest& nest, std::vector<int>* map) {
    for (ScalarStep step : nest.program.steps) {
      for (int& v : step.in)
        v = (*map)[at(v)];
      nest_.program.steps.push_back(std::move(step));
      const int last = static_cast<int>(nest_.program.steps.size()) - 1;
      map->push_back(nest_.program.value_of_step(last));
    }
    for (LoopNest::Store store : nest.stores) {
      store.value = (*map)[at(store.value)];
      nest_.stores.push_back(store);
    }
    const auto& time = *nest.recurrence;
    for (LoopNest::Recurrence::Chain chain : time.chains) {
      chain.value = (*map)[at(chain.value)];
      for (int& load : chain.loads)
        load = (*map)[at(load)];
      time_.chains.push_back(std::move(chain));
    }
    const auto append = [](std::vector<std::int64_t>* to, const std::vector<std::int64_t>& from) {
      to->insert(to->end(), from.begin(), from.end());
    };
    append(&time_.store_strides, time.store_strides);
    append(&time_.store_from, time.store_from);
  }

  LoopNest nest_;
  LoopNest::Recurrence time_;
};

/// The first step's work becomes a part of the second's.
void join(Step* first, Step* second) {
  LoopNest& later = *loop_of(second);
  const double weight = std::max(first->flops, 1.0), sum = weight + std::max(second->flops, 1.0);
  std::vector<StepShare> shares;
  for (StepShare share : first->shares)
    shares.push_back({share.node, share.share * weight / sum});
  for (StepShare share : second->shares)
    shares.push_back({share.node, share.share * (sum - weight) / sum});
  later = Joined(later).of(*loop_of(first), later);
  second->shares = std::move(shares);
  second->name = first->name + " and " + second->name;
  second->flops += first->flops;
  second->bytes += first->bytes;
}

/// Where a step may go to: a later loop that fits, with nothing between that has to do with it.
std::size_t partner_of(Plan* plan, std::size_t s) {
  std::vector<Step>& steps = plan->steps;
  const LoopNest* first = loop_of(&steps[s]);
  std::size_t inside = 0;  // the end of a loop of steps, which run more than once
  for (std::size_t later = s + 1; first && later < steps.size(); ++later) {
    if (!independent(*plan, steps[s], steps[later])) break;
    if (const auto* loop = std::get_if<LoopWork>(&steps[later].work)) {
      inside = later + 1 + at(loop->steps);
    }
    const LoopNest* second = later < inside ? nullptr : loop_of(&steps[later]);
    if (second && fit(steps[s], *first, steps[later], *second)) return later;
  }
  return s;
}

}  // namespace

void join_loops(Plan* plan) {
  std::size_t apart_until = 0;  // the end of a loop of steps, whose own were joined before
  for (std::size_t s = 0; s < plan->steps.size(); ++s) {
    if (const auto* loop = std::get_if<LoopWork>(&plan->steps[s].work)) {
      apart_until = std::max(apart_until, s + 1 + at(loop->steps));
    }
    if (s < apart_until) continue;
    const std::size_t later = partner_of(plan, s);
    if (later == s) continue;
    join(&plan->steps[s], &plan->steps[later]);
    plan->steps.erase(plan->steps.begin() + static_cast<std::ptrdiff_t>(s));
    --s;
  }
}

}  // namespace hypatia
