#pragma once
// The inside of a Module and of its kernels.

#include <memory>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/run/raw/module.h"
#include "engine/run/raw/profile.h"
#include "engine/run/raw/signature.h"

namespace hypatia::cuda {

/// A compiled text.
class ModuleImpl : public Counted {
 public:
  ModuleImpl(const std::string& text, const ModuleOptions& options, Origin at);

  /// The declared parameters of a kernel. Throws Error if they can't be read.
  std::vector<Parameter> parameters_of(const std::string& kernel) const;

  Device& device() const { return device_; }

  hypatia::Module& code() const { return *code_; }

  const Ref<hypatia::Module>& code_owner() const { return code_; }

  const KernelSource& source() const { return source_; }

  Observer* observer() const { return observer_; }

 private:
  Device& device_;
  Observer* observer_;
  KernelSource source_;
  Ref<hypatia::Module> code_;
};

/// One kernel.
class KernelImpl : public Counted {
 public:
  KernelImpl(Ref<ModuleImpl> module, const std::string& name);

  /// `seconds`: where to write the kernel's time, or null.
  void run(
      const Launch& launch,
      std::span<const Argument> arguments,
      const Stream& stream,
      const Origin& at,
      double* seconds) const;

  const std::string& name() const { return kernel_.name(); }

 private:
  Ref<ModuleImpl> module_;
  const Kernel& kernel_;
  std::vector<Parameter> parameters_;
  std::unique_ptr<LaunchProfile> profile_;  // null where nobody listens
};

}  // namespace hypatia::cuda
