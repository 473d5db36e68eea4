#pragma once
// Listens to a program's functions and catches each step on the GPU the first time it runs: its
// work is captured, shown, run as it should be, and shown again.

#include <cstdint>
#include <span>
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
  Device* device = nullptr;
  Ref<Replay> replay;  // its work
};

/// Whom a catcher shows what it caught. The GPU is idle then.
class Audience {
 public:
  virtual ~Audience() = default;

  /// The step's work is about to run.
  virtual void before(const CaughtStep& step) = 0;
  /// It has run.
  virtual void after(const CaughtStep& step) = 0;
  /// Steps that ran one after another, with nothing of the host and no copy between them: what the
  /// engine submits as one graph.
  virtual void after_all(std::span<const CaughtStep> steps) = 0;
};

class Catcher final : public Observer {
 public:
  explicit Catcher(Audience& audience) : audience_(audience) {}

  std::uint32_t add_function(const FunctionRecord& function) override;
  std::uint32_t add_plan(const PlanRecord& plan) override;

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return 1; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override { together_.clear(); }

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

  bool gpu_goes_on_after(std::size_t step) const;

  Audience& audience_;
  std::vector<std::string> functions_;
  std::vector<KnownStep> steps_;  // id 1 first
  int plans_ = 0;
  Device* capturing_ = nullptr;
  std::vector<CaughtStep> together_;  // without anything else between them so far
};

}  // namespace hypatia::kernel_loops
