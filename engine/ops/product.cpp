#include "engine/ops/product.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/ops/linalg.h"
#include "engine/ops/loops.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

void infer_dot(const TypeCall& call, Types& out) {
  const Type &a = call.in[0], &b = call.in[1];
  if (a.rank() < 1 || a.rank() > 2 || b.rank() < 1 || b.rank() > 2) {
    throw Error(
        Error::Kind::shape,
        "dot joins vectors and matrices; ranks " + std::to_string(a.rank()) + " and " +
            std::to_string(b.rank()) + " came",
        "use tensordot or batched_dot for more axes, and * for numbers");
  }
  const std::int64_t left = a.dims()[a.rank() - 1], right = b.dims()[0];
  if (left != unknown_dim && right != unknown_dim && left != right) {
    throw Error(
        Error::Kind::shape,
        "dot: inner dimensions differ, " + std::to_string(left) + " and " + std::to_string(right),
        "dot joins the last axis of the left with the first of the right (the second-last, for a "
        "matrix)");
  }
  Type result = Type(promote(a.dtype(), b.dtype()), 0).with_place(a.place());
  if (a.rank() == 2) result.push_axis(a.dims()[0], a.broadcastable(0));
  if (b.rank() == 2) result.push_axis(b.dims()[1], b.broadcastable(1));
  out.push_back(result);
}

std::vector<Array> eval_dot(const EvalCall& call) {
  const DType dtype = call.out_types[0].dtype();
  const Array a = call.in[0].astype(dtype).contiguous_on_host();
  const Array b = call.in[1].astype(dtype).contiguous_on_host();
  const ProductSizes s = product_sizes(a.type(), b.type());
  Array out(dtype, call.out_types[0].dims());
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T* x = static_cast<const T*>(a.address());
    const T* y = static_cast<const T*>(b.address());
    T* z = static_cast<T*>(out.address());
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        auto total = wrapping(T{0});
        for (std::int64_t k = 0; k < s.k; ++k) {
          total = static_cast<decltype(total)>(
              total + wrapping(x[i * s.k + k]) * wrapping(y[k * s.n + j]));
        }
        z[i * s.n + j] = static_cast<T>(total);
      }
    }
  });
  return {out};
}

/// A vector as a column or a row of a matrix.
Variable column(const Variable& v) {
  return dimshuffle(v, {0, -1});
}

Variable row_of(const Variable& v) {
  return dimshuffle(v, {-1, 0});
}

Vars dot_pullback(const Adjoint& adjoint) {
  const Variable &a = adjoint.in[0], &b = adjoint.in[1], &bar = adjoint.out_bar[0];
  if (a.ndim() == 1 && b.ndim() == 1) return {bar * b, bar * a};
  if (a.ndim() == 1) return {dot(b, bar), column(a) * row_of(bar)};
  if (b.ndim() == 1) return {column(bar) * row_of(b), dot(transpose(a), bar)};
  return {dot(bar, transpose(b)), dot(transpose(a), bar)};
}

Vars dot_pushforward(const Tangent& t) {
  Variable result;
  if (t.in_dot[0]) result = dot(t.in_dot[0], t.in[1]);
  if (t.in_dot[1]) {
    const Variable right = dot(t.in[0], t.in_dot[1]);
    result = result ? result + right : right;
  }
  return {result};
}

Cost cost_dot(const CostCall& call) {
  const ProductSizes s = product_sizes(call.in[0], call.in[1]);
  const double m = static_cast<double>(s.m), n = static_cast<double>(s.n);
  const double k = static_cast<double>(s.k);
  return {2 * m * n * k, (m * k + k * n + m * n) * size_of(call.out[0].dtype())};
}

void infer_gemm(const TypeCall& call, Types& out) {
  infer_dot(TypeCall{call.op, call.attrs, call.in.subspan(1), {}}, out);
  const Type &c = call.in[0], &product = out[0];
  if (c.dtype() == product.dtype() && c.rank() == product.rank()) {
    out[0] = product.with_dims(c.dims());
    return;
  }
  throw Error(
      Error::Kind::shape,
      "gemm: the accumulated value is " + brief(c) + " and the product " + brief(product));
}

