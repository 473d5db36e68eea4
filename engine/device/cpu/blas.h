#pragma once
// Matrix products on the host: a BLAS loaded at run time, and loops of our own.

#include <string>

#include "engine/device/library.h"

namespace hypatia {

/// c = alpha · a·b + beta · c as MatrixProduct describes it, split over the pool. With beta 0 the
/// old c is not read, with alpha 0 neither a nor b. The operands may overlap. Throws Error of kind
/// dtype on others than float32 and float64.
void multiply(const MatrixProduct& product);

/// The BLAS in use, for doctor and for benchmarks.
struct BlasFacts {
  std::string library;  // its file; "" if there is none and our own loops do all
  std::string core;     // the processor that it takes this one for, "" if it doesn't say
  std::string version;
  std::string note;  // what was corrected or is wrong, a sentence; "" if nothing
};

/// Loads the BLAS if that hasn't happened: the flag blas.library's, else OpenBLAS, BLIS, MKL or the
/// system's, whichever is there; "none" as the flag's value means our own loops only.
const BlasFacts& blas_facts();

/// A function of the BLAS or its LAPACK by its Fortran name, "dgesv_"; null if it isn't there.
void* blas_function(const std::string& name);

/// The core type that OpenBLAS should be told, if the one it took on is for lesser processors than
/// one with these vector units; else "".
std::string better_core(const std::string& core, bool avx2, bool avx512);

}  // namespace hypatia
