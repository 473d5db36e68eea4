// LAPACK's matrices lie column by column: a row-major array is the transpose of what LAPACK sees,
// which symmetric problems don't mind and the others are handed transposed copies for.
#include "engine/device/cpu/lapack.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "engine/device/cpu/blas.h"

namespace hypatia::lapack {

namespace {

template <class T>
void* find(const std::string& name) {
  void* function = blas_function((sizeof(T) == 4 ? 's' : 'd') + name + '_');
  if (!function) {
    throw Error(
        Error::Kind::device,
        "there is no LAPACK with " + name,
        "install one (on Debian: apt-get install libopenblas0), or name one with blas.library");
  }
  return function;
}

/// Calls a LAPACK routine: scalars by address, arrays as pointers.
template <class T, class... Args>
void call(const char* name, Args... args) {
  reinterpret_cast<void (*)(Args...)>(find<T>(name))(args...);
}

void require_matrix(const Array& a, const char* role, bool square) {
  if (a.rank() != 2) {
    throw Error(
        Error::Kind::shape,
        std::string(role) + " takes a matrix, not an array of rank " + std::to_string(a.rank()));
  }
  if (square && a.dim(0) != a.dim(1)) {
    throw Error(
        Error::Kind::shape,
        std::string(role) + " takes a square matrix, not one of " + to_text(a.dims()));
  }
}

[[noreturn]] void no_result(const std::string& what) {
  throw Error(Error::Kind::value, what);
}

template <class F>
auto by_dtype(const Array& a, const char* role, F&& f) {
  if (a.dtype() == DType::float32) return f(float{});
  if (a.dtype() == DType::float64) return f(double{});
  throw Error(
      Error::Kind::dtype,
      std::string(role) + " takes float32 or float64, not " + std::string(name(a.dtype())));
}

/// The same values column by column: the memory that LAPACK takes for `a`.
Array columns_of(const Array& a) {
  return a.transpose().copy();
}

/// The row-major array of what LAPACK left in `memory`, of rows × columns.
Array from_columns(const Array& memory, std::int64_t rows, std::int64_t columns) {
  return memory.reshape({columns, rows}).transpose().copy();
}

int size_of_axis(const Array& a, int axis) {
  return static_cast<int>(a.dim(axis));
}

/// LU factors of a column-by-column matrix and its pivots; `info` > 0 where it is singular.
template <class T>
int factor(Array& memory, std::vector<int>& pivots, int n) {
  int info = 0;
  pivots.resize(static_cast<std::size_t>(std::max(n, 1)));
  const int step = std::max(n, 1);
  call<T, const int*, const int*, T*, const int*, int*, int*>(
      "getrf", &n, &n, memory.data<T>(), &step, pivots.data(), &info);
  return info;
}

/// Sets the half of a square row-major matrix to zero that a triangular result hasn't.
template <class T>
void clear_half(Array& a, bool keep_lower) {
  const std::int64_t rows = a.dim(0), columns = a.dim(1);
  T* values = a.data<T>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (keep_lower ? j > i : j < i) values[i * columns + j] = 0;
    }
  }
}

/// Runs a routine twice: asking for its workspace, then with it.
template <class T, class F>
void with_workspace(F&& f) {
  T wanted = 0;
  const int ask = -1;
  f(&wanted, &ask);
  const int size = std::max(1, static_cast<int>(wanted));
  std::vector<T> work(static_cast<std::size_t>(size));
  f(work.data(), &size);
}

/// b as a matrix of columns; a vector is one.
Array right_side(const Array& a, const Array& b, const char* role) {
  const bool fits = (b.rank() == 1 || b.rank() == 2) && b.dim(0) == a.dim(0);
  if (!fits || b.dtype() != a.dtype()) {
    throw Error(
        fits ? Error::Kind::dtype : Error::Kind::shape,
        std::string(role) + ": the right side must be " + std::string(name(a.dtype())) + " with " +
            std::to_string(a.dim(0)) + " rows, not " + brief(b.type()));
  }
  return columns_of(b.rank() == 1 ? b.reshape({b.dim(0), 1}) : b);
}

}  // namespace

