#include "engine/trace/device_hooks.h"

#include <atomic>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/trace/observer.h"

namespace hypatia {

namespace {
std::atomic<void (*)(std::string_view)> opening{nullptr};
std::atomic<void (*)(Device&)> opened{nullptr};
std::atomic<bool (*)(const std::string&)> owned{nullptr};
std::atomic<void (*)()> disowned{nullptr};
std::atomic<void (*)(void*, const std::string&)> named_stream{nullptr};
std::atomic<void (*)(std::uint64_t, const std::string&)> named_thread{nullptr};
thread_local std::string owner;
}  // namespace

void set_device_hooks(const DeviceHooks& hooks) {
  opening = hooks.opening;
  opened = hooks.opened;
  disowned = hooks.disowned;
  owned = hooks.owned;
  named_stream = hooks.named_stream;
  named_thread = hooks.named_thread;
}

void announce_opening(std::string_view spec) {
  if (const auto hook = opening.load()) hook(spec);
}

void announce_opened(Device& device) {
  if (const auto hook = opened.load()) hook(device);
}

void announce_stream(void* stream, const std::string& name) {
  if (const auto hook = named_stream.load()) hook(stream, name);
}

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.c_str());
  if (const auto hook = named_thread.load()) {
    hook(static_cast<std::uint64_t>(syscall(SYS_gettid)), name);
  }
}

WorkOwner::WorkOwner(std::string_view what, const std::string& name) {
  if (!owner.empty() || current_step().step) return;
  outermost_ = true;
  owner = name.empty() ? what : std::string(what) + " " + name;
  if (const auto hook = owned.load(std::memory_order_relaxed)) told_ = hook(owner);
}

WorkOwner::~WorkOwner() {
  if (!outermost_) return;
  owner.clear();
  if (const auto hook = disowned.load(); hook && told_) hook();
}

const std::string& work_owner() {
  return owner;
}

}  // namespace hypatia
