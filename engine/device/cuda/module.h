#pragma once
// Loaded machine code and its entries.

#include <map>
#include <mutex>

#include "engine/device/cuda/compiler.h"
#include "engine/device/cuda/context.h"
#include "engine/device/kernel.h"

namespace hypatia {

/// One entry; what a launch needs, looked up once.
class CudaKernel final : public Kernel {
 public:
  CudaKernel(const Context& context, std::string name, CUfunction function);

  CUfunction function() const { return function_; }

  /// The name in a place that outlives the module.
  const std::string* kept_name() const { return kept_name_; }

  /// Throws an Error that names the bad size and its limit, for a launch that CUDA refused.
  void explain(const Launch& launch) const;
  /// Raises the limit of dynamic shared memory where a launch wants more than 48 KB.
  void allow_shared(std::uint32_t bytes) const;

 private:
  const Context& context_;
  CUfunction function_;
  const std::string* kept_name_;
  mutable std::atomic<std::uint32_t> shared_allowed_{48U << 10U};
};

/// A module of the driver.
class CudaModule final : public Module {
 public:
  CudaModule(const Context& context, const KernelSource& source, const CudaBinary& binary);
  ~CudaModule() override;

  const Kernel& find(const std::string& entry) override;
  std::pair<void*, std::size_t> global(const std::string& name) override;

 private:
  void load(const CudaBinary& binary);

  const Context& context_;
  std::string name_;
  std::vector<std::string> entries_;
  CUmodule module_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, CudaKernel> kernels_;
};

}  // namespace hypatia
