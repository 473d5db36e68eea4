#include "engine/run/host_algebra.h"

#include "engine/core/linear_algebra.h"
#include "engine/device/cpu/lapack.h"

namespace hypatia {

namespace {

constexpr LinearAlgebra table{
    .inverse = lapack::inverse,
    .det = lapack::det,
    .cholesky = [](const Array& a) { return lapack::cholesky(a); },
    .solve = lapack::solve,
    .qr = [](const Array& a) -> std::vector<Array> {
      const lapack::Qr parts = lapack::qr(a);
      return {parts.q, parts.r};
    },
    .svd = [](const Array& a) -> std::vector<Array> {
      const lapack::Svd parts = lapack::svd(a, false);
      return {parts.u, parts.s, parts.vt};
    },
    .eigh = [](const Array& a) -> std::vector<Array> {
      const lapack::Eigh parts = lapack::eigh(a);
      return {parts.values, parts.vectors};
    },
};

}  // namespace

void use_host_algebra() {
  set_linear_algebra(&table);
}

}  // namespace hypatia
