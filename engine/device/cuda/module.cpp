#include "engine/device/cuda/module.h"

#include <array>

#include "engine/core/error.h"

namespace hypatia {

namespace {

std::string triple(const std::array<std::uint32_t, 3>& sizes) {
  return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
         std::to_string(sizes[2]) + ")";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

CudaKernel::CudaKernel(const Context& context, std::string name, CUfunction function)
    : Kernel(std::move(name)),
      context_(context),
      function_(function),
      kept_name_(context.keep_name(this->name())) {}

void CudaKernel::allow_shared(std::uint32_t bytes) const {
  if (bytes <= shared_allowed_.load(std::memory_order_relaxed)) return;
  const CUresult result = context_.driver().set_function_attribute(
      function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
  if (result != CUDA_SUCCESS) {
    int most = 0;
    context_.driver().attribute(
        &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, context_.device());
    throw Error(
        Error::Kind::device,
        context_.name() + ": kernel '" + name() + "' asks for " + std::to_string(bytes) +
            " bytes of shared memory a block; the GPU has " + std::to_string(most),
        "use smaller tiles");
  }
  shared_allowed_.store(bytes, std::memory_order_relaxed);
}

void CudaKernel::explain(const Launch& launch) const {
  const std::string where = context_.name() + ": kernel '" + name() + "' was launched with ";
  std::uint64_t threads = 1, blocks = 1;
  for (const std::uint32_t size : launch.block)
    threads *= size;
  for (const std::uint32_t size : launch.grid)
    blocks *= size;
  if (threads == 0 || blocks == 0) {
    throw Error(
        Error::Kind::value,
        where + "grid " + triple(launch.grid) + " and block " + triple(launch.block) +
            ", of which one size is 0",
        "grid and block need at least 1 in each direction");
  }
  int most = 0;
  context_.driver().function_attribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function_);
  if (most > 0 && threads > static_cast<std::uint64_t>(most)) {
    throw Error(
        Error::Kind::value,
        where + "block " + triple(launch.block) + ", which is " + std::to_string(threads) +
            " threads; it can have at most " + std::to_string(most),
        "use more and smaller blocks");
  }
  if (launch.block[2] > 64 || launch.grid[1] > 65535 || launch.grid[2] > 65535) {
    throw Error(
        Error::Kind::value,
        where + "grid " + triple(launch.grid) + " and block " + triple(launch.block) +
            "; a block's third size is at most 64, a grid's second and third 65535",
        "put the large direction first");
  }
}

CudaModule::CudaModule(const Context& context, const KernelSource& source, const CudaBinary& binary)
    : context_(context), name_(source.name), entries_(source.entries) {
  context_.use();
  load(binary);
}

CudaModule::~CudaModule() {
  context_.try_use();
  context_.driver().unload_module(module_);
}

void CudaModule::load(const CudaBinary& binary) {
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{
      CU_JIT_ERROR_LOG_BUFFER,
      CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
  };
  std::array<void*, 2> values{
      log.data(),
      reinterpret_cast<void*>(log.size()),
  };
  const CUresult result = context_.driver().load_module_with_log(
      &module_, binary.code.data(), 2, options.data(), values.data());
  if (result == CUDA_SUCCESS) return;
  if (log[0] != '\0') {
    throw Error(
        Error::Kind::compile, context_.name() + ": the driver can't finish kernel '" + name_ + "'")
        .note(std::string("the driver says:\n") + log.data());
  }
  context_.check(result, "loading a kernel");
}

const Kernel& CudaModule::find(const std::string& entry) {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return known->second;
  context_.use();
  CUfunction function = nullptr;
  const CUresult result = context_.driver().function(&function, module_, entry.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    throw Error(
        Error::Kind::value,
        "there is no kernel '" + entry + "' in '" + name_ + "'",
        entries_.empty() ? "write it as extern \"C\" __global__" : "it has " + joined(entries_));
  }
  context_.check(result, "looking up a kernel");
  return kernels_
      .emplace(
          std::piecewise_construct,
          std::forward_as_tuple(entry),
          std::forward_as_tuple(context_, entry, function))
      .first->second;
}

std::pair<void*, std::size_t> CudaModule::global(const std::string& name) {
  context_.use();
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult result = context_.driver().global(&address, &bytes, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    throw Error(
        Error::Kind::value,
        "there is no global variable '" + name + "' in '" + name_ + "'",
        "declare it outside of any function, as extern \"C\" __device__ or __constant__");
  }
  context_.check(result, "looking up a global variable");
  return {reinterpret_cast<void*>(address), bytes};
}

}  // namespace hypatia
