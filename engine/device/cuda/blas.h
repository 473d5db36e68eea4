#pragma once
// Matrix products through cuBLAS, taken from libcublas at run time.

#include <cublas_v2.h>
#include <string>

#include "engine/device/cuda/column_major.h"
#include "engine/device/cuda/context.h"

namespace hypatia {

/// One pointer a function; names are cuBLAS's own without the prefix.
struct Cublas {
  decltype(&cublasCreate) create;
  decltype(&cublasDestroy) destroy;
  decltype(&cublasGetVersion) version;
  decltype(&cublasSetStream) set_stream;
  decltype(&cublasSetWorkspace) set_workspace;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasSgemm) sgemm;
  decltype(&cublasDgemm) dgemm;
  decltype(&cublasSgemmStridedBatched) sgemm_batched;
  decltype(&cublasDgemmStridedBatched) dgemm_batched;
};

/// cuBLAS, or null and the reason in one clause.
struct FoundCublas {
  const Cublas* cublas = nullptr;
  std::string reason;
};

FoundCublas find_cublas();

/// A cuBLAS handle with its workspace, for one queue; its user locks.
class BlasHandle {
 public:
  /// Throws Error of kind device without cuBLAS.
  BlasHandle(Context& context, bool tf32);
  ~BlasHandle();
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;

  /// Submits to the stream. Throws if the strides suit no routine (see ColumnMajor).
  void multiply(const MatrixProduct& product, const ColumnMajor& form, CUstream stream);

 private:
  void check(cublasStatus_t status, const char* doing) const;
  void aim(CUstream stream);

  Context& context_;
  const Cublas& cublas_;
  cublasHandle_t handle_ = nullptr;
  CUdeviceptr workspace_ = 0;
  CUstream stream_ = nullptr;
  bool aimed_ = false;
};

}  // namespace hypatia
