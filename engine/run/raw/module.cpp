#include "engine/run/raw/module.h"

#include "engine/core/error.h"
#include "engine/device/sim/scan.h"
#include "engine/run/raw/bind.h"
#include "engine/run/raw/gpu.h"
#include "engine/run/raw/module_impl.h"
#include "engine/run/raw/source_text.h"
#include "engine/trace/span.h"

namespace hypatia::cuda {

namespace {

/// Runs `work`; an Error that has no place of the user's yet gets this one.
template <class Work>
auto placed(const Origin& at, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.origin() || !at) throw;
    Error with_place = error;
    throw with_place.at(at);
  }
}

/// A module's global variable as bytes of the device.
class GlobalStorage final : public Storage {
 public:
  GlobalStorage(Ref<ModuleImpl> module, std::pair<void*, std::size_t> where)
      : Storage(where.first, where.second, module->device().place()), module_(std::move(module)) {}

  void wait() override { module_->device().synchronize(); }

  void read(std::size_t offset, void* to, std::size_t bytes) override {
    const Ref<Storage> target = borrow_host(to, bytes);
    module_->device().copy_out(*target, 0, *this, offset, bytes, nullptr);
    module_->device().synchronize();
  }

  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    module_->device().copy_in(*this, offset, from, bytes, nullptr);
    module_->device().synchronize();
  }

 private:
  Ref<ModuleImpl> module_;
};

}  // namespace

// clang-format off
void retain(const ModuleImpl* impl) { impl->add_owner(); }
void release(const ModuleImpl* impl) { if (impl->drop_owner()) delete impl; }
void retain(const KernelImpl* impl) { impl->add_owner(); }
void release(const KernelImpl* impl) { if (impl->drop_owner()) delete impl; }

// clang-format on

ModuleImpl::ModuleImpl(const std::string& text, const ModuleOptions& options, Origin at)
    : device_(gpu(options.target)),
      observer_(options.observer ? options.observer : process_observer()),
      source_(placed_source(text, at, options.no_extern_c)) {
  source_.options = options.options;
  for (const sim::ScannedKernel& kernel : sim::scan_kernels(source_.text).kernels)
    source_.entries.push_back(kernel.name);
  const std::string what = source_.entries.empty() ? "a module" : source_.entries.front();
  const Span span(observer_, EventKind::compile, what);
  code_ = device_.compile(source_);
}

std::vector<Parameter> ModuleImpl::parameters_of(const std::string& kernel) const {
  for (const sim::ScannedKernel& scanned : sim::scan_kernels(source_.text).kernels) {
    if (scanned.name != kernel) continue;
    std::vector<Parameter> parameters;
    for (const std::string& declaration : scanned.declarations) {
      if (declaration != "void") parameters.push_back(read_parameter(declaration));
    }
    return parameters;
  }
  throw Error(
      Error::Kind::value,
      "the parameters of kernel '" + kernel + "' can't be read from the text",
      "write the kernel out: not through a macro, and not in a namespace");
}

Module::Module(const std::string& source, const ModuleOptions& options, Origin at)
    : impl_(placed(at, [&] { return Ref<ModuleImpl>(new ModuleImpl(source, options, at)); })) {}

KernelFunction Module::function(const std::string& name, Origin at) const {
  KernelFunction function;
  function.impl_ =
      placed(at, [&] { return Ref<KernelImpl>(new KernelImpl(Ref<ModuleImpl>(impl_), name)); });
  return function;
}

Array Module::get_global(const std::string& name, DType dtype, Origin at) const {
  return placed(at, [&] {
    const std::pair<void*, std::size_t> where = impl_->code().global(name);
    const auto size = static_cast<std::size_t>(size_of(dtype));
    if (where.second % size != 0) {
      throw Error(
          Error::Kind::dtype,
          "the global variable '" + name + "' has " + std::to_string(where.second) +
              " bytes, which is no multiple of a " + std::string(hypatia::name(dtype)) + "'s " +
              std::to_string(size),
          "ask for it with the dtype that the kernel's text declares");
    }
    return Array(
        Ref<Storage>(new GlobalStorage(impl_, where)),
        dtype,
        Dims{static_cast<std::int64_t>(where.second / size)},
        Dims{static_cast<std::int64_t>(size)},
        0);
  });
}

KernelFunction KernelFunction::with(const LaunchOptions& options) const {
  KernelFunction other = *this;
  other.options_ = options;
  return other;
}

const std::string& KernelFunction::name() const {
  return impl_->name();
}

void KernelFunction::run(
    const Sizes& grid,
    const Sizes& block,
    std::span<const Argument> arguments,
    double* seconds) const {
  placed(grid.at, [&] {
    const Launch launch = launch_of(grid, block, options_.shared_bytes);
    impl_->run(launch, arguments, options_.stream, grid.at, seconds);
  });
}

}  // namespace hypatia::cuda
