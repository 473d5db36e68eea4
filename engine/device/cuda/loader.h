#pragma once
// Finds NVIDIA's shared libraries at run time, so that one binary serves machines without them.

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace hypatia {

/// An open library, or why there is none. Libraries stay open for the life of the process.
struct LoadedLibrary {
  void* handle = nullptr;
  std::string path;    // what dlopen was given
  std::string reason;  // one clause, when handle is null

  /// Fills a function pointer; false if the library lacks the symbol.
  template <class F>
  bool bind(F& slot, const char* symbol) const {
    slot = reinterpret_cast<F>(dlsym(handle, symbol));
    return slot != nullptr;
  }
};

/// Where libraries are looked for: "" is dlopen's own search, the rest are folders. The variable
/// HYPATIA_CUDA_LIBRARIES (folders, split by colons) replaces the whole list.
std::vector<std::string> cuda_library_folders();

/// The first of `names` ("libnvrtc.so.13", …) that opens.
LoadedLibrary load_cuda_library(const std::vector<std::string>& names);

/// HYPATIA_CUDA_LIBRARIES as it is now.
std::string cuda_search_key();

/// What `load` returns, called once for each value of HYPATIA_CUDA_LIBRARIES.
template <class Found>
Found once_a_search(Found (*load)()) {
  static std::mutex mutex;
  static std::map<std::string, Found>& all = *new std::map<std::string, Found>;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = all.try_emplace(cuda_search_key());
  if (is_new) found->second = load();
  return found->second;
}

}  // namespace hypatia
