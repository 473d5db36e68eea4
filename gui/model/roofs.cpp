// From the header's limits and the account's rates.

#include "gui/model/roofs.h"

namespace hypatia::gui {

std::vector<Roof> roofs_of(const Recording& recording) {
  std::vector<Roof> out;
  for (const DeviceInfo& device : recording.header().devices) {
    const Limits& limits = device.limits;
    const bool cpu = device.name == "cpu";
    if (limits.f32_flops > 0 && limits.memory_bandwidth > 0)
      out.push_back(
          {device.name,
           cpu ? Side::cpu : Side::gpu,
           limits.f32_flops,
           limits.memory_bandwidth,
           limits.cache_bandwidth});
    if (!cpu && limits.copy_in_bandwidth > 0)
      out.push_back({"link", Side::transfer, limits.f32_flops, limits.copy_in_bandwidth});
  }
  return out;
}

RoofDot roof_dot(const Profile& profile, int node) {
  const Rate& rate = profile.node(node).account->rate;
  if (!(rate.flops > 0) || !(rate.bytes > 0) || !(rate.gflops > 0)) return {};
  return {node, rate.flops / rate.bytes, rate.gflops * 1e9};
}

}  // namespace hypatia::gui
