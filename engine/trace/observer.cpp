#include "engine/trace/observer.h"

#include <atomic>

namespace hypatia {

namespace {
std::atomic<ObserverFactory> factory_in_use{nullptr};
}  // namespace

CurrentStep& current_step() {
  thread_local CurrentStep step;
  return step;
}

void set_observer_factory(ObserverFactory factory) {
  factory_in_use = factory;
}

ObserverFactory observer_factory() {
  return factory_in_use;
}

}  // namespace hypatia
