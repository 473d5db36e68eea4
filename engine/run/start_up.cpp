#include "engine/run/start_up.h"

#include <cstdio>
#include <mutex>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/run/host_algebra.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

void announce(Place place) {
  if (!config().boolean("print_active_device")) return;
  const DeviceInfo& info = device_at(place).info();
  const std::string context = place.context == 0 ? "None" : "dev" + std::to_string(place.context);
  std::fprintf(
      stderr,
      "Mapped name %s to device %s: %s%s\n",
      context.c_str(),
      info.name.c_str(),
      info.model.c_str(),
      info.simulated ? ": counts exact, time modelled" : "");
}

Place open_default() {
  const std::string device = config().device();
  if (device == "cpu") return host;
  const std::string reason = use_device(device, Place{0});
  if (reason.empty()) {
    announce(Place{0});
    if (device_at(Place{0}).info().simulated && config().modelled_host_time()) {
      use_modelled_clock(true);
    }
    return Place{0};
  }
  if (config().force_device()) {
    throw Error(
        Error::Kind::device,
        "device " + device + " was forced and can't be had: " + reason,
        "set force_device=False to fall back to the CPU, or device=sim for a simulated GPU");
  }
  std::fprintf(
      stderr, "Using the cpu: device %s can't be had: %s\n", device.c_str(), reason.c_str());
  return host;
}

}  // namespace

void print_notices() {
  for (const std::string& notice : config().take_notices())
    std::fprintf(stderr, "note: %s\n", notice.c_str());
}

Place default_place() {
  static std::mutex mutex;
  static bool opened = false;
  static Place place;
  const std::lock_guard lock(mutex);
  print_notices();
  if (!opened) {
    use_host_algebra();
    place = open_default();
    opened = true;
  }
  return place;
}

Place open_place(Place place) {
  if (place.on_host() || place.context == 0) {
    const Place at = place.on_host() ? host : default_place();
    if (at == place) return place;
  }
  throw Error(
      Error::Kind::device,
      "there is no GPU behind this place in this process",
      "set HYPATIA_FLAGS=device=cuda or device=sim");
}

}  // namespace hypatia
