#include "engine/ops/iota.h"

#include "engine/core/error.h"
#include "engine/ops/compare.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

void infer_iota(const TypeCall& call, Types& out) {
  const Type& n = call.in[0];
  if (n.rank() != 0 || is_float(n.dtype())) {
    throw Error(Error::Kind::dtype, "iota counts up to a 0-d integer", "use shape_i, or cast");
  }
  Type type(DType::int64, 0);
  const Array* known = call.value(0);
  const std::int64_t size = known ? *known->astype(DType::int64).data<std::int64_t>() : unknown_dim;
  if (known && size < 0) {
    throw Error(
        Error::Kind::value,
        "an axis is to have a size of " + std::to_string(size),
        "sizes are 0 or more");
  }
  type.push_axis(size, false);
  out.push_back(type);
}

}  // namespace

constinit const Op iota_op{
    .name = "iota",
    .doc = "0, 1, … n-1",
    .arity = 1,
    .infer = infer_iota,
    .lowering = CoordinateLowering{},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      return {Array::arange(call.out_types[0].dims()[0])};
    },
    .foldable = false,  // kernels count for themselves
    .size_inputs = 1,
};

Variable iota(Operand n) {
  return apply(iota_op, {as_size(n, n.at)}, {}, n.at);
}

Variable identity_matrix(Operand n, DType dtype) {
  const Variable numbers = iota(n);
  return cast(eq(dimshuffle(numbers, {0, -1}), dimshuffle(numbers, {-1, 0})), dtype);
}

}  // namespace hypatia
