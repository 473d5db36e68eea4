#pragma once
// DLPack: arrays shared with NumPy, PyTorch, CuPy and JAX without a copy. The structures are those
// of DLPack 0.8, whose layout is the standard; no header of it is needed.

#include "engine/core/array.h"

namespace hypatia {

struct DlDevice {
  std::int32_t type = 1;  // 1 the host, 2 a CUDA GPU, 3 page-locked host memory
  std::int32_t id = 0;
};

struct DlDType {
  std::uint8_t code = 2;  // 0 signed, 1 unsigned, 2 float, 6 bool
  std::uint8_t bits = 64;
  std::uint16_t lanes = 1;
};

struct DlTensor {
  void* data = nullptr;
  DlDevice device;
  std::int32_t ndim = 0;
  DlDType dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in elements; null: row-major
  std::uint64_t byte_offset = 0;
};

struct DlManagedTensor {
  DlTensor dl_tensor;
  void* manager_ctx = nullptr;
  void (*deleter)(DlManagedTensor*) = nullptr;
};

/// The array as a tensor that shares its memory; whoever takes it calls its deleter once. Waits
/// until the value is there. Throws Error of kind device for simulated memory, which no other
/// library can read.
DlManagedTensor* to_dlpack(const Array& array);

/// The tensor as an array that shares its memory and calls the deleter with its last view. Throws
/// Error of kind dtype or device, the deleter not called, for what the engine has no name for.
Array from_dlpack(DlManagedTensor* tensor);

}  // namespace hypatia
