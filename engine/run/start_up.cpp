#include "engine/run/start_up.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string_view>

#include "engine/core/config.h"
#include "engine/core/contexts.h"
#include "engine/core/error.h"
#include "engine/device/cuda/cudnn.h"
#include "engine/device/device.h"
#include "engine/run/host_algebra.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

/// With dnn.enabled=True a GPU without cuDNN is an error; else convolutions are kernels of their
/// ops.
void look_for_cudnn(const std::string& context) {
  const std::string_view wanted = config().choice("dnn.enabled");
  if (wanted == "False") return;
  const FoundCudnn found = find_cudnn();
  // All of cuDNN takes long to load: where it is not required, the first large convolution does
  // that.
  const std::string missing = wanted == "True" ? why_no_cudnn() : found.reason;
  if (wanted == "True" && !missing.empty()) {
    throw Error(
        Error::Kind::device,
        "dnn.enabled=True, and cuDNN can't be had: " + missing,
        "set dnn.enabled=auto: without cuDNN, kernels made here run convolutions");
  }
  if (!config().boolean("print_active_device")) return;
  if (found.version == 0) {
    std::fprintf(
        stderr, "Can not use cuDNN on context %s: %s\n", context.c_str(), found.reason.c_str());
    return;
  }
  std::fprintf(
      stderr,
      "Using cuDNN version %zu on context %s, for %s convolutions\n",
      found.version,
      context.c_str(),
      wanted == "True" ? "all" : "large");
}

void announce(Place place) {
  const DeviceInfo& info = device_at(place).info();
  const std::string context = context_name(place);
  if (!info.simulated) look_for_cudnn(context);
  if (!config().boolean("print_active_device")) return;
  std::fprintf(
      stderr,
      "Mapped name %s to device %s: %s%s\n",
      context.c_str(),
      info.name.c_str(),
      info.model.c_str(),
      info.simulated ? ": counts exact, time modelled" : "");
}

/// Opens a device once and says so; returns the reason if it can't be had.
std::string open_once(const std::string& device, Place place) {
  static std::mutex mutex;
  static std::set<std::int8_t> announced;
  const std::lock_guard lock(mutex);
  std::string reason = use_device(device, place);
  if (!reason.empty() || !announced.insert(place.context).second) return reason;
  announce(place);
  if (device_at(place).info().simulated && config().modelled_host_time()) use_modelled_clock(true);
  return reason;
}

/// init_gpu_device opens the default context, and moves nothing there unasked.
void open_without_moving() {
  const std::string device = config().init_gpu_device();
  if (device.empty() || device == "cpu") return;
  const std::string reason = open_once(device, Place{0});
  if (reason.empty()) return;
  std::fprintf(
      stderr, "init_gpu_device: device %s can't be had: %s\n", device.c_str(), reason.c_str());
}

Place open_default() {
  const std::string device = config().device();
  if (device == "cpu") {
    open_without_moving();
    return host;
  }
  const std::string reason = open_once(device, Place{0});
  if (reason.empty()) return Place{0};
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
  const Place by_default = default_place();
  if (place.on_host() || place == by_default) return place;
  const std::string device = device_of(place);
  const std::string help =
      "set HYPATIA_FLAGS=device=cuda or device=sim, or contexts=dev0->cuda0;dev1->cuda1";
  if (device == "cpu") {
    throw Error(Error::Kind::device, "there is no GPU behind this place in this process", help);
  }
  const std::string reason = open_once(device, place);
  if (reason.empty()) return place;
  throw Error(
      Error::Kind::device, "context " + context_name(place) + " can't be had: " + reason, help);
}

}  // namespace hypatia
