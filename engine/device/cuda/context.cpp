#include "engine/device/cuda/context.h"

#include <cstdlib>
#include <string_view>

#include "engine/core/error.h"

namespace hypatia {

namespace {

// After these every later call of the process on this GPU fails too.
bool is_fatal(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

bool asked_to_block() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value && std::string_view(value) == "1";
}

}  // namespace

thread_local const Context* Context::current_ = nullptr;

Context::Context(const Driver& driver, CUdevice device, CUcontext handle, std::string name)
    : driver_(driver),
      device_(device),
      handle_(handle),
      name_(std::move(name)),
      blocking_(asked_to_block()) {}

void Context::make_current() const {
  check(driver_.set_current(handle_), "making the context current");
  current_ = this;
}

void Context::try_use() const noexcept {
  if (current_ != this && driver_.set_current(handle_) == CUDA_SUCCESS) current_ = this;
}

const std::string* Context::keep_name(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return &*names_.insert(name).first;
}

std::string Context::text(CUresult result) const {
  const char* name = nullptr;
  const char* words = nullptr;
  driver_.error_name(result, &name);
  driver_.error_text(result, &words);
  return std::string(words ? words : "unknown error") + " (" + (name ? name : "?") + ")";
}

void Context::fail(CUresult result, const char* doing, const std::string* kernel) const {
  const std::lock_guard lock(mutex_);
  if (lost()) {
    throw Error(
        Error::Kind::device,
        name_ + ": the context is lost, so " + doing + " is not possible any more",
        "start the process again; CUDA gives no way back")
        .note("the first fault was: " + first_fault_);
  }
  std::string summary = name_ + ": " + doing;
  if (kernel) summary += " of kernel '" + *kernel + "'";
  summary += " failed: " + text(result);
  if (!is_fatal(result)) throw Error(Error::Kind::device, summary);
  lost_.store(true, std::memory_order_relaxed);
  const std::string* blamed = kernel ? kernel : last_kernel_.load(std::memory_order_relaxed);
  first_fault_ = text(result);
  if (blamed) first_fault_ += ", in kernel '" + *blamed + "'";
  if (blamed && !kernel) {
    summary += blocking_ ? ", in kernel '" + *blamed + "'"
                         : ", in kernel '" + *blamed + "' or one launched before it";
  }
  throw Error(
      Error::Kind::device,
      summary,
      blocking_ ? "the context is lost: correct the kernel and start the process again"
                : "the context is lost; run again with CUDA_LAUNCH_BLOCKING=1, which stops at the "
                  "kernel at fault");
}

}  // namespace hypatia
