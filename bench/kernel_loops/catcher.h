#pragma once
// Listens to a program's functions and catches each step on the GPU the first time it runs: its
// work is captured, run as it should be, and shown.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/trace/observer.h"

namespace hypatia::kernel_loops {

/// A step on the GPU. `plan` counts the program's plans and `step` the plan's steps, from 0: the
/// order in which a recording has them.
struct CaughtStep {
  std::string function, name;
  int plan = 0, step = 0;
  Device& device;
  Replay& replay;  // its work, which has run once and is done
};

class Catcher final : public Observer {
 public:
  explicit Catcher(std::function<void(const CaughtStep&)> show) : show_(std::move(show)) {}

  std::uint32_t add_function(const FunctionRecord& function) override;
  std::uint32_t add_plan(const PlanRecord& plan) override;

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return 1; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void begin_step(std::uint32_t call, std::uint32_t step) override;
  void end_step(std::uint32_t call, std::uint32_t step, std::int64_t begin) override;

  void on(const Event&) override {}

  void on(const Activity&) override {}

 private:
  struct KnownStep {
    std::string function, name;
    int plan = 0, step = 0;
    bool on_gpu = false, caught = false;
  };

  std::function<void(const CaughtStep&)> show_;
  std::vector<std::string> functions_;
  std::vector<KnownStep> steps_;  // id 1 first
  int plans_ = 0;
  Device* capturing_ = nullptr;
};

}  // namespace hypatia::kernel_loops
