// One small JSON file a device. A file that can't be right counts as damaged, and is not used in
// part.

#include "profiler/record/roofs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/core/config.h"
#include "engine/core/cores.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/device/cpu/cache.h"

#include "profiler/record/header_fields.h"

namespace hypatia {

namespace {

constexpr int roofs_schema = 1;

/// What the rates depend on; the host's name is not of it, since containers change theirs.
std::string key_of(const DeviceInfo& device) {
  const std::int64_t gigabytes = (memory_bytes() + (std::int64_t{1} << 29)) >> 30;
  return cpu_identity() + '\n' + std::to_string(usable_cores()) + '\n' + std::to_string(gigabytes) +
         '\n' + device.name + '\n' + device.model;
}

bool plausible(double rate) {
  return std::isfinite(rate) && rate >= 0;
}

/// Changes `limits` only if all of it is right.
bool read_rates(const nlohmann::json& document, Limits& limits) {
  if (!document.is_object() || document.value("schema", 0) != roofs_schema) return false;
  const auto rates = document.find("rates");
  if (rates == document.end() || !rates->is_object() || rates->empty()) return false;
  Limits read = limits;
  bool good = true;
  visit_rates(read, [&](const char* name, double& field) {
    const auto rate = rates->find(name);
    if (rate == rates->end()) return;
    good = good && rate->is_number() && plausible(rate->get<double>());
    if (good && rate->get<double>() > 0) field = rate->get<double>();
  });
  if (good) limits = read;
  return good;
}

}  // namespace

RoofStore::RoofStore(const std::string& folder)
    : folder_(folder.empty() ? config().base_compiledir() + "/roofs" : folder) {}

std::string RoofStore::file(const DeviceInfo& device) const {
  return folder_ + "/" + device.name + "-" + digest(key_of(device)) + ".json";
}

void RoofStore::store(const DeviceInfo& device) const {
  nlohmann::ordered_json document{
      {"schema", roofs_schema}, {"name", device.name}, {"model", device.model}};
  visit_rates(device.limits, [&](const char* name, double rate) {
    if (rate > 0) document["rates"][name] = rate;
  });
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);  // the write says why if it can't be
  write_file(file(device), document.dump(1) + "\n");
}

RoofStore::Found RoofStore::apply(DeviceInfo& device) const {
  const std::string path = file(device);
  std::error_code failed;
  if (device.simulated || !std::filesystem::exists(path, failed)) return Found::absent;
  try {
    const auto document = nlohmann::json::parse(read_file(path), nullptr, false);
    return read_rates(document, device.limits) ? Found::good : Found::damaged;
  } catch (const std::exception&) {
    return Found::damaged;
  }
}

void DeviceRoofs::apply_to(DeviceInfo& device) {
  const auto known = known_.find(device.name);
  if (known != known_.end()) {
    device.limits = known->second;
    return;
  }
  const RoofStore store(folder_);
  if (store.apply(device) == RoofStore::Found::damaged) {
    complaints_.push_back(
        "The measured roofs of " + device.name + " are damaged and not used (" +
        store.file(device) + "): ./hypatia doctor --roofs measures them again.");
  }
  known_.emplace(device.name, device.limits);
}

std::vector<DeviceInfo> DeviceRoofs::apply(std::vector<DeviceInfo> open) {
  const auto is_cpu = [](const DeviceInfo& device) { return device.name == "cpu"; };
  const bool opened = std::any_of(open.begin(), open.end(), is_cpu);
  if (!opened) open.push_back(describe_cpu());
  for (DeviceInfo& device : open)
    apply_to(device);
  if (!opened && open.back().limits.f32_flops <= 0) open.pop_back();
  return open;
}

std::vector<std::string> DeviceRoofs::take_complaints() {
  return std::exchange(complaints_, {});
}

DeviceInfo describe_cpu() {
  DeviceInfo cpu;
  cpu.name = "cpu";
  cpu.model = cpu_model();
  cpu.limits.memory_bytes = memory_bytes();
  cpu.limits.cache_bytes = last_cache_bytes();
  cpu.limits.multiprocessors = usable_cores();
  return cpu;
}

}  // namespace hypatia
