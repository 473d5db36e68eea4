#include "engine/device/sim/module.h"

#include <algorithm>

#include "engine/core/error.h"

namespace hypatia::sim {

SimModule::SimModule(KernelSource source)
    : source_(std::move(source)), object_(load_object(source_, Build::fast)) {}

const Kernel& SimModule::find(const std::string& entry) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SimKernel>& kernel = kernels_[entry];
  if (kernel) return *kernel;
  std::string known;
  for (const ScannedKernel& scanned : object_->scan.kernels) {
    if (scanned.name == entry) {
      if (const EntryTable* table = object_->find(entry))
        kernel = std::make_unique<SimKernel>(*this, entry, *table, scanned.doubles);
      if (kernel) return *kernel;
    }
    known += (known.empty() ? "" : ", ") + scanned.name;
  }
  throw Error(
      Error::Kind::value,
      file_name(source_) + " has no kernel '" + entry + "'",
      known.empty() ? "a kernel is a function marked __global__" : "its kernels are " + known);
}

std::pair<void*, std::size_t> SimModule::global(const std::string& name) {
  const auto found = object_->global(name);
  if (found.first) return found;
  throw Error(
      Error::Kind::value,
      file_name(source_) + " has no global variable '" + name + "'",
      "declare it outside of every function with __device__ or __constant__, and not static");
}

}  // namespace hypatia::sim
