#include "bench/cuda_limits/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "engine/device/cuda/compiler.h"

namespace hypatia::limits {

namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text.data();
}

}  // namespace

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

nlohmann::json head(const Driver& driver, CUdevice device, const char* suite, int rounds) {
  std::array<char, 256> model{};
  driver.device_name(model.data(), static_cast<int>(model.size()), device);
  return {
      {"suite", suite},
      {"date", today()},
      {"device", model.data()},
      {"driver", driver_text(driver)},
      {"nvrtc", nvrtc_version()},
      {"rounds", rounds},
  };
}

bool write_by_rename(const std::string& file, const std::string& text) {
  const std::string draft = file + ".part";
  std::ofstream out(draft);
  out << text << "\n";
  out.close();
  return out && std::rename(draft.c_str(), file.c_str()) == 0;
}

}  // namespace hypatia::limits
