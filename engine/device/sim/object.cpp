#include "engine/device/sim/object.h"

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

#include "engine/core/error.h"
#include "engine/device/sim/block.h"
#include "engine/device/sim/build.h"
#include "engine/device/sim/scan.h"

namespace hypatia::sim {

Object::~Object() {
  dlclose(handle_);
}

void* Object::symbol(const std::string& name) const {
  return dlsym(handle_, name.c_str());
}

const EntryTable* Object::find(const std::string& kernel) const {
  return static_cast<const EntryTable*>(symbol("hyp_entry_" + kernel));
}

std::pair<void*, std::size_t> Object::global(const std::string& name) const {
  void* address = symbol(name);
  Dl_info info{};
  void* extra = nullptr;
  if (!address || !dladdr1(address, &info, &extra, RTLD_DL_SYMENT) || !extra) return {nullptr, 0};
  const ElfW(Sym)* entry = static_cast<const ElfW(Sym)*>(extra);
  const bool is_data = ELF64_ST_TYPE(entry->st_info) == STT_OBJECT;
  return is_data && info.dli_saddr == address ? std::pair{address, entry->st_size}
                                              : std::pair<void*, std::size_t>{nullptr, 0};
}

std::uintptr_t Object::loaded_at() const {
  Dl_info mine{};
  return dladdr(symbol("hyp_bind"), &mine) ? reinterpret_cast<std::uintptr_t>(mine.dli_fbase) : 0;
}

bool Object::holds(const void* address) const {
  Dl_info its{};
  return dladdr(address, &its) != 0 &&
         reinterpret_cast<std::uintptr_t>(its.dli_fbase) == loaded_at();
}

std::string file_name(const KernelSource& source) {
  const std::string name = source.name.empty() ? "kernel" : source.name;
  return name.find('.') == std::string::npos ? name + ".cu" : name;
}

std::unique_ptr<Object> load_object(const KernelSource& source, Build build) {
  Scan scan = scan_kernels(source.text);
  const std::string path = build_object(source, scan, build);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    throw Error(
        Error::Kind::compile,
        file_name(source) + " can't be loaded: " + (why ? why : "unknown reason"),
        "a function that is declared but not defined is the usual cause");
  }
  auto object = std::make_unique<Object>(handle, path);
  using Bind = void (*)(const Hooks*);
  reinterpret_cast<Bind>(object->symbol("hyp_bind"))(&Block::hooks());
  object->scan = std::move(scan);
  return object;
}

}  // namespace hypatia::sim
