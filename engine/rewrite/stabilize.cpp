// stabilize: the same value without overflow, underflow or cancellation.
#include <cmath>

#include "engine/ops/compare.h"
#include "engine/ops/math.h"
#include "engine/rewrite/products.h"
#include "engine/rewrite/reductions.h"
#include "engine/rewrite/rule.h"

namespace hypatia {

const Rules& stability_rules() {
  static const Variable x = hole(0), y = hole(1);
  static const Rules rules{
      {"log_one_plus", log(1 + x), log1p(x), Domain::positive},
      {"log_one_plus_sum", log((1 + x) + y), log1p(x + y), Domain::positive},
      {"log_one_minus", log(1 - x), log1p(-x), Domain::unit},
      {"exp_minus_one", exp(x) - 1, expm1(x)},
      {"sigmoid", 1 / (1 + exp(-x)), sigmoid(x)},
      {"sigmoid_inv", inv(1 + exp(-x)), sigmoid(x)},
      {"sigmoid_negative", 1 / (1 + exp(x)), sigmoid(-x)},
      {"sigmoid_negative_inv", inv(1 + exp(x)), sigmoid(-x)},
      {"sigmoid_product", exp(x) * sigmoid(-x), sigmoid(x), Domain::all, false},
      {"sigmoid_ratio", exp(x) / (1 + exp(x)), sigmoid(x), Domain::all, false},
      {"log_of_quotient", log(exp(x) / y), x - log(y), Domain::positive},
      {"softplus", log1p(exp(x)), softplus(x)},
      {"log_sigmoid", log(sigmoid(x)), -softplus(-x)},
      {"log_one_minus_sigmoid", log1p(-sigmoid(x)), -softplus(x)},
      // Infinities of one sign have no difference.
      {"log_add_exp",
       log(exp(x) + exp(y)),
       switch_(eq(x, y), x + std::log(2), maximum(x, y) + log1p(exp(-abs(x - y))))},
      {"arcsinh_of_sinh", arcsinh(sinh(x)), x},
      {"arctanh_of_tanh", arctanh(tanh(x)), x},
      {"log_sum_exp", {}, {}, Domain::all, true, log_of_summed_exp, &log_op},
      {"softmax", {}, {}, Domain::all, false, exp_over_summed_exp, &true_div_op},
      {"cancel_in_product", {}, {}, Domain::all, false, simplify_product, &mul_op},
      {"cancel_in_quotient", {}, {}, Domain::all, false, simplify_product, &true_div_op},
  };
  return rules;
}

Graph stabilize(const Graph& graph, const PassContext& context) {
  return apply_rules(graph, stability_rules(), "stabilize", context);
}

}  // namespace hypatia
