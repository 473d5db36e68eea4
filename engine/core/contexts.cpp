#include "engine/core/contexts.h"

#include "engine/core/config.h"

namespace hypatia {

std::string context_name(Place place) {
  if (place.on_host()) return "cpu";
  if (place.context == 0) return "None";
  const auto named = config().contexts();
  const auto number = static_cast<std::size_t>(place.context) - 1;
  return number < named.size() ? named[number].first : "dev" + std::to_string(place.context);
}

std::string device_of(Place place) {
  if (place.context <= 0) {
    const std::string device = config().device(), other = config().init_gpu_device();
    return device == "cpu" && !other.empty() ? other : device;
  }
  const auto named = config().contexts();
  const auto number = static_cast<std::size_t>(place.context) - 1;
  return number < named.size() ? named[number].second : "cpu";
}

int named_contexts() {
  return static_cast<int>(config().contexts().size());
}

}  // namespace hypatia
