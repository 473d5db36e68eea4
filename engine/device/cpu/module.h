#pragma once
// A loaded shared object of host C kernels.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/device/kernel.h"

namespace hypatia {

/// One entry's address.
class HostKernel final : public Kernel {
 public:
  using Entry = void (*)(void* const* args, long first, long last);

  HostKernel(std::string name, Entry address) : Kernel(std::move(name)), entry_(address) {}

  Entry entry() const { return entry_; }

 private:
  Entry entry_;
};

/// Stays loaded as long as somebody owns it.
class HostModule final : public Module {
 public:
  /// Loads `path`. Throws Error of kind compile with the loader's message, or if an entry is
  /// missing.
  HostModule(const std::string& path, std::vector<std::string> entries);
  ~HostModule() override;

  const Kernel& find(const std::string& entry) override;
  std::pair<void*, std::size_t> global(const std::string& name) override;

 private:
  void* handle_;
  std::vector<std::unique_ptr<HostKernel>> kernels_;
};

}  // namespace hypatia
