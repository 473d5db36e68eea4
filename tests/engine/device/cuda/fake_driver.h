#pragma once
// A CUDA driver whose device memory is host memory: copies run at once, or when an event that the
// test holds back is let go. For the parts that need the driver's manners and no GPU.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "engine/device/cuda/driver.h"

namespace hypatia {

/// What the fake driver counts, and what it answers.
struct FakeState {
  std::atomic<int> allocations{0}, host_allocations{0};
  std::atomic<bool> busy{false};  // events are not done yet
  std::atomic<CUresult> launch_result{CUDA_SUCCESS};
  std::size_t memory = std::size_t{1} << 30U;
};

inline FakeState& fake_state() {
  static FakeState state;
  return state;
}

inline Driver fake_driver() {
  Driver d{};
  const auto yes = [](auto...) { return CUDA_SUCCESS; };
  d.error_name = [](CUresult, const char** text) {
    *text = "CUDA_ERROR_FAKE";
    return CUDA_SUCCESS;
  };
  d.error_text = [](CUresult, const char** text) {
    *text = "a fake error";
    return CUDA_SUCCESS;
  };
  d.set_current = [](CUcontext) { return CUDA_SUCCESS; };
  d.memory_info = [](std::size_t* free_bytes, std::size_t* total) {
    *free_bytes = *total = fake_state().memory;
    return CUDA_SUCCESS;
  };
  d.allocate = [](CUdeviceptr* address, std::size_t bytes) {
    if (bytes > fake_state().memory) return CUDA_ERROR_OUT_OF_MEMORY;
    ++fake_state().allocations;
    *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
    return CUDA_SUCCESS;
  };
  d.free = [](CUdeviceptr address) {
    --fake_state().allocations;
    std::free(reinterpret_cast<void*>(address));
    return CUDA_SUCCESS;
  };
  d.allocate_host = [](void** address, std::size_t bytes, unsigned) {
    ++fake_state().host_allocations;
    *address = std::malloc(bytes);
    return CUDA_SUCCESS;
  };
  d.free_host = [](void* address) {
    --fake_state().host_allocations;
    std::free(address);
    return CUDA_SUCCESS;
  };
  d.copy_in = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
  };
  d.copy_out = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
  };
  d.create_event = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(std::uintptr_t{8});
    return CUDA_SUCCESS;
  };
  d.destroy_event = yes;
  d.record_event = yes;
  d.wait_event = yes;
  d.query_event = [](CUevent) { return fake_state().busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS; };
  d.synchronize_event = [](CUevent) {
    fake_state().busy = false;
    return CUDA_SUCCESS;
  };
  d.synchronize_stream = yes;
  return d;
}

}  // namespace hypatia
