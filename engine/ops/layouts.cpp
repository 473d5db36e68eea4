#include "engine/ops/layouts.h"

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/ops/math.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

Layout layout_of(const Array& a) {
  Layout layout{a.dims(), a.strides(), 0};
  for (std::int64_t& s : layout.strides)
    s /= size_of(a.dtype());
  return layout;
}

Array part_of(const Array& a, const Layout& layout) {
  Dims strides = layout.strides;
  for (std::int64_t& s : strides)
    s *= size_of(a.dtype());
  const std::int64_t offset = a.offset() + layout.offset * size_of(a.dtype());
  return Array(a.storage(), a.dtype(), layout.dims, strides, offset);
}

Array stretched_to(const Array& a, const Dims& dims) {
  Dims strides = a.strides();
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (a.dims()[axis] == 1 && dims[axis] != 1) strides[axis] = 0;
  }
  return Array(a.storage(), a.dtype(), dims, strides, a.offset());
}

struct Inputs {
  Types types;
  std::vector<const Array*> values;

  explicit Inputs(const EvalCall& call) {
    for (const Array& a : call.in) {
      types.push_back(a.type());
      values.push_back(&a);
    }
  }
};

void add_elements(const Array& from, const Array& to) {
  const Array a = to.copy(), b = from.astype(to.dtype()).copy();
  visit(to.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* into = static_cast<T*>(a.address());
    const T* more = static_cast<const T*>(b.address());
    for (std::int64_t i = 0; i < a.elements(); ++i)
      into[i] = static_cast<T>(into[i] + more[i]);
  });
  copy_elements(a, to);
}

}  // namespace

std::vector<Array> eval_view(const EvalCall& call) {
  const Inputs in(call);
  const auto& lowering = std::get<ViewLowering>(call.op.lowering);
  const CostCall sizes{call.op, call.attrs, in.types, call.out_types};
  Array x = call.in[0];
  Layout layout;
  if (!lowering.view(sizes, layout_of(x), &layout)) {
    x = x.copy();
    lowering.view(sizes, layout_of(x), &layout);
  }
  if (lowering.start && elements(layout.dims) > 0) {
    const TypeCall values{call.op, call.attrs, in.types, in.values};
    layout.offset += lowering.start(values, layout_of(x));
  }
  return {part_of(x, layout)};
}

std::vector<Array> eval_assembly(const EvalCall& call) {
  const Inputs in(call);
  const auto& lowering = std::get<AssembleLowering>(call.op.lowering);
  std::vector<Piece> pieces;
  lowering.pieces(CostCall{call.op, call.attrs, in.types, call.out_types}, &pieces);
  const Array out(call.out_types[0].dtype(), call.out_types[0].dims());
  for (Piece& piece : pieces) {
    if (elements(piece.to.dims) == 0) continue;
    if (piece.shifted) {
      const TypeCall values{call.op, call.attrs, in.types, in.values};
      piece.to.offset += lowering.start(values, layout_of(out));
    }
    const Array to = part_of(out, piece.to);
    const Array from = stretched_to(call.in[static_cast<std::size_t>(piece.input)], to.dims());
    piece.add ? add_elements(from, to) : copy_elements(from, to);
  }
  return {out};
}

std::int64_t whole_number(const Array& value) {
  value.sync();
  return *value.astype(DType::int64).data<std::int64_t>();
}

Variable as_size(const Variable& x, Origin at) {
  if (x.ndim() != 0 || is_float(x.dtype())) {
    throw Error(
        Error::Kind::dtype,
        "sizes and bounds are single integers, and " + brief(x.type()) + " came",
        "convert with astype(DType::int64)")
        .at(at);
  }
  if (const Array* value = constant_value(x)) {
    return constant_of_type(value->astype(DType::int64), Type(DType::int64, 0), at);
  }
  return cast({x, at}, DType::int64);
}

Vars sizes_of(const Variable& x, Origin at) {
  Vars sizes;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const bool one = x.type().broadcastable(axis);
    sizes.push_back(
        one ? constant_of_type(Array(std::int64_t{1}), Type(DType::int64, 0), at)
            : shape_i({x, at}, axis));
  }
  return sizes;
}

}  // namespace hypatia
