// Loading a BLAS: which one, for which processor, and with no threads of its own.
#include "engine/device/cpu/blas.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <vector>

#include "engine/core/config.h"
#include "engine/core/cores.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

struct Blas {
  void* handle = nullptr;
  BlasFacts facts;
};

using Text = const char* (*)();
using SetThreads = void (*)(int);

template <class F>
F function_of(void* handle, const char* name) {
  return reinterpret_cast<F>(dlsym(handle, name));
}

std::string text_of(void* handle, const char* name) {
  const Text ask = function_of<Text>(handle, name);
  const char* text = ask ? ask() : nullptr;
  return text ? text : "";
}

/// An environment variable set for a while, since libraries read theirs only while they load.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    if (old) old_ = old;
    if (!value.empty()) setenv(name, value.c_str(), 1);
  }

  ~Setting() {
    if (had_) {
      setenv(name_, old_.c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

  bool was_set() const { return had_; }

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

void* load(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle && !dlsym(handle, "dgemm_")) {
    dlclose(handle);
    return nullptr;
  }
  return handle;
}

/// Loads OpenBLAS a second time, told its processor, where it took on a lesser one.
void correct_core(Blas& blas, const std::string& library, Setting& core_setting) {
  const std::string core = text_of(blas.handle, "openblas_get_corename");
  const std::string better = better_core(core, has_avx2(), has_avx512());
  if (better.empty()) return;
  if (core_setting.was_set()) {
    blas.facts.note = "OPENBLAS_CORETYPE asks for " + core + ", which is slow on this processor";
    return;
  }
  dlclose(blas.handle);
  setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
  blas.handle = load(library);
  const bool corrected = text_of(blas.handle, "openblas_get_corename") != core;
  blas.facts.note = "it takes this processor for " + core +
                    (corrected ? "; it was told to be " + better
                               : " and was loaded already: start with OPENBLAS_CORETYPE=" + better);
}

void describe(Blas& blas) {
  link_map* map = nullptr;
  if (dlinfo(blas.handle, RTLD_DI_LINKMAP, &map) == 0) blas.facts.library = map->l_name;
  blas.facts.core = text_of(blas.handle, "openblas_get_corename");
  blas.facts.version = text_of(blas.handle, "openblas_get_config");
}

/// The pool calls the BLAS from each of its threads; threads of its own would only wait for cores.
void forbid_threads(void* handle) {
  for (const char* name :
       {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"}) {
    if (const SetThreads set = function_of<SetThreads>(handle, name)) set(1);
  }
}

Blas find() {
  const std::string asked = config().get("blas.library");
  Blas blas;
  if (asked == "none") {
    blas.facts.note = "blas.library=none: products run through the engine's own loops";
    return blas;
  }
  std::vector<std::string> libraries{asked};
  if (asked.empty()) {
    libraries = {
        "libopenblas.so.0", "libopenblas.so", "libblis.so.4", "libmkl_rt.so", "libblas.so.3"};
  }
  const Setting openblas_threads("OPENBLAS_NUM_THREADS", "1"),
      openmp_threads("OMP_NUM_THREADS", "");
  Setting core("OPENBLAS_CORETYPE", "");
  for (const std::string& library : libraries) {
    blas.handle = load(library);
    if (!blas.handle) continue;
    correct_core(blas, library, core);
    describe(blas);
    forbid_threads(blas.handle);
    return blas;
  }
  blas.facts.note = asked.empty() ? "no BLAS is installed (on Debian: apt-get install libopenblas0)"
                                  : "'" + asked + "' is no BLAS that can be loaded";
  if (!asked.empty()) {
    throw Error(
        Error::Kind::config,
        "blas.library: " + blas.facts.note,
        "name a shared library with dgemm_ in it, 'none', or nothing to search for one");
  }
  return blas;
}

const Blas& the_blas() {
  static const Blas& blas = *new Blas(find());
  return blas;
}

}  // namespace

std::string better_core(const std::string& core, bool avx2, bool avx512) {
  // Those that OpenBLAS falls back to when it doesn't know a processor.
  for (const char* lesser :
       {"Prescott",
        "Core2",
        "Penryn",
        "Dunnington",
        "Nehalem",
        "Atom",
        "Barcelona",
        "Bobcat",
        "Generic",
        "GENERIC",
        "Northwood",
        "Katmai",
        "Opteron",
        "Opteron_SSE3"}) {
    if (core != lesser) continue;
    return avx512 ? "SkylakeX" : avx2 ? "Haswell" : "";
  }
  const bool without_avx2 = core == "Sandybridge" || core == "Bulldozer" || core == "Piledriver";
  return without_avx2 && avx512 ? "SkylakeX" : without_avx2 && avx2 ? "Haswell" : "";
}

const BlasFacts& blas_facts() {
  return the_blas().facts;
}

void* blas_function(const std::string& name) {
  void* handle = the_blas().handle;
  return handle ? dlsym(handle, name.c_str()) : nullptr;
}

}  // namespace hypatia
