#pragma once
// Who listens to a run. The executor calls an Observer at three places: a call, a step, a
// compilation. With none attached it costs one test of a null pointer.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/trace/event.h"
#include "engine/trace/records.h"
#include "engine/trace/rewrites.h"

namespace hypatia {

/// Hears everything; implementations must be callable from several threads at once.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Registrations return ids that count from 1.
  virtual std::uint32_t add_function(const FunctionRecord& function) = 0;
  /// Returns the id of the plan's first step; the others follow in order.
  virtual std::uint32_t add_plan(const PlanRecord& plan) = 0;
  virtual std::uint16_t add_lane(const LaneRecord& lane) = 0;
  virtual std::uint32_t add_detail(const DetailRecord& detail) = 0;

  /// How the graph of a registered function came to be; nobody need keep it.
  virtual void add_passes(std::span<const PassStory> passes) { static_cast<void>(passes); }

  /// A call begins; returns its number. `end_call` follows on the same thread.
  virtual std::uint32_t begin_call(std::uint32_t function) = 0;
  virtual void end_call(std::uint32_t function, std::uint32_t call, std::int64_t begin) = 0;

  /// Work of this step is submitted by this thread from here to `end_step`.
  virtual void begin_step(std::uint32_t call, std::uint32_t step) = 0;
  virtual void end_step(std::uint32_t call, std::uint32_t step, std::int64_t begin) = 0;

  /// True if device work is told apart by what it was captured for: calls then replay captures
  /// while this listens, as they do unobserved.
  virtual bool follows_replays() const { return false; }

  /// Work of this step is captured by this thread from here to `end_captured`. Submitting the
  /// capture, inside a step of its own, runs this step's work again: for the call that submits it
  /// if that is the call that captured it, else for one as many calls away.
  virtual void begin_captured(std::uint32_t call, std::uint32_t step) {
    static_cast<void>(call), static_cast<void>(step);
  }

  virtual void end_captured() {}

  /// Any other interval on the calling thread's lane.
  virtual void on(const Event& event) = 0;
  /// Something that a simulated device did. Real ones are read through CUPTI by the recorder.
  virtual void on(const Activity& activity) = 0;

  /// True if steps should run unmerged and be measured one by one (profile.split).
  virtual bool wants_split() const { return false; }
};

/// The step that this thread is submitting work for; kept by whoever calls begin_step.
struct CurrentStep {
  Observer* observer = nullptr;
  std::uint32_t call = 0, step = 0;
};

CurrentStep& current_step();

/// What a profiled function asks for.
struct ProfileRequest {
  std::string destination;  // a .hyp file, or "" for the default name
};

/// Makes observers for profiled functions; the profiler library registers itself here, so that the
/// engine needs no profiler to link. Null while none is linked.
using ObserverFactory = std::shared_ptr<Observer> (*)(const ProfileRequest&);
void set_observer_factory(ObserverFactory factory);
ObserverFactory observer_factory();

}  // namespace hypatia
