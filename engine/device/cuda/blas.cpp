#include "engine/device/cuda/blas.h"

#include <filesystem>

#include "engine/core/error.h"
#include "engine/device/cuda/loader.h"

namespace hypatia {

namespace {

// What NVIDIA recommends for Hopper. Given by us, so that capturing a product allocates nothing.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;

FoundCublas load_cublas() {
  // libcublas needs libcublasLt, which the loader's own search may not find.
  load_cuda_library({"libcublasLt.so.13"});
  LoadedLibrary from = load_cuda_library({"libcublas.so.13"});
  if (!from.handle) {
    load_cuda_library({"libcublasLt.so.12"});
    from = load_cuda_library({"libcublas.so.12"});
  }
  if (!from.handle) {
    return {nullptr, "cuBLAS was not found (" + from.reason + "); install the CUDA Toolkit"};
  }
  Cublas& c = *new Cublas{};  // lives as long as the process, like the library
  const bool whole = from.bind(c.create, "cublasCreate_v2") &&
                     from.bind(c.destroy, "cublasDestroy_v2") &&
                     from.bind(c.version, "cublasGetVersion_v2") &&
                     from.bind(c.set_stream, "cublasSetStream_v2") &&
                     from.bind(c.set_workspace, "cublasSetWorkspace_v2") &&
                     from.bind(c.set_math_mode, "cublasSetMathMode") &&
                     from.bind(c.sgemm, "cublasSgemm_v2") && from.bind(c.dgemm, "cublasDgemm_v2") &&
                     from.bind(c.sgemm_batched, "cublasSgemmStridedBatched") &&
                     from.bind(c.dgemm_batched, "cublasDgemmStridedBatched");
  if (!whole) return {nullptr, from.path + " is no complete cuBLAS; install CUDA 12 or 13"};
  return {&c, ""};
}

const Cublas& need_cublas() {
  const FoundCublas found = find_cublas();
  if (!found.cublas) {
    throw Error(Error::Kind::device, "no matrix product can run on the GPU: " + found.reason);
  }
  return *found.cublas;
}

cublasOperation_t operation(bool transpose) {
  return transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// The four routines differ in name and element type alone.
template <class T, class Gemm, class Batched>
cublasStatus_t gemm(
    cublasHandle_t handle,
    Gemm single,
    Batched batched,
    const MatrixProduct& p,
    const ColumnMajor& f) {
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  const auto* a = static_cast<const T*>(f.a);
  const auto* b = static_cast<const T*>(f.b);
  auto* c = static_cast<T*>(p.c);
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const cublasOperation_t at = operation(f.transpose_a), bt = operation(f.transpose_b);
  const int m = narrow(f.m), n = narrow(f.n), k = narrow(f.k);
  const int lda = narrow(f.lda), ldb = narrow(f.ldb), ldc = narrow(f.ldc);
  if (p.batches == 1) {
    return single(handle, at, bt, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  }
  return batched(
      handle,
      at,
      bt,
      m,
      n,
      k,
      &alpha,
      a,
      lda,
      f.a_batch,
      b,
      ldb,
      f.b_batch,
      &beta,
      c,
      ldc,
      p.c_batch,
      narrow(p.batches));
}

}  // namespace

FoundCublas find_cublas() {
  return once_a_search(load_cublas);
}

BlasHandle::BlasHandle(Context& context, bool tf32) : context_(context), cublas_(need_cublas()) {
  context_.use();
  check(cublas_.create(&handle_), "starting cuBLAS");
  context_.check(
      context_.driver().allocate(&workspace_, workspace_bytes), "taking cuBLAS's workspace");
  // The default mode keeps float32 products in float32.
  check(
      cublas_.set_math_mode(handle_, tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH),
      "setting cuBLAS's precision");
}

BlasHandle::~BlasHandle() {
  context_.try_use();
  cublas_.destroy(handle_);
  context_.driver().free(workspace_);
}

void BlasHandle::check(cublasStatus_t status, const char* doing) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  context_.check(context_.driver().synchronize(), doing);
  throw Error(
      Error::Kind::device,
      context_.name() + ": " + doing + " failed with cuBLAS status " +
          std::to_string(static_cast<int>(status)));
}

void BlasHandle::aim(CUstream stream) {
  if (aimed_ && stream == stream_) return;
  check(cublas_.set_stream(handle_, stream), "giving cuBLAS its stream");
  // Setting the stream took the workspace away.
  check(
      cublas_.set_workspace(handle_, reinterpret_cast<void*>(workspace_), workspace_bytes),
      "giving cuBLAS its workspace");
  stream_ = stream;
  aimed_ = true;
}

void BlasHandle::multiply(const MatrixProduct& p, const ColumnMajor& form, CUstream stream) {
  context_.use();
  aim(stream);
  const cublasStatus_t status =
      p.dtype == DType::float64
          ? gemm<double>(handle_, cublas_.dgemm, cublas_.dgemm_batched, p, form)
          : gemm<float>(handle_, cublas_.sgemm, cublas_.sgemm_batched, p, form);
  check(status, "a matrix product");
}

}  // namespace hypatia