bool available() {
  return blas_function("dgesdd_") != nullptr;
}

Array solve(const Array& a, const Array& b) {
  require_matrix(a, "solve", true);
  return by_dtype(a, "solve", [&](auto zero) {
    using T = decltype(zero);
    Array left = columns_of(a), right = right_side(a, b, "solve");
    const int n = size_of_axis(a, 0), sides = size_of_axis(right, 0), step = std::max(n, 1);
    std::vector<int> pivots(static_cast<std::size_t>(step));
    int info = 0;
    call<T, const int*, const int*, T*, const int*, int*, T*, const int*, int*>(
        "gesv", &n, &sides, left.data<T>(), &step, pivots.data(), right.data<T>(), &step, &info);
    if (info > 0) no_result("solve: the matrix is singular");
    return from_columns(right, n, sides).reshape(b.dims());
  });
}

Array solve_triangular(const Array& a, const Array& b, bool lower) {
  require_matrix(a, "solve_triangular", true);
  return by_dtype(a, "solve_triangular", [&](auto zero) {
    using T = decltype(zero);
    const Array left = columns_of(a);
    Array right = right_side(a, b, "solve_triangular");
    const int n = size_of_axis(a, 0), sides = size_of_axis(right, 0), step = std::max(n, 1);
    int info = 0;
    call<
        T,
        const char*,
        const char*,
        const char*,
        const int*,
        const int*,
        const T*,
        const int*,
        T*,
        const int*,
        int*>(
        "trtrs",
        lower ? "L" : "U",
        "N",
        "N",
        &n,
        &sides,
        left.data<T>(),
        &step,
        right.data<T>(),
        &step,
        &info);
    if (info > 0) no_result("solve_triangular: the matrix is singular");
    return from_columns(right, n, sides).reshape(b.dims());
  });
}

Array inverse(const Array& a) {
  require_matrix(a, "inverse", true);
  return by_dtype(a, "inverse", [&](auto zero) {
    using T = decltype(zero);
    // The inverse of the transpose is the transpose of the inverse: no copy needs turning.
    Array memory = a.copy();
    const int n = size_of_axis(a, 0), step = std::max(n, 1);
    std::vector<int> pivots;
    int info = factor<T>(memory, pivots, n);
    if (info == 0 && n > 0) {
      with_workspace<T>([&](T* work, const int* size) {
        call<T, const int*, T*, const int*, const int*, T*, const int*, int*>(
            "getri", &n, memory.data<T>(), &step, pivots.data(), work, size, &info);
      });
    }
    if (info > 0) no_result("inverse: the matrix is singular");
    return memory;
  });
}

Array det(const Array& a) {
  require_matrix(a, "det", true);
  return by_dtype(a, "det", [&](auto zero) -> Array {
    using T = decltype(zero);
    Array memory = a.copy();
    const int n = size_of_axis(a, 0);
    std::vector<int> pivots;
    factor<T>(memory, pivots, n);
    T product = 1;
    for (int i = 0; i < n; ++i) {
      product *= memory.data<T>()[static_cast<std::int64_t>(i) * (n + 1)];
      if (pivots[static_cast<std::size_t>(i)] != i + 1) product = -product;
    }
    return product;
  });
}

Array cholesky(const Array& a, bool lower) {
  require_matrix(a, "cholesky", true);
  return by_dtype(a, "cholesky", [&](auto zero) {
    using T = decltype(zero);
    Array memory = a.copy();
    const int n = size_of_axis(a, 0), step = std::max(n, 1);
    int info = 0;
    // Our lower half is LAPACK's upper one.
    call<T, const char*, const int*, T*, const int*, int*>(
        "potrf", lower ? "U" : "L", &n, memory.data<T>(), &step, &info);
    if (info > 0) no_result("cholesky: the matrix is not positive definite");
    clear_half<T>(memory, lower);
    return memory;
  });
}