std::vector<Array> eval_gemm(const EvalCall& call) {
  const GemmAttrs& attrs = call.attrs.as<GemmAttrs>();
  const EvalCall product{call.op, call.attrs, call.in.subspan(1), call.out_types};
  const Array ab = eval_dot(product)[0], c = call.in[0].contiguous_on_host();
  visit(ab.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* to = static_cast<T*>(ab.address());
    const T* from = static_cast<const T*>(c.address());
    const T alpha = static_cast<T>(attrs.alpha), beta = static_cast<T>(attrs.beta);
    for (std::int64_t i = 0; i < ab.elements(); ++i) {
      to[i] = static_cast<T>(alpha * to[i] + (attrs.beta != 0 ? beta * from[i] : T{0}));
    }
  });
  return {ab};
}

Variable scaled(const Variable& v, double factor) {
  return v * constant(Array(factor).astype(v.dtype()), v.node().origin());
}

Vars gemm_pullback(const Adjoint& a) {
  const GemmAttrs& attrs = a.node.attrs().as<GemmAttrs>();
  const Variable product_bar = scaled(a.out_bar[0], attrs.alpha);
  const Adjoint product{a.node, {a.in[1], a.in[2]}, a.out, {product_bar}};
  const Vars bars = dot_pullback(product);
  return {scaled(a.out_bar[0], attrs.beta), bars[0], bars[1]};
}

Cost cost_gemm(const CostCall& call) {
  Cost cost = cost_dot(CostCall{call.op, call.attrs, call.in.subspan(1), call.out});
  cost.flops += 3 * static_cast<double>(elements(call.out[0].dims()));
  cost.bytes += static_cast<double>(elements(call.out[0].dims())) * size_of(call.out[0].dtype());
  return cost;
}

/// Products of floats go by the names of their BLAS routines.
std::string print_dot(const Apply& node) {
  const DType dtype = node.type(0).dtype();
  const bool blas = is_float(dtype) && node.input(0).dtype() == dtype &&
                    node.input(1).dtype() == dtype && node.type(0).rank() > 0;
  if (!blas) return "dot";
  if (node.type(0).rank() == 2) return "Dot22";
  return node.type(0).place().on_host() ? "CGemv{no_inplace}" : "Gemv{no_inplace}";
}

std::string print_gemm(const Apply& node) {
  const bool vector = node.type(0).rank() < 2, on_host = node.type(0).place().on_host();
  const std::string name = vector ? (on_host ? "CGemv" : "Gemv") : "Gemm";
  return name + (node.attrs().as<GemmAttrs>().inplace ? "{inplace}" : "{no_inplace}");
}

}  // namespace

constinit const Op gemm_op{
    .name = "gemm",
    .doc = "beta c + alpha a b",
    .arity = 3,
    .infer = infer_gemm,
    .lowering = ProductLowering{},
    .eval = eval_gemm,
    .pullback = gemm_pullback,
    .cost = cost_gemm,
    .print_name = print_gemm,
};

constinit const Op dot_op{
    .name = "dot",
    .doc = "product of vectors and matrices",
    .arity = 2,
    .infer = infer_dot,
    .lowering = ProductLowering{},
    .eval = eval_dot,
    .pullback = dot_pullback,
    .pushforward = dot_pushforward,
    .cost = cost_dot,
    .print_name = print_dot,
};

ProductSizes product_sizes(const Type& a, const Type& b) {
  ProductSizes s;
  s.m = a.rank() == 2 ? a.dims()[0] : 1;
  s.k = a.dims()[a.rank() - 1];
  s.n = b.rank() == 2 ? b.dims()[1] : 1;
  return s;
}

Variable gemm(Operand c, Operand a, Operand b, double alpha, double beta) {
  return apply(gemm_op, {c.variable, a.variable, b.variable}, GemmAttrs{alpha, beta}, c.at);
}

Variable dot(Operand a, Operand b) {
  const int left = a.variable.ndim(), right = b.variable.ndim();
  if (left == 0 || right == 0) return a * b;
  if (left > 2 || right > 2) return tensordot(a, b, {left - 1}, {std::max(right - 2, 0)});
  return apply(dot_op, {a.variable, b.variable}, {}, a.at);
}

}  // namespace hypatia
