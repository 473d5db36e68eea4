// The methods of Variable: each calls the function of the same name.
#include "engine/ops/linalg.h"
#include "engine/ops/math.h"
#include "engine/ops/order.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"
#include "engine/ops/transfer.h"

namespace hypatia {

Variable Variable::shape(int axis, Origin at) const {
  return shape_i({*this, at}, axis);
}

Variable Variable::shape(Origin at) const {
  return hypatia::shape({*this, at});
}

Variable Variable::reshape(std::initializer_list<std::int64_t> dims, Origin at) const {
  Operands sizes;
  for (std::int64_t d : dims)
    sizes.emplace_back(d, at);
  return hypatia::reshape({*this, at}, sizes);
}

Variable Variable::flatten(Origin at) const {
  return hypatia::flatten({*this, at});
}

Variable Variable::T(Origin at) const {
  return hypatia::transpose({*this, at});
}

Variable Variable::astype(DType dtype, Origin at) const {
  return cast({*this, at}, dtype);
}

Variable Variable::dimshuffle(std::initializer_list<int> pattern, Origin at) const {
  return hypatia::dimshuffle({*this, at}, pattern);
}

Variable Variable::sum(Origin at) const {
  return hypatia::sum({*this, at});
}

Variable Variable::sum(int axis, bool keepdims, Origin at) const {
  return hypatia::sum({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::mean(Origin at) const {
  return hypatia::mean({*this, at});
}

Variable Variable::mean(int axis, bool keepdims, Origin at) const {
  return hypatia::mean({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::prod(Origin at) const {
  return hypatia::prod({*this, at});
}

Variable Variable::max(Origin at) const {
  return hypatia::max({*this, at});
}

Variable Variable::max(int axis, bool keepdims, Origin at) const {
  return hypatia::max({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::min(Origin at) const {
  return hypatia::min({*this, at});
}

Variable Variable::min(int axis, bool keepdims, Origin at) const {
  return hypatia::min({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::size(Origin at) const {
  return hypatia::prod({hypatia::shape({*this, at}), at});
}

Variable Variable::transpose(std::initializer_list<int> axes, Origin at) const {
  return hypatia::transpose({*this, at}, std::vector<int>(axes));
}

Variable Variable::swapaxes(int a, int b, Origin at) const {
  return hypatia::swapaxes({*this, at}, a, b);
}

Variable Variable::squeeze(Origin at) const {
  return hypatia::squeeze({*this, at});
}

Variable Variable::flatten(int ndim, Origin at) const {
  return hypatia::flatten({*this, at}, ndim);
}

Vars Variable::nonzero(Origin at) const {
  return hypatia::nonzero({*this, at});
}

Variable Variable::diagonal(Origin at) const {
  return diag({*this, at});
}

Variable Variable::var(Origin at) const {
  return hypatia::var({*this, at});
}

Variable Variable::std(Origin at) const {
  return hypatia::std({*this, at});
}

Variable Variable::any(Origin at) const {
  return hypatia::any({*this, at});
}

Variable Variable::all(Origin at) const {
  return hypatia::all({*this, at});
}

Variable Variable::var(int axis, bool keepdims, Origin at) const {
  return hypatia::var({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::std(int axis, bool keepdims, Origin at) const {
  return hypatia::std({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::prod(int axis, bool keepdims, Origin at) const {
  return hypatia::prod({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::any(int axis, bool keepdims, Origin at) const {
  return hypatia::any({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::all(int axis, bool keepdims, Origin at) const {
  return hypatia::all({*this, at}, Axes({axis}, keepdims));
}

Variable Variable::argmax(Origin at) const {
  return hypatia::argmax({*this, at});
}

Variable Variable::argmax(int axis, bool keepdims, Origin at) const {
  return hypatia::argmax({*this, at}, axis, keepdims);
}

Variable Variable::argmin(Origin at) const {
  return hypatia::argmin({*this, at});
}

Variable Variable::argmin(int axis, bool keepdims, Origin at) const {
  return hypatia::argmin({*this, at}, axis, keepdims);
}

Variable Variable::norm(Origin at) const {
  return hypatia::norm({*this, at});
}

Variable Variable::trace(Origin at) const {
  return hypatia::trace({*this, at});
}

Variable Variable::sort(int axis, Origin at) const {
  return hypatia::sort({*this, at}, axis);
}

Variable Variable::argsort(int axis, Origin at) const {
  return hypatia::argsort({*this, at}, axis);
}

Variable Variable::cumsum(int axis, Origin at) const {
  return hypatia::cumsum({*this, at}, axis);
}

Variable Variable::cumprod(int axis, Origin at) const {
  return hypatia::cumprod({*this, at}, axis);
}

Variable Variable::dot(const Variable& other, Origin at) const {
  return hypatia::dot({*this, at}, {other, at});
}

Variable Variable::take(const Variable& indices, int axis, Origin at) const {
  return hypatia::take({*this, at}, {indices, at}, axis);
}

Variable Variable::fill(const Variable& value, Origin at) const {
  return hypatia::fill({*this, at}, {value, at});
}

Variable Variable::transfer(const std::string& target, Origin at) const {
  return hypatia::transfer({*this, at}, place_named(target));
}

}  // namespace hypatia
