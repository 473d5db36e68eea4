#include "engine/core/linear_algebra.h"

#include <atomic>

#include "engine/core/error.h"

namespace hypatia {

namespace {
std::atomic<const LinearAlgebra*> current{nullptr};
}  // namespace

const LinearAlgebra& linear_algebra() {
  const LinearAlgebra* table = current.load();
  if (table) return *table;
  throw Error(
      Error::Kind::device,
      "no library of linear algebra is loaded",
      "build a function first, which loads it");
}

void set_linear_algebra(const LinearAlgebra* table) {
  current.store(table);
}

}  // namespace hypatia
