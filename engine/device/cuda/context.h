#pragma once
// One GPU's context: makes it current on the calling thread and turns its errors into ours.

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_set>

#include "engine/device/cuda/driver.h"

namespace hypatia {

/// The primary context of one GPU, shared with libraries such as cuBLAS.
class Context {
 public:
  Context(const Driver& driver, CUdevice device, CUcontext handle, std::string name);

  const Driver& driver() const { return driver_; }

  CUdevice device() const { return device_; }

  CUcontext handle() const { return handle_; }

  const std::string& name() const { return name_; }

  /// True under CUDA_LAUNCH_BLOCKING=1: every submission waits, so that a fault names its kernel.
  bool blocking() const { return blocking_; }

  /// Makes the context current on this thread; costs a comparison when it is.
  void use() const {
    if (current_ != this) make_current();
  }

  /// For destructors, which must not throw.
  void try_use() const noexcept;

  /// Throws an Error of kind device unless `result` is success. `doing` reads "cuda0: … failed".
  void check(CUresult result, const char* doing) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, doing, nullptr);
  }

  /// The same for a launch, with the kernel's name.
  void check_launch(CUresult result, const std::string* kernel) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(result, "a launch", kernel);
  }

  /// A name that lives as long as the process, for `launched`.
  const std::string* keep_name(const std::string& name) const;

  /// Remembers the last kernel, which a fault found later is blamed on.
  void launched(const std::string* name) const {
    last_kernel_.store(name, std::memory_order_relaxed);
  }

  /// True after a fault that CUDA does not recover from.
  bool lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  void make_current() const;
  [[noreturn]] void fail(CUresult result, const char* doing, const std::string* kernel) const;
  std::string text(CUresult result) const;

  static thread_local const Context* current_;

  const Driver& driver_;
  CUdevice device_;
  CUcontext handle_;
  std::string name_;
  bool blocking_;
  mutable std::atomic<const std::string*> last_kernel_{nullptr};
  mutable std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;
  mutable std::string first_fault_;
  mutable std::unordered_set<std::string> names_;
};

}  // namespace hypatia
