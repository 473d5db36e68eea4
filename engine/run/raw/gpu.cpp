#include "engine/run/raw/gpu.h"

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/ops/transfer.h"
#include "engine/run/start_up.h"

namespace hypatia::cuda {

Place gpu_place(const std::string& target) {
  const Place asked = place_named(target);
  if (!target.empty() && !asked.on_host()) return asked;
  const Place place = default_place();
  if (!place.on_host() && !asked.on_host()) return place;
  if (!asked.on_host() && open_contexts() > 0) return Place{0};
  throw Error(
      Error::Kind::device,
      "a raw kernel needs a GPU, and this program runs on the cpu",
      "set HYPATIA_FLAGS=device=cuda, or device=sim for a simulated GPU (./hypatia run NN --device "
      "sim)");
}

Device& gpu(const std::string& target) {
  return device_at(gpu_place(target));
}

Observer* process_observer() {
  if (!config().profile()) return nullptr;
  const ObserverFactory make = observer_factory();
  if (!make) return nullptr;
  // Kept to the end: launches of static lifetime may report.
  static const std::shared_ptr<Observer>& observer =
      *new std::shared_ptr<Observer>(make(ProfileRequest{}));
  return observer.get();
}

Heard::Heard() : outer_(current_step()) {
  if (!outer_.observer) current_step() = {process_observer(), 0, 0};
}

Heard::~Heard() {
  current_step() = outer_;
}

}  // namespace hypatia::cuda
