#pragma once
// Matrix products on the host: a BLAS loaded at run time, or loops of our own where it has none.

#include "engine/device/library.h"

namespace hypatia {

/// c = alpha · a·b + beta · c as MatrixProduct describes it, split over the pool. With beta 0 the
/// old c is not read. Throws Error of kind dtype on others than float32 and float64.
void multiply(const MatrixProduct& product);

}  // namespace hypatia
