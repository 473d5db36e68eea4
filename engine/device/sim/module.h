#pragma once
// A compiled text as the device's Module, and its kernels.

#include <map>
#include <memory>
#include <mutex>

#include "engine/device/kernel.h"
#include "engine/device/sim/object.h"

namespace hypatia::sim {

class SimModule;

/// One kernel of a loaded object.
class SimKernel final : public Kernel {
 public:
  SimKernel(SimModule& owner, std::string name, const EntryTable& table, bool f64)
      : Kernel(std::move(name)), module(owner), entry(table), doubles(f64) {}

  SimModule& module;
  const EntryTable& entry;
  const bool doubles;  // computes in double precision
};

/// A text and its object.
class SimModule final : public Module {
 public:
  explicit SimModule(KernelSource source);

  const Kernel& find(const std::string& entry) override;
  std::pair<void*, std::size_t> global(const std::string& name) override;

  const KernelSource& source() const { return source_; }

  Object& object() { return *object_; }

 private:
  KernelSource source_;
  std::unique_ptr<Object> object_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SimKernel>> kernels_;
};

}  // namespace hypatia::sim
