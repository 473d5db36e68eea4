#pragma once
// A matrix product for strides that cuBLAS does not take: correct for all, fast for none.

#include <array>
#include <cstdint>
#include <string>

#include "engine/device/kernel.h"
#include "engine/device/library.h"

namespace hypatia {

/// The kernels' text, for float32 and float64.
KernelSource plain_product_source();

/// The launch of one product; the arguments point into this object.
class PlainProduct {
 public:
  explicit PlainProduct(const MatrixProduct& product);

  std::string entry() const;
  Launch launch() const;

  void* const* arguments() { return arguments_.data(); }

 private:
  MatrixProduct product_;
  float alpha_ = 1, beta_ = 0;
  std::array<void*, 17> arguments_{};
};

}  // namespace hypatia
