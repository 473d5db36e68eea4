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
  const Ref<Replay> replay = device.end_capture(nullptr);
  device.submit(*replay, nullptr);
  device.synchronize();
  const KnownStep& known = steps_[step - 1];
  show_({known.function, known.name, known.plan, known.step, device, *replay});
}

}  // namespace hypatia::kernel_loops
