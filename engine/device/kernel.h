#pragma once
// Kernel text, its compiled form, and what a launch says.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/counted.h"
#include "engine/core/ref.h"

namespace hypatia {

/// The language of a kernel's text: plain C for the host, CUDA C for cuda and sim.
enum class Dialect : std::uint8_t { host_c, cuda_c };

/// One compilation unit. Host C entries are `void entry(void* const* args, long first, long last)`,
/// where args[i] points to the value of argument i, as in a CUDA launch; CUDA C entries are
/// `extern "C" __global__`.
struct KernelSource {
  Dialect dialect = Dialect::host_c;
  std::string name;  // for messages and file names: "train"
  std::string text;
  std::vector<std::string> entries;
  std::vector<std::string> options;     // extra compiler options
  std::vector<std::string> nodes = {};  // for each entry, what it computes: "exp+Sum"; may be empty
};

/// One entry of a loaded module; lives as long as its module.
class Kernel {
 public:
  virtual ~Kernel() = default;

  const std::string& name() const { return name_; }

 protected:
  explicit Kernel(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

/// A compiled and loaded KernelSource.
class Module : public Counted {
 public:
  virtual ~Module() = default;
  /// Throws Error that lists the entries if there is no such one.
  virtual const Kernel& find(const std::string& entry) = 0;
  /// Address and bytes of a module's global variable, for `get_global`; throws where unsupported.
  virtual std::pair<void*, std::size_t> global(const std::string& name) = 0;
};

inline void retain(const Module* m) {
  m->add_owner();
}

inline void release(const Module* m) {
  if (m->drop_owner()) delete m;
}

/// How to run a kernel once.
struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::int64_t items = 1;  // host C: the range [0, items) is split over the threads
  std::int64_t grain = 0;  // host C: least items worth a thread; 0: run on the calling thread
  double flops = 0;        // of the whole launch; sim's clock reads them, 0 if unknown
  double bytes = 0;
};

}  // namespace hypatia
