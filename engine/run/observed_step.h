#pragma once
// A step as an observer hears it: from construction to the end of the scope, also when it throws.

#include "engine/trace/clock.h"
#include "engine/trace/observer.h"

namespace hypatia {

/// Who listens. Nobody in a build without hooks, which is made to count what they cost
/// (bench/hooks).
inline Observer* heard_by(Observer* observer) {
#ifdef HYPATIA_WITHOUT_HOOKS
  observer = nullptr;
#endif
  return observer;
}

/// The step that this thread submits work for meanwhile. With `captured` its work is only captured.
/// Costs a null test where nobody listens.
class ObservedStep {
 public:
  ObservedStep(Observer* observer, std::uint32_t call, std::uint32_t step, bool captured)
      : observer_(heard_by(observer)), call_(call), step_(step), captured_(captured) {
    if (!observer_) return;
    begin_ = now();
    current_ = &current_step();
    outer_ = *current_;
    *current_ = {observer_, call_, step_};
    captured_ ? observer_->begin_captured(call_, step_) : observer_->begin_step(call_, step_);
  }

  ~ObservedStep() {
    if (!observer_) return;
    captured_ ? observer_->end_captured() : observer_->end_step(call_, step_, begin_);
    *current_ = outer_;
  }

  ObservedStep(const ObservedStep&) = delete;
  ObservedStep& operator=(const ObservedStep&) = delete;

 private:
  Observer* observer_;
  std::uint32_t call_, step_;
  bool captured_;
  std::int64_t begin_ = 0;
  CurrentStep* current_ = nullptr;  // this thread's
  CurrentStep outer_;
};

}  // namespace hypatia
