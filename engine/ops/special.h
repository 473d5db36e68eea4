#pragma once
// The gamma family and inverse error functions, element by element.

#include "engine/expr/op.h"
#include "engine/expr/operand.h"

namespace hypatia {

Variable gamma(Operand x);
/// log(|gamma(x)|).
Variable gammaln(Operand x);
/// The derivative of gammaln.
Variable psi(Operand x);
/// The derivative of psi, made of other ops.
Variable tri_gamma(Operand x);
/// x with erf(x) = y, for y in (-1, 1).
Variable erfinv(Operand y);
/// x with erfc(x) = y, for y in (0, 2).
Variable erfcinv(Operand y);
/// sigmoid, by SciPy's name.
Variable expit(Operand x);
/// log(p/(1-p)).
Variable logit(Operand p);
/// log(1 - exp(x)) for x < 0, exact at both ends.
Variable log1mexp(Operand x);

extern const Op gamma_op, gammaln_op, psi_op, erfinv_op, erfcinv_op;

}  // namespace hypatia
