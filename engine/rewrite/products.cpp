#include "engine/rewrite/products.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/expr/leaves.h"
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

/// A factor: a value, or the sigmoid of plus or minus a value, or the exponential of one.
struct Factor {
  enum class Kind : std::uint8_t { plain, sigmoid, exponential, one_plus_exponential };

  Kind kind = Kind::plain;
  Variable base;
  bool negative = false;  // of the base, for all kinds but plain

  bool operator==(const Factor& other) const {
    return kind == other.kind && base == other.base && negative == other.negative;
  }
};

using Factors = std::vector<Factor>;

struct Product {
  DType dtype = DType::float64;
  Factors over, under;
  bool negative = false;
};

// Longer and deeper products stay as they are written, so that chains of them cost linear time.
constexpr std::size_t most_factors = 24;
constexpr int deepest = 24;
constexpr int deepest_sign = 6;

const Apply* made_by(const Variable& v, const Op& op) {
  return &v.node().op() == &op ? &v.node() : nullptr;
}

bool is_number(const Variable& v, double wanted) {
  double number = 0;
  return constant_number(v, &number) && number == wanted;
}

Factor of_base(Factor::Kind kind, const Variable& v) {
  Factor factor{kind, v};
  while (const Apply* node = made_by(factor.base, neg_op)) {
    factor.base = node->input(0);
    factor.negative = !factor.negative;
  }
  return factor;
}

/// 1 + exp(x), in either order.
std::optional<Variable> exponent_of_one_plus(const Variable& v) {
  const Apply* node = made_by(v, add_op);
  if (!node) return std::nullopt;
  for (int i : {0, 1}) {
    const Apply* power = made_by(node->input(1 - i), exp_op);
    if (is_number(node->input(i), 1) && power) return power->input(0);
  }
  return std::nullopt;
}

Factor factor_of(const Variable& v) {
  if (const Apply* node = made_by(v, sigmoid_op)) {
    return of_base(Factor::Kind::sigmoid, node->input(0));
  }
  if (const Apply* node = made_by(v, exp_op)) {
    return of_base(Factor::Kind::exponential, node->input(0));
  }
  if (const auto exponent = exponent_of_one_plus(v)) {
    return of_base(Factor::Kind::one_plus_exponential, *exponent);
  }
  if (const Apply* node = made_by(v, sub_op)) {
    const Apply* other = made_by(node->input(1), sigmoid_op);
    if (other && is_number(node->input(0), 1)) {
      Factor complement = of_base(Factor::Kind::sigmoid, other->input(0));
      complement.negative = !complement.negative;
      return complement;
    }
  }
  return {Factor::Kind::plain, v};
}

/// Splits a value into factors, through the products and quotients of its own dtype.
void collect(const Variable& v, bool under, int depth, Product* product) {
  const Apply& node = v.node();
  const Op* op = &node.op();
  const bool room = product->over.size() + product->under.size() < most_factors;
  const bool splits =
      op == &mul_op || op == &true_div_op || op == &sqr_op || op == &inv_op || op == &neg_op;
  if (!room || !splits || depth == deepest || v.dtype() != product->dtype) {
    (under ? product->under : product->over).push_back(factor_of(v));
    return;
  }
  if (op == &neg_op) product->negative = !product->negative;
  collect(node.input(0), under != (op == &inv_op), depth + 1, product);
  if (op == &sqr_op) collect(node.input(0), under, depth + 1, product);
  if (op == &mul_op) collect(node.input(1), under, depth + 1, product);
  if (op == &true_div_op) collect(node.input(1), !under, depth + 1, product);
}

bool remove(Factors* factors, const Factor& wanted) {
  const auto found = std::find(factors->begin(), factors->end(), wanted);
  if (found == factors->end()) return false;
  factors->erase(found);
  return true;
}

/// 1/(1 + exp(x)) is sigmoid(-x), above or below the line.
bool make_sigmoids(Product* product) {
  bool changed = false;
  for (std::size_t i = 0; i < product->under.size();) {
    Factor factor = product->under[i];
    if (factor.kind != Factor::Kind::one_plus_exponential) {
      ++i;
      continue;
    }
    product->under.erase(product->under.begin() + static_cast<long>(i));
    factor.kind = Factor::Kind::sigmoid;
    factor.negative = !factor.negative;
    product->over.push_back(factor);
    changed = true;
  }
  return changed;
}

/// exp(x)·sigmoid(-x) is sigmoid(x).
bool join_exponentials(Product* product) {
  for (const Factor& power : product->over) {
    if (power.kind != Factor::Kind::exponential) continue;
    const Factor opposite{Factor::Kind::sigmoid, power.base, !power.negative};
    const Factor joined{Factor::Kind::sigmoid, power.base, power.negative};
    if (std::find(product->over.begin(), product->over.end(), opposite) == product->over.end()) {
      continue;
    }
    const Factor exponential = power;
    remove(&product->over, exponential);
    remove(&product->over, opposite);
    product->over.push_back(joined);
    return true;
  }
  return false;
}

