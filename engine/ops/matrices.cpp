// The functions of linear algebra that other ops make up: diagonals, powers, products.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "engine/core/error.h"
#include "engine/ops/iota.h"
#include "engine/ops/layouts.h"
#include "engine/ops/linalg.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"

namespace hypatia {

Variable trace(Operand a) {
  return sum(diag(a));
}

Variable matrix_power(Operand a, int n) {
  if (n == 0) return identity_matrix(shape_i(a, 0), a.variable.dtype());
  Variable square = n < 0 ? matrix_inverse(a) : a.variable, result;
  for (int left = std::abs(n); left; left >>= 1) {
    if (left & 1) result = result ? dot(result, square) : square;
    if (left > 1) square = dot(square, square);
  }
  return result;
}

Variable outer(Operand a, Operand b) {
  return dimshuffle(a, {0, -1}) * dimshuffle(b, {-1, 0});
}

namespace {

void need_axes(const char* op, int lowest, int highest, const Operand& a, const Operand& b) {
  const auto fits = [&](const Operand& x) {
    return x.variable.ndim() >= lowest && x.variable.ndim() <= highest;
  };
  if (fits(a) && fits(b)) return;
  throw Error(
      Error::Kind::shape,
      std::string(op) + " takes operands of " + std::to_string(lowest) + " to " +
          std::to_string(highest) + " axes")
      .with({"left", brief(a.variable.type()), a.variable.name(), a.at})
      .with({"right", brief(b.variable.type()), b.variable.name(), b.at})
      .at(a.at);
}

/// Axes counted from 0, those that are not among them, and the product of some sizes.
std::vector<int> normal_axes(const Operand& x, const std::vector<int>& axes) {
  std::vector<int> normal;
  for (int axis : axes)
    normal.push_back(normal_axis(axis, x, "tensordot"));
  return normal;
}

std::vector<int> other_axes(const Operand& x, const std::vector<int>& axes) {
  std::vector<int> others;
  for (int axis = 0; axis < x.variable.ndim(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) others.push_back(axis);
  }
  return others;
}

Operands sizes_along(const Operand& x, const std::vector<int>& axes) {
  const Vars sizes = sizes_of(x, x.at);
  Operands out;
  for (int axis : axes)
    out.emplace_back(sizes[static_cast<std::size_t>(axis)], x.at);
  return out;
}

Operand product_of(const Operands& sizes, Origin at) {
  Operand product(as_size(Operand(1, at), at), at);
  for (const Operand& s : sizes)
    product = Operand(product * s, at);
  return product;
}

/// Numbers from `first` on.
std::vector<int> counted_from(int first, int count) {
  std::vector<int> axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

}  // namespace

Variable batched_dot(Operand a, Operand b) {
  need_axes("batched_dot", 2, 3, a, b);
  const bool row = a.variable.ndim() == 2, column = b.variable.ndim() == 2;
  if (row && column) return sum({a * b, a.at}, Axes{1});
  if (row) return sum({dimshuffle(a, {0, 1, -1}) * b, a.at}, Axes{1});
  if (column) return sum({a * Operand(dimshuffle(b, {0, -1, 1}), b.at), a.at}, Axes{2});
  return sum(dimshuffle(a, {0, 1, 2, -1}) * dimshuffle(b, {0, -1, 1, 2}), Axes{2});
}

Variable tensordot(
    Operand a, Operand b, const std::vector<int>& a_axes, const std::vector<int>& b_axes) {
  const std::vector<int> from = normal_axes(a, a_axes), with = normal_axes(b, b_axes);
  const std::vector<int> left = other_axes(a, from), right = other_axes(b, with);
  if (from.size() != with.size() ||
      left.size() + from.size() != static_cast<std::size_t>(a.variable.ndim()) ||
      right.size() + with.size() != static_cast<std::size_t>(b.variable.ndim())) {
    throw Error(
        Error::Kind::shape,
        "tensordot joins each axis of the left with another of the right",
        "name as many axes of both, each once")
        .at(a.at);
  }
  std::vector<int> order = left, turned = with;
  order.insert(order.end(), from.begin(), from.end());
  turned.insert(turned.end(), right.begin(), right.end());
  // Sizes that differ may have equal products: each pair is compared.
  Operands joined = sizes_along(a, from), other = sizes_along(b, with);
  for (std::size_t i = 0; i < joined.size(); ++i)
    joined[i] = Operand(same_size(joined[i], other[i]), a.at);
  Operands dims = sizes_along(a, left);
  const Operands more = sizes_along(b, right);
  const Operand inner = product_of(joined, a.at);
  const Variable x = reshape({transpose(a, order), a.at}, {product_of(dims, a.at), inner});
  const Variable y = reshape({transpose(b, turned), b.at}, {inner, product_of(more, a.at)});
  dims.insert(dims.end(), more.begin(), more.end());
  return reshape({dot({x, a.at}, {y, b.at}), a.at}, dims);
}

Variable tensordot(Operand a, Operand b, int axes) {
  need_axes("tensordot", std::max(axes, 0), max_rank, a, b);
  return tensordot(a, b, counted_from(a.variable.ndim() - axes, axes), counted_from(0, axes));
}

Variable batched_tensordot(Operand a, Operand b, int axes) {
  need_axes("batched_tensordot", axes + 1, max_rank, a, b);
  const std::vector<int> from = counted_from(a.variable.ndim() - axes, axes);
  const std::vector<int> with = counted_from(1, axes);
  const std::vector<int> left = counted_from(1, a.variable.ndim() - axes - 1);
  const std::vector<int> right = counted_from(1 + axes, b.variable.ndim() - axes - 1);
  Operands joined = sizes_along(a, from), other = sizes_along(b, with);
  for (std::size_t i = 0; i < joined.size(); ++i)
    joined[i] = Operand(same_size(joined[i], other[i]), a.at);
  const Operand inner = product_of(joined, a.at);
  const Operands batch = sizes_along(a, {0}), rows = sizes_along(a, left);
  const Operands columns = sizes_along(b, right);
  const Variable x = reshape(a, {batch[0], product_of(rows, a.at), inner});
  const Variable y = reshape(b, {sizes_along(b, {0})[0], inner, product_of(columns, a.at)});
  Operands dims = batch;
  dims.insert(dims.end(), rows.begin(), rows.end());
  dims.insert(dims.end(), columns.begin(), columns.end());
  return reshape({batched_dot({x, a.at}, {y, b.at}), a.at}, dims);
}

Variable kron(Operand a, Operand b) {
  const int rank = std::max(a.variable.ndim(), b.variable.ndim());
  need_axes("kron", 0, max_rank / 2, a, b);
  const Operand left(pad_left(a, rank, a.at), a.at), right(pad_left(b, rank, b.at), b.at);
  std::vector<int> apart, between;
  Operands dims;
  const Operands outer = sizes_along(left, counted_from(0, rank));
  const Operands inner = sizes_along(right, counted_from(0, rank));
  for (int axis = 0; axis < rank; ++axis) {
    apart.insert(apart.end(), {axis, -1});
    between.insert(between.end(), {-1, axis});
    const auto i = static_cast<std::size_t>(axis);
    dims.emplace_back(outer[i] * inner[i], a.at);
  }
  const Variable products = dimshuffle(left, apart) * dimshuffle(right, between);
  return reshape({products, a.at}, dims);
}

Variable norm(Operand x) {
  return sqrt(sum(sqr(x)));
}

}  // namespace hypatia
