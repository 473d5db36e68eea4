#include "engine/device/sim/module.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/device/sim/lines.h"

namespace hypatia::sim {

SimModule::SimModule(KernelSource source, Build build)
    : source_(std::move(source)),
      checked_(build == Build::checked),
      object_(load_object(source_, build)),
      shared_(*object_) {}

const std::map<std::uintptr_t, std::int32_t>& SimModule::lines_at(
    const std::vector<std::uintptr_t>& addresses) {
  std::vector<std::uintptr_t> unknown;
  for (const std::uintptr_t address : addresses) {
    if (lines_.find(address) == lines_.end()) unknown.push_back(address);
  }
  lines_.merge(lines_of(object_->path(), object_->loaded_at(), unknown, file_name(source_)));
  return lines_;
}

const Kernel& SimModule::find(const std::string& entry) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SimKernel>& kernel = kernels_[entry];
  if (kernel) return *kernel;
  std::string known;
  for (const ScannedKernel& scanned : object_->scan.kernels) {
    if (scanned.name == entry) {
      if (const EntryTable* table = object_->find(entry))
        kernel = std::make_unique<SimKernel>(*this, scanned, *table);
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