Qr qr(const Array& a) {
  require_matrix(a, "qr", false);
  return by_dtype(a, "qr", [&](auto zero) {
    using T = decltype(zero);
    Array memory = columns_of(a);
    const int m = size_of_axis(a, 0), n = size_of_axis(a, 1), least = std::min(m, n);
    const int step = std::max(m, 1);
    std::vector<T> scales(static_cast<std::size_t>(std::max(least, 1)));
    int info = 0;
    with_workspace<T>([&](T* work, const int* size) {
      call<T, const int*, const int*, T*, const int*, T*, T*, const int*, int*>(
          "geqrf", &m, &n, memory.data<T>(), &step, scales.data(), work, size, &info);
    });
    const Array factors = from_columns(memory, m, n);
    Array r(a.dtype(), {least, n});
    std::copy_n(factors.data<T>(), static_cast<std::int64_t>(least) * n, r.data<T>());
    clear_half<T>(r, false);
    with_workspace<T>([&](T* work, const int* size) {
      call<T, const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*>(
          "orgqr", &m, &least, &least, memory.data<T>(), &step, scales.data(), work, size, &info);
    });
    Array q_columns(a.dtype(), {least, m});
    std::copy_n(memory.data<T>(), static_cast<std::int64_t>(least) * m, q_columns.data<T>());
    return Qr{q_columns.transpose().copy(), r};
  });
}

Svd svd(const Array& a, bool full) {
  require_matrix(a, "svd", false);
  return by_dtype(a, "svd", [&](auto zero) {
    using T = decltype(zero);
    Array memory = columns_of(a);
    const int m = size_of_axis(a, 0), n = size_of_axis(a, 1), least = std::min(m, n);
    const int u_columns = full ? m : least, vt_rows = full ? n : least;
    Array u(a.dtype(), {u_columns, m}), s(a.dtype(), {least}), vt(a.dtype(), {n, vt_rows});
    const int m_step = std::max(m, 1), vt_step = std::max(vt_rows, 1);
    std::vector<int> integers(static_cast<std::size_t>(8 * std::max(least, 1)));
    int info = 0;
    with_workspace<T>([&](T* work, const int* size) {
      call<
          T,
          const char*,
          const int*,
          const int*,
          T*,
          const int*,
          T*,
          T*,
          const int*,
          T*,
          const int*,
          T*,
          const int*,
          int*,
          int*>(
          "gesdd",
          full ? "A" : "S",
          &m,
          &n,
          memory.data<T>(),
          &m_step,
          s.data<T>(),
          u.data<T>(),
          &m_step,
          vt.data<T>(),
          &vt_step,
          work,
          size,
          integers.data(),
          &info);
    });
    if (info != 0) no_result("svd: the iteration did not converge; is there a NaN?");
    return Svd{u.transpose().copy(), s, vt.transpose().copy()};
  });
}

Eigh eigh(const Array& a, bool lower) {
  require_matrix(a, "eigh", true);
  return by_dtype(a, "eigh", [&](auto zero) {
    using T = decltype(zero);
    Array memory = a.copy();
    const int n = size_of_axis(a, 0), step = std::max(n, 1);
    Array values(a.dtype(), {n});
    std::vector<int> integers(static_cast<std::size_t>(3 + 5 * step));
    const int integer_size = 3 + 5 * step;
    int info = 0;
    with_workspace<T>([&](T* work, const int* size) {
      call<
          T,
          const char*,
          const char*,
          const int*,
          T*,
          const int*,
          T*,
          T*,
          const int*,
          int*,
          const int*,
          int*>(
          "syevd",
          "V",
          lower ? "U" : "L",
          &n,
          memory.data<T>(),
          &step,
          values.data<T>(),
          work,
          size,
          integers.data(),
          &integer_size,
          &info);
    });
    if (info != 0) no_result("eigh: the iteration did not converge; is there a NaN?");
    return Eigh{values, from_columns(memory, n, n)};
  });
}

}  // namespace hypatia::lapack
