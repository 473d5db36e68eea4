// Opens the cuda device, and reads what the GPU says about itself.
#include <charconv>

#include "engine/core/error.h"
#include "engine/device/cuda/compiler.h"
#include "engine/device/cuda/cuda.h"
#include "engine/device/cuda/cuda_device.h"

namespace hypatia {

namespace {

/// Reads attributes of one GPU; 0 where the driver does not know one.
struct Attributes {
  const Driver& driver;
  CUdevice device;

  int operator[](CUdevice_attribute which) const {
    int value = 0;
    return driver.attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
  }
};

struct Lanes {
  int f32, f64;
};

// Multiply-add units a multiprocessor, which the driver does not tell; from NVIDIA's tables.
Lanes lanes(int major, int minor) {
  if (major == 6) return minor == 0 ? Lanes{64, 32} : Lanes{128, 4};
  if (major == 7) return minor == 5 ? Lanes{64, 2} : Lanes{64, 32};
  if (major == 8) return minor == 0 ? Lanes{64, 32} : Lanes{128, 2};
  if (major == 9) return {128, 64};
  if (major == 10) return minor == 0 ? Lanes{128, 64} : Lanes{128, 2};
  return {128, 2};
}

Limits limits_of(const Attributes& about, int major, int minor) {
  Limits limits;
  const double clock = 1e3 * about[CU_DEVICE_ATTRIBUTE_CLOCK_RATE];
  const double memory_clock = 1e3 * about[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE];
  const double bus_bytes = about[CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH] / 8.0;
  limits.multiprocessors = about[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
  const double units = 2.0 * clock * limits.multiprocessors;
  limits.f32_flops = units * lanes(major, minor).f32;
  limits.f64_flops = units * lanes(major, minor).f64;
  limits.memory_bandwidth = 2 * memory_clock * bus_bytes;
  limits.cache_bytes = about[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE];
  limits.shared_per_block = about[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
  limits.max_threads_per_block = about[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
  limits.max_threads_per_multiprocessor = about[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR];
  limits.warp = about[CU_DEVICE_ATTRIBUTE_WARP_SIZE];
  std::size_t bytes = 0;
  if (about.driver.total_memory(&bytes, about.device) == CUDA_SUCCESS) {
    limits.memory_bytes = static_cast<std::int64_t>(bytes);
  }
  return limits;
}

DeviceInfo describe(const Driver& driver, CUdevice device, std::string name) {
  const Attributes about{driver, device};
  DeviceInfo info;
  info.name = std::move(name);
  std::array<char, 256> model{};
  driver.device_name(model.data(), static_cast<int>(model.size()), device);
  info.model = model.data();
  info.driver = driver_text(driver);
  info.capability_major = about[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR];
  info.capability_minor = about[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
  info.limits = limits_of(about, info.capability_major, info.capability_minor);
  return info;
}

/// "cuda" is 0, "cuda3" is 3; -1 for anything else.
int number_in(std::string_view spec) {
  const std::string_view digits = spec.substr(4);
  if (digits.empty()) return 0;
  int number = -1;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end && number >= 0 ? number : -1;
}

std::string gpus(int count) {
  return count == 1 ? "1 GPU, numbered from 0" : std::to_string(count) + " GPUs, numbered from 0";
}

}  // namespace

Opened open_cuda(std::string_view spec, Place place) {
  return open_cuda_with(spec, place, configured_cuda_settings());
}

Opened open_cuda_with(std::string_view spec, Place place, const CudaSettings& settings) {
  const std::string asked(spec);
  const int number = number_in(spec);
  if (number < 0) {
    return {nullptr, "there is no device '" + asked + "': a GPU is cuda, cuda0, cuda1, …"};
  }
  const FoundDriver found = find_driver();
  if (!found.driver) return {nullptr, asked + ": " + found.reason};
  const Driver& driver = *found.driver;
  int count = 0;
  driver.device_count(&count);
  if (count == 0) return {nullptr, asked + ": this machine has no NVIDIA GPU"};
  if (number >= count) return {nullptr, asked + ": this machine has " + gpus(count)};
  if (const std::string reason = nvrtc_reason(); !reason.empty()) {
    return {nullptr, asked + ": " + reason};
  }
  CUdevice device = 0;
  CUcontext context = nullptr;
  driver.device(&device, number);
  const CUresult result = driver.retain_context(&context, device);
  if (result != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.error_text(result, &text);
    return {nullptr, asked + ": the GPU can't be used: " + (text ? text : "unknown error")};
  }
  DeviceInfo info = describe(driver, device, "cuda" + std::to_string(number));
  try {
    return {
        std::make_unique<CudaDevice>(driver, device, context, std::move(info), place, settings),
        "",
    };
  } catch (const Error& error) {
    return {nullptr, asked + ": " + error.summary()};
  }
}

}  // namespace hypatia
