// Loading by dlopen, after the vector math library that the kernels' exp and log come from.
#include "engine/device/cpu/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "engine/core/error.h"

namespace hypatia {

namespace {

/// Makes glibc's vector and scalar functions visible to the objects loaded later. Where there is no
/// libmvec the generated text doesn't name it.
void load_math() {
  static void* const vector_math = dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
  static void* const scalar_math = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  static_cast<void>(vector_math);
  static_cast<void>(scalar_math);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Error::Kind::compile, "a compiled kernel can't be loaded: " + what);
}

}  // namespace

HostModule::HostModule(const std::string& path, std::vector<std::string> entries) {
  load_math();
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) refuse(dlerror());
  for (std::string& entry : entries) {
    void* address = dlsym(handle_, entry.c_str());
    if (!address) {
      dlclose(handle_);
      refuse("it has no entry '" + entry + "'");
    }
    kernels_.push_back(std::make_unique<HostKernel>(
        std::move(entry), reinterpret_cast<HostKernel::Entry>(address)));
  }
}

HostModule::~HostModule() {
  dlclose(handle_);
}

const Kernel& HostModule::find(const std::string& entry) {
  std::string known;
  for (const auto& kernel : kernels_) {
    if (kernel->name() == entry) return *kernel;
    known += (known.empty() ? "" : ", ") + kernel->name();
  }
  throw Error(
      Error::Kind::compile,
      "the module has no kernel '" + entry + "'; it has " + (known.empty() ? "none" : known));
}

std::pair<void*, std::size_t> HostModule::global(const std::string& name) {
  void* address = dlsym(handle_, name.c_str());
  Dl_info info{};
  ElfW(Sym)* symbol = nullptr;
  void* found = nullptr;
  if (address && dladdr1(address, &info, &found, RTLD_DL_SYMENT) != 0) {
    symbol = static_cast<ElfW(Sym)*>(found);
  }
  if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) {
    throw Error(Error::Kind::compile, "the module has no global variable '" + name + "'");
  }
  return {address, symbol->st_size};
}

}  // namespace hypatia
