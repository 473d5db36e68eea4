#pragma once
// Kernel texts as loaded shared objects: compiled by the host's C++ compiler, cached on disk by
// content.

#include <memory>
#include <string>
#include <utility>

#include "engine/device/kernel.h"
#include "engine/device/sim/abi.h"
#include "engine/device/sim/scan.h"

namespace hypatia::sim {

/// A loaded object. Its code must not run after its end.
class Object {
 public:
  Object(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// The table of a kernel; null if the text has no such one.
  const EntryTable* find(const std::string& kernel) const;
  /// Address and bytes of a `__device__` or `__constant__` variable; null and 0 if there is none.
  std::pair<void*, std::size_t> global(const std::string& name) const;
  /// The address of an exported symbol, or null.
  void* symbol(const std::string& name) const;

  /// Where its file's address 0 lies.
  std::uintptr_t loaded_at() const;
  /// True if an address lies in its data or code.
  bool holds(const void* address) const;

  const std::string& path() const { return path_; }

  /// What the text was seen to define.
  Scan scan;

 private:
  void* handle_;
  std::string path_;
};

/// Compiles and loads, or takes from the cache. Throws Error of kind compile with the compiler's
/// message, and of kind file if the cache can't be written.
std::unique_ptr<Object> load_object(const KernelSource& source, Build build);

/// The name by which messages call a text: "train.cu".
std::string file_name(const KernelSource& source);

}  // namespace hypatia::sim
