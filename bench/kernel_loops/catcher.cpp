#include "bench/kernel_loops/catcher.h"

#include <utility>

#include "engine/run/start_up.h"

namespace hypatia::kernel_loops {

std::uint32_t Catcher::add_function(const FunctionRecord& function) {
  functions_.push_back(function.name);
  return static_cast<std::uint32_t>(functions_.size());
}

std::uint32_t Catcher::add_plan(const PlanRecord& plan) {
  const auto first = static_cast<std::uint32_t>(steps_.size() + 1);
  int number = 0;
  for (const StepRecord& step : plan.steps) {
    const bool on_gpu = step.side == Side::gpu;
    steps_.push_back({functions_[plan.function - 1], step.name, plans_, number++, on_gpu, false});
  }
  ++plans_;
  return first;
}

/// Of steps that a recording numbers from `step` on, whether the next one is the GPU's.
bool Catcher::gpu_goes_on_after(std::size_t step) const {
  return step + 1 < steps_.size() && steps_[step + 1].plan == steps_[step].plan &&
         steps_[step + 1].on_gpu;
}

void Catcher::begin_step(std::uint32_t, std::uint32_t step) {
  KnownStep& known = steps_[step - 1];
  if (!known.on_gpu || known.caught) return;
  known.caught = true;
  capturing_ = &device_at(default_place());
  capturing_->begin_capture(nullptr);
}

void Catcher::end_step(std::uint32_t, std::uint32_t step, std::int64_t) {
  if (!capturing_) return;
  Device& device = *std::exchange(capturing_, nullptr);
  const KnownStep& known = steps_[step - 1];
  together_.push_back(
      {known.function, known.name, known.plan, known.step, &device, device.end_capture(nullptr)});
  device.synchronize();
  audience_.before(together_.back());
  device.submit(*together_.back().replay, nullptr);
  device.synchronize();
  audience_.after(together_.back());
  if (gpu_goes_on_after(step - 1)) return;
  audience_.after_all(together_);
  together_.clear();
}

}  // namespace hypatia::kernel_loops
