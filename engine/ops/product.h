#pragma once
// Matrix products.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// Last axis of `a` joined with the second-last of `b` (its last, for a vector); ranks 1 and 2.
Variable dot(Operand a, Operand b);

/// Both operands rank 2 after padding: what the kernels see.
extern const Op dot_op;

/// m, n, k of a product of operands of rank 1 or 2, sizes known.
struct ProductSizes {
  std::int64_t m = 1, n = 1, k = 1;
};

ProductSizes product_sizes(const Type& a, const Type& b);

}  // namespace hypatia
