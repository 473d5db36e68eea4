// The methods of Variable: each calls the function of the same name.
#include "engine/ops/math.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
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
  return transpose({*this, at});
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

Variable Variable::transfer(const std::string& target, Origin at) const {
  return hypatia::transfer({*this, at}, place_named(target));
}

}  // namespace hypatia
