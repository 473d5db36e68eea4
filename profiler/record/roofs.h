#pragma once
// What devices were once measured to do at most (`hypatia doctor --roofs`), kept beside the
// compiled kernels, so that recordings made later can say how near work came to it.

#include <map>
#include <string>
#include <vector>

#include "engine/device/limits.h"

namespace hypatia {

/// A folder of measured rates, a file a device of this machine: by processor, cores, memory and the
/// device's name and model.
class RoofStore {
 public:
  /// "": the folder roofs below the flag base_compiledir.
  explicit RoofStore(const std::string& folder = "");

  std::string file(const DeviceInfo& device) const;

  /// Writes the rates among the device's limits (flops and bytes a second). Throws Error of kind
  /// file if they can't be written.
  void store(const DeviceInfo& device) const;

  enum class Found { absent, damaged, good };

  /// Puts the measured rates in the place of the device's own; a rate that was not measured stays,
  /// and of a damaged file nothing is taken. Simulated devices keep their sheet's.
  Found apply(DeviceInfo& device) const;

 private:
  std::string folder_;
};

/// The devices of one recording, each with its measured rates; its file is read once.
class DeviceRoofs {
 public:
  /// The folder of a RoofStore, which is looked for at the first use.
  explicit DeviceRoofs(std::string folder) : folder_(std::move(folder)) {}

  /// Adds the cpu to the devices that are open, if it is not one of them and its rates are known.
  std::vector<DeviceInfo> apply(std::vector<DeviceInfo> open);

  /// Of files that were there and not used; each is told once.
  std::vector<std::string> take_complaints();

 private:
  void apply_to(DeviceInfo& device);

  std::string folder_;
  std::map<std::string, Limits> known_;  // by name
  std::vector<std::string> complaints_;
};

/// The host as a device: "cpu", its model, cores and memory, without rates.
DeviceInfo describe_cpu();

}  // namespace hypatia
