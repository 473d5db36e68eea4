#pragma once
// Linear algebra of LAPACK on the host, from the same library as the BLAS.

#include "engine/core/array.h"

namespace hypatia::lapack {

/// False where there is no LAPACK; every function below then throws Error of kind device that says
/// what to install.
bool available();

// All take float32 or float64 arrays of rank 2 on the host, square where that is named, and give
// new row-major arrays of the same dtype. They throw Error of kind shape on other ranks and sizes,
// of kind dtype on other dtypes, and of kind value where a result doesn't exist.

/// x with a·x = b, a square; b is a vector or a matrix. Throws where a is singular.
Array solve(const Array& a, const Array& b);
/// x with a·x = b, a square and lower (or upper) triangular: the other half isn't read.
Array solve_triangular(const Array& a, const Array& b, bool lower);
/// Throws where a is singular.
Array inverse(const Array& a);
/// The determinant of a square matrix, of rank 0.
Array det(const Array& a);
/// l with l·lᵀ = a (or u with uᵀ·u = a), zeros in the other half. Throws where a is not positive
/// definite.
Array cholesky(const Array& a, bool lower = true);

struct Qr {
  Array q, r;
};

/// a = q·r with q's columns orthonormal; q is rows × least, r least × columns.
Qr qr(const Array& a);

struct Svd {
  Array u, s, vt;
};

/// a = u·diag(s)·vt, s falling; with `full` u and vt are square.
Svd svd(const Array& a, bool full = true);

struct Eigh {
  Array values, vectors;
};

/// Eigenvalues of a symmetric matrix, rising, and its eigenvectors as columns; reads one half.
Eigh eigh(const Array& a, bool lower = true);

}  // namespace hypatia::lapack
