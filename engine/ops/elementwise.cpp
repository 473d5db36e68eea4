#include "engine/ops/elementwise.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/ops/shape.h"

namespace hypatia {

namespace {

DType promote_all(std::span<const DType> in) {
  DType dtype = in.empty() ? DType::boolean : in[0];
  for (DType d : in)
    dtype = promote(dtype, d);
  return dtype;
}

[[noreturn]] void sizes_differ(int axis, std::int64_t a, std::int64_t b) {
  throw Error(
      Error::Kind::shape,
      "sizes differ along axis " + std::to_string(axis) + ": " + std::to_string(a) + " and " +
          std::to_string(b),
      "only an axis declared broadcastable stretches; sizes that happen to be 1 do not "
      "(use row, col, dimshuffle or a broadcastable pattern)");
}

std::vector<DType> dtypes_of(std::span<const Type> types) {
  std::vector<DType> dtypes;
  for (const Type& t : types)
    dtypes.push_back(t.dtype());
  return dtypes;
}

/// The value stretched to `dims` as a view, converted to `dtype`, contiguous.
Array stretched(const Array& value, const Dims& dims, DType dtype) {
  Dims strides = value.strides();
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (value.dims()[axis] == 1 && dims[axis] != 1) strides[axis] = 0;
  }
  const Array view(value.storage(), value.dtype(), dims, strides, value.offset());
  Array converted(dtype, dims);
  copy_elements(view, converted);
  return converted;
}

}  // namespace

ScalarTypes promoted(const Attrs&, std::span<const DType> in) {
  const DType dtype = promote_all(in);
  return {dtype, dtype};
}

ScalarTypes promoted_float(const Attrs&, std::span<const DType> in) {
  const DType dtype = at_least_float(promote_all(in));
  return {dtype, dtype};
}

ScalarTypes compared(const Attrs&, std::span<const DType> in) {
  return {promote_all(in), DType::boolean};
}

ScalarTypes chosen(const Attrs&, std::span<const DType> in) {
  const DType dtype = promote_all(in.subspan(1));
  return {dtype, dtype, true};
}

ScalarTypes logical(const Attrs&, std::span<const DType>) {
  return {DType::boolean, DType::boolean};
}

ScalarTypes bitwise(const Attrs&, std::span<const DType> in) {
  const DType dtype = promote_all(in);
  if (is_float(dtype)) {
    throw Error(
        Error::Kind::dtype,
        "bitwise operations need integers or bool, and " + std::string(name(dtype)) + " came",
        "compare with > or eq first, or convert with astype; ^ is exclusive or, a power is pow(a, "
        "2)");
  }
  return {dtype, dtype};
}

ScalarTypes scalar_types(const Op& op, const Attrs& attrs, std::span<const DType> in) {
  return op.scalar().dtypes(attrs, in);
}

ScalarTypes scalar_types(const Apply& node) {
  std::vector<DType> in;
  for (const Variable& v : node.inputs())
    in.push_back(v.dtype());
  return scalar_types(node.op(), node.attrs(), in);
}

Type broadcast(std::span<const Type> in, DType dtype) {
  Type out(dtype, 0);
  const int rank = in.empty() ? 0 : in[0].rank();
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t size = unknown_dim;
    bool all_broadcastable = true;
    for (const Type& t : in) {
      if (t.broadcastable(axis)) continue;
      all_broadcastable = false;
      const std::int64_t d = t.dims()[axis];
      if (d == unknown_dim) continue;
      if (size != unknown_dim && size != d) sizes_differ(axis, size, d);
      size = d;
    }
    out.push_axis(size, all_broadcastable);
  }
  // Numbers may come from the host into a kernel of a GPU; the arrays say where the work is.
  for (const Type& t : in) {
    if (!t.place().on_host()) return out.with_place(t.place());
  }
  return out;
}

void infer_elementwise(const TypeCall& call, Types& out) {
  for (const Type& t : call.in) {
    if (t.rank() != call.in[0].rank()) {
      throw Error(
          Error::Kind::shape,
          std::string(call.op.name) + ": ranks differ, " + std::to_string(call.in[0].rank()) +
              " and " + std::to_string(t.rank()));
    }
  }
  const std::vector<DType> dtypes = dtypes_of(call.in);
  out.push_back(broadcast(call.in, scalar_types(call.op, call.attrs, dtypes).result));
}

std::vector<Array> eval_elementwise(const EvalCall& call) {
  std::vector<DType> in;
  for (const Array& a : call.in)
    in.push_back(a.dtype());
  const ScalarTypes types = scalar_types(call.op, call.attrs, in);
  const Dims& dims = call.out_types[0].dims();
  std::vector<Array> operands;
  std::vector<const void*> addresses;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const bool condition = types.first_is_condition && i == 0;
    operands.push_back(stretched(call.in[i], dims, condition ? DType::boolean : types.operand));
    addresses.push_back(operands.back().address());
  }
  Array out(types.result, dims);
  call.op.scalar().loop(
      {call.attrs, types.operand, types.result, addresses.data(), out.address(), out.elements()});
  return {out};
}

std::string print_elementwise(const Apply& node) {
  const std::string attrs = node.attrs().text();
  std::string name(node.op().name);
  if (!attrs.empty()) name += "{" + attrs + "}";
  return "Elemwise{" + name + ",no_inplace}";
}

Variable apply_elementwise(const Op& op, const Operands& operands, Attrs attrs) {
  int rank = 0;
  for (const Operand& o : operands)
    rank = std::max(rank, o.variable.ndim());
  Vars inputs;
  for (const Operand& o : operands)
    inputs.push_back(pad_left(o.variable, rank, o.at));
  return apply(
      op, std::move(inputs), std::move(attrs), operands.empty() ? Origin{} : operands[0].at);
}

}  // namespace hypatia
