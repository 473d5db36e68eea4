#pragma once
// Matrix products.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// Last axis of `a` joined with the second-last of `b` (its last, for a vector). A number
/// multiplies; more than two axes go through tensordot.
Variable dot(Operand a, Operand b);

struct GemmAttrs {
  double alpha = 1, beta = 1;
  bool inplace = false;  // the result may take the place of c: a shared variable's own update

  auto fields() const { return std::tie(alpha, beta, inplace); }
};

/// beta·c + alpha·(a · b), as the BLAS rewrites make it; c has the product's type.
Variable gemm(Operand c, Operand a, Operand b, double alpha, double beta);

extern const Op dot_op;
/// Inputs c, a, b; attributes are GemmAttrs.
extern const Op gemm_op;

/// m, n, k of a product of operands of rank 1 or 2, sizes known.
struct ProductSizes {
  std::int64_t m = 1, n = 1, k = 1;
};

ProductSizes product_sizes(const Type& a, const Type& b);

}  // namespace hypatia
