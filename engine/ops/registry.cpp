#include "engine/ops/registry.h"

#include "engine/ops/compare.h"
#include "engine/ops/composite.h"
#include "engine/ops/conv.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/ifelse.h"
#include "engine/ops/iota.h"
#include "engine/ops/linalg.h"
#include "engine/ops/math.h"
#include "engine/ops/nnet.h"
#include "engine/ops/order.h"
#include "engine/ops/pool.h"
#include "engine/ops/print_op.h"
#include "engine/ops/product.h"
#include "engine/ops/random.h"
#include "engine/ops/reduce.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/special.h"
#include "engine/ops/subtensor.h"
#include "engine/ops/transfer.h"

namespace hypatia {

namespace {

// clang-format off
constexpr const Op* ops[] = {
    // arithmetic.cpp
    &add_op, &sub_op, &mul_op, &true_div_op, &int_div_op, &mod_op, &pow_op, &neg_op, &abs_op,
    &sgn_op, &sqr_op, &inv_op, &maximum_op, &minimum_op,
    // functions.cpp
    &exp_op, &exp2_op, &expm1_op, &log_op, &log1p_op, &log2_op, &log10_op, &sqrt_op, &sin_op,
    &cos_op, &tan_op, &arcsin_op, &arccos_op, &arctan_op, &arctan2_op, &sinh_op, &cosh_op,
    &tanh_op, &arcsinh_op, &arccosh_op, &arctanh_op, &erf_op, &erfc_op, &floor_op, &ceil_op,
    &round_op, &trunc_op, &deg2rad_op, &rad2deg_op, &sigmoid_op, &softplus_op,
    // special.cpp
    &gamma_op, &gammaln_op, &psi_op, &erfinv_op, &erfcinv_op,
    // print_op.cpp, ifelse.cpp
    &print_op, &ifelse_op,
    // random.cpp
    &random_uniform_op,
    // convert.cpp
    &cast_op, &fill_op, &identity_op,
    // gradient_control.cpp
    &zero_grad_op, &disconnected_grad_op, &grad_clip_op, &grad_scale_op, &undefined_grad_op,
    // compare.cpp
    &lt_op, &le_op, &gt_op, &ge_op, &eq_op, &neq_op, &isnan_op, &isinf_op, &and_op, &or_op,
    &xor_op, &invert_op, &switch_op,
    // reduce.cpp
    &sum_op, &prod_op, &max_op, &min_op, &any_op, &all_op,
    // shape.cpp
    &dimshuffle_op, &shape_i_op, &same_size_op,
    // reshape.cpp
    &reshape_op, &broadcast_to_op, &rebroadcast_op, &make_vector_op, &diagonal_op,
    &diagonal_matrix_op, &join_op,
    // subtensor.cpp, gather.cpp
    &subtensor_op, &set_subtensor_op, &gather_op, &scatter_op, &check_index_op, &nonzero_op,
    // order.cpp
    &sort_op, &argsort_op, &cumsum_op, &cumprod_op, &searchsorted_op,
    // iota.cpp, require.cpp, nnet.cpp
    &iota_op, &require_op, &check_class_op,
    // conv.cpp, pool.cpp
    &conv2d_op, &conv2d_images_op, &conv2d_filters_op, &pool_max_op, &pool_pick_op,
    &pool_spread_op, &pool_mean_op, &pool_mean_spread_op,
    // linalg.cpp
    &matrix_inverse_op, &det_op, &logabsdet_op, &cholesky_op, &solve_op, &eigh_op, &qr_op, &svd_op,
    &pinv_op,
    // product.cpp
    &dot_op, &gemm_op,
    // transfer.cpp, composite.cpp
    &transfer_op, &composite_op,
};
// clang-format on

}  // namespace

std::span<const Op* const> all_ops() {
  return ops;
}

const Op* find_op(std::string_view name) {
  for (const Op* op : ops) {
    if (op->name == name) return op;
  }
  return nullptr;
}

}  // namespace hypatia
