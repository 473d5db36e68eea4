#pragma once
// CUDA C written by hand: compiled while the program runs, launched on arrays.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/run/raw/argument.h"
#include "engine/run/raw/stream.h"

namespace hypatia {

class Observer;

namespace cuda {

class ModuleImpl;
class KernelImpl;
void retain(const ModuleImpl* impl);
void release(const ModuleImpl* impl);
void retain(const KernelImpl* impl);
void release(const KernelImpl* impl);

/// How a launch differs from a plain one.
struct LaunchOptions {
  /// Bytes of `extern __shared__` memory a block.
  std::int64_t shared_bytes = 0;
  /// Where its copies and its kernel go.
  Stream stream = {};
};

/// One kernel of a module; keeps the module alive.
class KernelFunction {
 public:
  /// Copies the In and InOut arrays to the device, launches, and copies the Out and InOut arrays
  /// back, which waits. With device arrays and numbers alone it returns once the launch is
  /// submitted. Throws Error on arguments that don't fit the kernel's parameters and on sizes that
  /// the device can't have; a fault inside the kernel is the Error of the next wait.
  template <class... Args>
  void operator()(const Sizes& grid, const Sizes& block, const Args&... args) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(args)...};
    run(grid, block, list, nullptr);
  }

  /// The same; returns the kernel's seconds on the device, without the copies. Waits.
  template <class... Args>
  double timed(const Sizes& grid, const Sizes& block, const Args&... args) const {
    const std::array<Argument, sizeof...(Args)> list{Argument(args)...};
    double seconds = 0;
    run(grid, block, list, &seconds);
    return seconds;
  }

  /// The kernel with other options: f.with({.shared_bytes = 1024})({8}, {256}, x).
  KernelFunction with(const LaunchOptions& options) const;

  const std::string& name() const;

 private:
  friend class Module;
  void run(
      const Sizes& grid,
      const Sizes& block,
      std::span<const Argument> arguments,
      double* seconds) const;

  Ref<KernelImpl> impl_;
  LaunchOptions options_;
};

/// How a module is compiled.
struct ModuleOptions {
  /// For the compiler: "-DTILE=16", "--use_fast_math".
  std::vector<std::string> options = {};
  /// By default the text is wrapped in extern "C" {…}, so that kernels go by their plain names.
  /// Templates can't stand there: with this the text is taken as it is.
  bool no_extern_c = false;
  /// "" for the default device, "dev1" for one of the flag `contexts`.
  std::string target = {};
  /// Hears every launch; by default the recorder, where the flag `profile` is set.
  Observer* observer = nullptr;
};

/// CUDA C text, compiled for the configured GPU or for the simulated one.
class Module {
 public:
  /// Throws Error with the compiler's message and the user's line if it doesn't compile, and where
  /// there is no GPU.
  explicit Module(
      const std::string& source, const ModuleOptions& options = {}, Origin at = Origin::here());

  /// The kernel of that name. Throws Error that lists the kernels.
  KernelFunction function(const std::string& name, Origin at = Origin::here()) const;

  /// A __device__ or __constant__ variable as an array on the device that looks at it: copy into it
  /// with copy(values, m.get_global("scale", DType::float32)), read it with asarray. By default its
  /// bytes. Throws Error if there is none of that name, or its size is no multiple of the dtype's.
  Array get_global(
      const std::string& name, DType dtype = DType::uint8, Origin at = Origin::here()) const;

 private:
  Ref<ModuleImpl> impl_;
};

/// How many kernels this thread has launched so far; a function that computes on the host launches
/// none.
std::int64_t launched_kernels();

}  // namespace cuda

}  // namespace hypatia
