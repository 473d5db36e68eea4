#pragma once
// The seam between ops of linear algebra and the library that does their work on the host.

#include "engine/core/array.h"

namespace hypatia {

/// What a LAPACK offers; operands and results are float32 or float64 arrays on the host.
struct LinearAlgebra {
  Array (*inverse)(const Array& a) = nullptr;
  Array (*det)(const Array& a) = nullptr;
  Array (*cholesky)(const Array& a) = nullptr;
  Array (*solve)(const Array& a, const Array& b) = nullptr;
  /// q, r.
  std::vector<Array> (*qr)(const Array& a) = nullptr;
  /// u, s, vt without the rows and columns that only complete a square.
  std::vector<Array> (*svd)(const Array& a) = nullptr;
  /// Eigenvalues and eigenvectors of a symmetric matrix.
  std::vector<Array> (*eigh)(const Array& a) = nullptr;
};

/// The library in use. Throws Error where none was set.
const LinearAlgebra& linear_algebra();
/// Sets it; the table outlives the program's use of it.
void set_linear_algebra(const LinearAlgebra* table);

}  // namespace hypatia
