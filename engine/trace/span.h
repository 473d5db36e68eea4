#pragma once
// An interval that reports itself when it ends; costs a null test when nobody listens.

#include <string>
#include <string_view>

#include "engine/trace/clock.h"
#include "engine/trace/observer.h"

namespace hypatia {

/// Reports `kind` from its construction to its end.
class Span {
 public:
  Span(Observer* observer, EventKind kind, std::uint32_t detail = 0)
      : observer_(observer), kind_(kind), detail_(detail), begin_(observer ? now() : 0) {}

  /// The same under a name of its own.
  Span(Observer* observer, EventKind kind, std::string_view name)
      : Span(observer, kind, observer ? detail_of(*observer, name) : 0) {}

  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  ~Span() {
    if (!observer_) return;
    const CurrentStep& step = current_step();
    observer_->on(Event{begin_, now(), step.call, step.step, detail_, 0, kind_, 0});
  }

 private:
  static std::uint32_t detail_of(Observer& observer, std::string_view name) {
    DetailRecord detail;
    detail.name = name;
    return observer.add_detail(detail);
  }

  Observer* observer_;
  EventKind kind_;
  std::uint32_t detail_;
  std::int64_t begin_;
};

}  // namespace hypatia
