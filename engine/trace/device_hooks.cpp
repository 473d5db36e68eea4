#include "engine/trace/device_hooks.h"

#include <atomic>

namespace hypatia {

namespace {
std::atomic<void (*)(std::string_view)> opening{nullptr};
std::atomic<void (*)(Device&)> opened{nullptr};
}  // namespace

void set_device_hooks(const DeviceHooks& hooks) {
  opening = hooks.opening;
  opened = hooks.opened;
}

void announce_opening(std::string_view spec) {
  if (const auto hook = opening.load()) hook(spec);
}

void announce_opened(Device& device) {
  if (const auto hook = opened.load()) hook(device);
}

}  // namespace hypatia
