#pragma once
// Where a kernel object keeps its __shared__ arrays, and what they are called.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hypatia::sim {

class Object;

/// One thread-local variable of an object: a __shared__ array, or what lies between them.
struct SharedArray {
  enum class Kind : std::uint8_t {
    fixed,
    dynamic,  // `extern __shared__`: as long as the launch says
    margin,
    prelude,  // of the prelude, and no shared memory
  };

  std::string name;
  std::ptrdiff_t offset = 0;  // from the object's anchor
  std::size_t bytes = 0;
  Kind kind = Kind::fixed;
};

/// The arrays of an object, by offset.
class SharedMemory {
 public:
  explicit SharedMemory(const Object& object);

  const std::vector<SharedArray>& arrays() const { return arrays_; }

  bool empty() const { return static_bytes_ == 0 && !has_dynamic_; }

  /// Bytes of the arrays that are not dynamic.
  std::size_t static_bytes() const { return static_bytes_; }

  /// The calling host thread's copy.
  char* anchor() const { return static_cast<char*>(anchor_()); }

  /// Fills the calling thread's copy with bytes that make every float a NaN.
  void poison(std::size_t dynamic_bytes) const;

 private:
  std::vector<SharedArray> arrays_;
  std::size_t static_bytes_ = 0;
  bool has_dynamic_ = false;
  void* (*anchor_)() = nullptr;
};

}  // namespace hypatia::sim
