#include "engine/run/raw/gpu.h"

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/ops/transfer.h"
#include "engine/run/start_up.h"

namespace hypatia::cuda {

namespace {

Error no_gpu() {
  return Error(
      Error::Kind::device,
      "a raw kernel needs a GPU, and this program runs on the cpu",
      "set HYPATIA_FLAGS=device=cuda, or device=sim for a simulated GPU (./hypatia run NN --device "
      "sim)");
}

}  // namespace

Place gpu_place(const std::string& target) {
  const Place asked = place_named(target);
  if (!target.empty() && !asked.on_host()) return asked;
  if (asked.on_host()) throw no_gpu();
  const Place place = default_place();
  if (!place.on_host()) return place;
  const std::string beside = config().init_gpu_device();
  if (beside.empty()) throw no_gpu();
  const std::string reason = use_device(beside, Place{0});
  if (reason.empty()) return Place{0};
  throw Error(
      Error::Kind::device,
      "init_gpu_device=" + beside + " can't be had: " + reason,
      "set it to sim for a simulated GPU");
}

Device& gpu(const std::string& target) {
  const Place place = gpu_place(target);
  try {
    return device_at(place);
  } catch (const Error&) {
    throw Error(
        Error::Kind::device,
        "no device is open as '" + target + "'",
        "name it in the flag contexts, as in contexts=dev0->cuda0;dev1->cuda1");
  }
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
