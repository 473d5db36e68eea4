#pragma once
// A compiled text as the device's Module, and its kernels.

#include <map>
#include <memory>
#include <mutex>

#include "engine/device/kernel.h"
#include "engine/device/sim/object.h"
#include "engine/device/sim/shared_memory.h"

namespace hypatia::sim {

class SimModule;

/// One kernel of a loaded object.
class SimKernel final : public Kernel {
 public:
  SimKernel(SimModule& owner, const ScannedKernel& scanned, const EntryTable& table)
      : Kernel(scanned.name),
        module(owner),
        entry(table),
        doubles(scanned.doubles),
        indexes(scanned.indexes),
        parameters(scanned.parameters) {}

  SimModule& module;
  const EntryTable& entry;
  const bool doubles;  // computes in double precision
  const bool indexes;  // reads or writes arrays
  const std::vector<std::string> parameters;
  mutable std::uint64_t looked_at = 0;  // launches that the checker saw
};

/// A text and its object.
class SimModule final : public Module {
 public:
  SimModule(KernelSource source, Build build);

  const Kernel& find(const std::string& entry) override;
  std::pair<void*, std::size_t> global(const std::string& name) override;

  const KernelSource& source() const { return source_; }

  const Object& object() const { return *object_; }

  const SharedMemory& shared() const { return shared_; }

  bool is_checked() const { return checked_; }

  /// The lines of the text at these code addresses, of earlier ones too.
  const std::map<std::uintptr_t, std::int32_t>& lines_at(
      const std::vector<std::uintptr_t>& addresses);

 private:
  KernelSource source_;
  bool checked_;
  std::unique_ptr<Object> object_;
  SharedMemory shared_;
  std::map<std::uintptr_t, std::int32_t> lines_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SimKernel>> kernels_;
};

}  // namespace hypatia::sim
