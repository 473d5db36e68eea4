#pragma once
// Host C text to a loaded module: by the system's compiler, or out of the cache on disk.

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>

#include "engine/device/cpu/cache.h"
#include "engine/device/cpu/process.h"
#include "engine/device/cpu/toolchain.h"
#include "engine/device/device.h"

namespace hypatia {

/// What a Compiler is told by the configuration.
struct CompilerOptions {
  /// As the flags cxx, gcc.cxxflags and compiledir say.
  static CompilerOptions of_config();

  std::string command;  // "gcc", "ccache clang"; empty: cc, gcc or clang, what is found first
  std::vector<std::string> flags;  // after ours
  std::string compiledir;          // where compiled kernels are kept
  bool use_stages = true;  // call cc1, as and ld without the driver where that is understood
  bool optimize = true;    // false: -O1, for fast_compile
};

/// How one module came to be, for messages and the profile.
struct CompileReport {
  bool from_cache = false;
  bool by_stages = false;
  double seconds = 0;
  std::string path;  // of the shared object
};

/// Compiles kernels; any number of threads may do so at once.
class Compiler {
 public:
  explicit Compiler(CompilerOptions options);

  /// Throws Error of kind compile: with the compiler's own message, or saying what to install.
  Ref<Module> compile(const KernelSource& source, CompileReport* report = nullptr);

  /// A module that is being made on another thread. Dropping it waits for that thread.
  class Pending final : public PendingModule {
   public:
    bool ready() const override;
    Ref<Module> get() override;

   private:
    friend class Compiler;
    std::future<Ref<Module>> future_;
  };

  /// Starts compiling and returns; what the cache holds is ready at once. As many compilers run as
  /// there are cores, the others wait their turn. The compiler must outlive the result.
  Pending compile_async(KernelSource source);

  /// The module if the cache holds it, else null.
  Ref<Module> find_cached(const KernelSource& source);

  /// One line on the compiler in use, or why there is none; for doctor.
  std::string describe();

 private:
  struct Tools {
    Toolchain toolchain;
    std::vector<std::string> flags;
    std::optional<Stages> stages;
  };

  std::string key_of(const KernelSource& source, const Toolchain& toolchain) const;
  const Toolchain& toolchain();
  const Tools& tools();
  bool build(const KernelSource& source, const std::string& folder);
  Outcome build_by_stages(const KernelSource& source, const std::string& folder);
  Outcome build_by_driver(const KernelSource& source, const std::string& folder);

  CompilerOptions options_;
  KernelCache cache_;
  std::counting_semaphore<> turns_;  // for compilers in the background
  std::mutex mutex_;                 // guards the two below, which are found once
  std::optional<Toolchain> toolchain_;
  std::optional<Tools> tools_;
};

}  // namespace hypatia
