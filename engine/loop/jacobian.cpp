#include "engine/loop/jacobian.h"

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/expr/watch.h"
#include "engine/grad/products.h"
#include "engine/graph/graph.h"
#include "engine/loop/scan.h"
#include "engine/loop/vectorize.h"
#include "engine/ops/iota.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// Rows that do not depend on their adjoint are equal: one for each element of the expression.
Variable repeated(const Variable& row, const Variable& expression) {
  std::vector<int> pattern(static_cast<std::size_t>(row.ndim()), -1);
  pattern[0] = 0;
  return row + dimshuffle(fill(expression, Array(0.0).astype(row.dtype())), pattern);
}

/// `linear` for each row in place of the adjoint: for all rows at once where its ops can, else in a
/// loop.
Vars for_each_row(const Vars& linear, const Variable& adjoint, const Variable& rows) {
  Vars many = vectorize(linear, {{adjoint, rows}});
  if (!many.empty()) return many;
  const auto step = [&](const Variable& row) {
    return substitute(linear, std::vector<std::pair<Variable, Variable>>{{adjoint, row}});
  };
  return scan_map(step, {rows}).outputs;
}

}  // namespace

Vars jacobian(const Variable& expression, const Vars& wrt, const GradOptions& options, Origin at) {
  if (expression.ndim() == 0) return grad(expression, wrt, options, at);
  if (expression.ndim() != 1 || !is_float(expression.dtype())) {
    throw Error(
        Error::Kind::shape,
        "jacobian takes a vector of floats, or a scalar",
        "flatten the expression first")
        .with(describe(expression, expression.type(), "expression"))
        .at(at);
  }
  // A gradient by a stand-in for the row's adjoint, then for all rows of the identity at once.
  const OriginScope scope(expression.node().origin());
  const Variable adjoint = stand_in(expression);
  const Vars row = Lop(Vars{expression}, wrt, Vars{adjoint}, options, at);
  Vars linear, result;
  for (std::size_t i = 0; i < row.size(); ++i)
    linear.push_back(row[i] ? row[i] : zeros_like(wrt[i]));
  const Variable rows = identity_matrix(shape_i(expression, 0), expression.dtype());
  for (const Variable& many : for_each_row(linear, adjoint, rows)) {
    const bool every_row = !many.type().broadcastable(0) || expression.type().broadcastable(0);
    result.push_back(every_row ? many : repeated(many, expression));
  }
  return result;
}

Variable jacobian(
    const Variable& expression, const Variable& wrt, const GradOptions& options, Origin at) {
  return jacobian(expression, Vars{wrt}, options, at)[0];
}

Variable hessian(const Variable& cost, const Variable& wrt, const GradOptions& options, Origin at) {
  if (wrt.ndim() != 1) {
    throw Error(Error::Kind::shape, "hessian derives by a vector", "flatten the variable first")
        .with(describe(wrt, wrt.type(), "wrt"))
        .at(at);
  }
  // A cost that is linear in wrt has a second derivative of zero, not none.
  GradOptions second = options;
  second.disconnected_inputs = "ignore";
  return jacobian(grad(cost, wrt, options, at), wrt, second, at);
}

}  // namespace hypatia
