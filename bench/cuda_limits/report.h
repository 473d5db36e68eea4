#pragma once
// What the program's parts say alike: shares of a list of times, the head of a result, its file.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/device/cuda/driver.h"

namespace hypatia::limits {

/// The value below which `share` of the values lie: 0 the least, 0.5 the median.
double at_share(std::vector<double> values, double share);

/// Suite, date, device and versions.
nlohmann::json head(const Driver& driver, CUdevice device, const char* suite, int rounds);

/// False if the file can't be written; never half of it.
bool write_by_rename(const std::string& file, const std::string& text);

}  // namespace hypatia::limits