/// True of values that are above zero for all operands, however they round.
bool is_positive(const Variable& v, int depth = 0) {
  double number = 0;
  if (constant_number(v, &number)) return number > 0 && std::isfinite(number);
  const Apply& node = v.node();
  const Op* op = &node.op();
  if (op == &exp_op || op == &exp2_op || op == &sigmoid_op || op == &softplus_op ||
      op == &cosh_op) {
    return true;
  }
  const bool passes = op == &sqrt_op || op == &inv_op || op == &cast_op || op == &sum_op ||
                      op == &prod_op || op == &max_op || op == &min_op || op == &dimshuffle_op ||
                      op == &add_op || op == &mul_op || op == &true_div_op;
  if (!passes || depth == deepest_sign) return false;
  return std::all_of(node.inputs().begin(), node.inputs().end(), [&](const Variable& operand) {
    return is_positive(operand, depth + 1);
  });
}

/// x/x is 1 unless x is 0, infinite or no number: what may be 0 stays as the user wrote it.
bool cancels(const Factor& factor) {
  return factor.kind != Factor::Kind::plain || is_positive(factor.base);
}

bool cancel(Product* product) {
  for (const Factor& factor : product->under) {
    if (!cancels(factor) || !remove(&product->over, factor)) continue;
    const Factor cancelled = factor;
    remove(&product->under, cancelled);
    return true;
  }
  return false;
}

bool simplify(Product* product) {
  bool changed = make_sigmoids(product);
  while (join_exponentials(product) || cancel(product))
    changed = true;
  return changed;
}

Variable value_of(const Factor& factor) {
  if (factor.kind == Factor::Kind::plain) return factor.base;
  const Variable x = factor.negative ? -factor.base : factor.base;
  if (factor.kind == Factor::Kind::sigmoid) return sigmoid(x);
  return factor.kind == Factor::Kind::exponential ? exp(x) : 1 + exp(x);
}

Variable value_of(const Factors& factors, DType dtype) {
  Variable value;
  for (const Factor& f : factors) {
    const Variable next = cast(value_of(f), dtype);
    value = value ? value * next : next;
  }
  return value;
}

/// No variable if every factor cancelled: the shape of the ones that are left is not known here.
Variable value_of(const Product& product) {
  const Variable over = value_of(product.over, product.dtype);
  const Variable under = value_of(product.under, product.dtype);
  if (!over && !under) return {};
  const Variable value = over ? (under ? over / under : over) : inv(under);
  return product.negative ? -value : value;
}

/// The terms of a sum with their signs; false if there are too many.
bool collect_terms(const Variable& v, bool negative, int depth, std::vector<Product>* terms) {
  if (depth == deepest || terms->size() == most_factors) return false;
  const Apply& node = v.node();
  const bool adds = &node.op() == &add_op, subtracts = &node.op() == &sub_op;
  if (adds || subtracts) {
    return collect_terms(node.input(0), negative, depth + 1, terms) &&
           collect_terms(node.input(1), negative != subtracts, depth + 1, terms);
  }
  Product term{v.dtype(), {}, {}, negative};
  collect(v, false, 0, &term);
  make_sigmoids(&term);
  terms->push_back(std::move(term));
  return true;
}

/// True of numbers, as the count of a mean: dividing by them again costs next to nothing.
bool is_single(const Factor& factor) {
  const Type& type = factor.base.type();
  for (int axis = 0; axis < type.rank(); ++axis) {
    if (!type.broadcastable(axis)) return false;
  }
  return factor.kind == Factor::Kind::plain;
}

/// Puts `factors` into a term, cancelling all its denominators but numbers; false if one stays.
bool multiply_into(Product* term, Factors factors, bool* cancelled) {
  for (std::size_t d = 0; d < term->under.size();) {
    if (cancels(term->under[d]) && remove(&factors, term->under[d])) {
      term->under.erase(term->under.begin() + static_cast<long>(d));
      *cancelled = true;
    } else if (is_single(term->under[d])) {
      ++d;
    } else {
      return false;
    }
  }
  term->over.insert(term->over.end(), factors.begin(), factors.end());
  return true;
}

Variable multiplied_out(const Product& product, std::size_t sum_factor) {
  const Factor& factor = product.over[sum_factor];
  std::vector<Product> terms;
  if (factor.kind != Factor::Kind::plain || factor.base.dtype() != product.dtype) return {};
  if (!collect_terms(factor.base, product.negative, 0, &terms) || terms.size() < 2) return {};
  Factors others = product.over;
  others.erase(others.begin() + static_cast<long>(sum_factor));
  bool cancelled = false;
  Variable sum;
  for (Product& term : terms) {
    if (!multiply_into(&term, others, &cancelled)) return {};
    term.dtype = product.dtype;
    term.under.insert(term.under.end(), product.under.begin(), product.under.end());
    const Variable value = value_of(term);
    if (!value) return {};
    sum = sum ? sum + value : value;
  }
  return cancelled ? sum : Variable();
}

/// (a/p + b/q)·p·q as a·q + b·p, if each denominator of the sum cancels.
Variable multiplied_out(const Product& product) {
  for (std::size_t i = 0; i < product.over.size(); ++i) {
    if (const Variable sum = multiplied_out(product, i)) return sum;
  }
  return {};
}

}  // namespace

Variable simplify_product(const Match& match) {
  const Type& type = match.node.type(0);
  if (!is_float(type.dtype())) return {};
  Product product{type.dtype(), {}, {}, false};
  collect(Variable(Ref<const Apply>(&match.node), 0), false, 0, &product);
  const bool changed = simplify(&product);
  if (const Variable value = multiplied_out(product)) return value;
  return changed ? value_of(product) : Variable();
}

}  // namespace hypatia
