#pragma once
// The arithmetic behind the simulated card's matrix products.

#include "engine/device/library.h"

namespace hypatia::sim {

/// Computes a product now, on the host's threads; addresses are ones that the host can read.
void multiply(const MatrixProduct& product);

}  // namespace hypatia::sim
