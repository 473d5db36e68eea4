#include "engine/core/linear_algebra.h"

#include <atomic>

#include "engine/core/error.h"

namespace hypatia {

namespace {
std::atomic<const LinearAlgebra*> library_table{nullptr};
}  // namespace

const LinearAlgebra& linear_algebra() {
  const LinearAlgebra* table = library_table.load();
  if (table) return *table;
  throw Error(
      Error::Kind::device,
      "no library of linear algebra is loaded",
      "build a function first, which loads it");
}

void set_linear_algebra(const LinearAlgebra* table) {
  library_table.store(table);
}

}  // namespace hypatia
