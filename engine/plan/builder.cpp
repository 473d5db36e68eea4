#include "engine/plan/builder.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/product.h"
#include "engine/ops/transfer.h"

namespace hypatia {

namespace {

Side side_of(Place place) {
  return place.on_host() ? Side::cpu : Side::gpu;
}

Layout as_matrix(const Layout& layout, bool column) {
  Layout m = layout;
  if (m.dims.rank() == 2) return m;
  m.dims.insert(column ? 1 : 0, 1);
  m.strides.insert(column ? 1 : 0, 0);
  return m;
}

Type type_of(const Located& at, Place place) {
  return Type(at.dtype, at.layout.dims).with_place(place);
}

}  // namespace

Layout row_major_layout(const Dims& dims) {
  return {dims, row_major(dims), 0};
}

Layout stretched(const Layout& layout, const Dims& extents) {
  Layout out = layout;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (layout.dims[axis] == 1 && extents[axis] != 1) out.strides[axis] = 0;
  }
  out.dims = extents;
  return out;
}

PlanBuilder::PlanBuilder(const Graph& graph, const Concrete& concrete, const PlanOptions& options)
    : graph_(graph), concrete_(concrete), options_(options) {
  int number = 0;
  for (const Variable& v : graph.inputs())
    input_number_.emplace(v, number++);
  number = 0;
  for (const Variable& v : graph.shared())
    shared_number_.emplace(v, number++);
  number = 0;
  for (const Variable& v : graph.outputs())
    output_number_.emplace(v, number++);
  number = 0;
  for (const Update& u : graph.updates())
    update_number_.emplace(u.value, number++);
}

Variable PlanBuilder::output_of(int n, int output) const {
  return Variable(Ref<const Apply>(&node(n)), static_cast<std::uint32_t>(output));
}

int PlanBuilder::add_buffer(BufferKind kind, int number, const Type& type, const Apply* maker) {
  Buffer buffer;
  buffer.kind = kind;
  buffer.number = number;
  buffer.bytes = elements(type.dims()) * size_of(type.dtype());
  buffer.place = type.place();
  buffer.maker = maker;
  plan_.buffers.push_back(buffer);
  return static_cast<int>(plan_.buffers.size()) - 1;
}

Located PlanBuilder::leaf(const Variable& v) {
  const Type& type = concrete_.type(v);
  BufferKind kind = BufferKind::input;
  int number = 0;
  if (is_shared(v)) {
    kind = BufferKind::shared;
    number = shared_number_.at(v);
  } else if (const auto found = input_number_.find(v); found != input_number_.end()) {
    number = found->second;
  } else {
    internal_error("the plan met a free variable: " + v.name());
  }
  return {add_buffer(kind, number, type, nullptr), type.dtype(), row_major_layout(type.dims())};
}

Located PlanBuilder::constant_buffer(const Array& value, Place place) {
  const Type type = Type(value.dtype(), value.dims()).with_place(place);
  const int number = static_cast<int>(plan_.constants.size());
  plan_.constants.push_back(value.contiguous_on_host());
  const int buffer = add_buffer(BufferKind::constant, number, type, nullptr);
  return {buffer, value.dtype(), row_major_layout(value.dims())};
}

const Located& PlanBuilder::locate(const Variable& v) {
  return locate(v, v.type().place());
}

const Located& PlanBuilder::locate(const Variable& v, Place place) {
  // A known value may be wanted on both sides.
  auto& located = concrete_.value(v) && !place.on_host() ? located_there_[place.context] : located_;
  const auto found = located.find(v);
  if (found != located.end()) return found->second;
  if (const Array* value = concrete_.value(v)) {
    return located.emplace(v, constant_buffer(*value, place)).first->second;
  }
  if (!is_leaf(v.node())) internal_error("the plan needs " + print_name(v.node()) + " too early");
  return located_.emplace(v, leaf(v)).first->second;
}

Located PlanBuilder::make(const Variable& v, const Apply* maker) {
  const Type& type = concrete_.type(v);
  BufferKind kind = BufferKind::temporary;
  int number = -1;
  if (const auto out = output_number_.find(v); out != output_number_.end()) {
    kind = BufferKind::output;
    number = out->second;
  } else if (const auto update = update_number_.find(v); update != update_number_.end()) {
    kind = BufferKind::update;
    number = update->second;
  }
  const Located at{
      add_buffer(kind, number, type, maker),
      type.dtype(),
      row_major_layout(type.dims()),
  };
  located_.emplace(v, at);
  return at;
}

void PlanBuilder::add_step(Step step) {
  plan_.steps.push_back(std::move(step));
}

void PlanBuilder::add_copy_kernel(const Located& from, const Located& to, int n, Place place) {
  LoopNest nest;
  nest.extents = to.layout.dims;
  nest.loads = {{from.buffer, from.dtype, stretched(from.layout, nest.extents)}};
  nest.program.inputs = {from.dtype};
  nest.program.outputs = {0};
  nest.stores = {{0, to}};
  add_nest(nest, "copy", n, place);
}

Located PlanBuilder::contiguous(const Located& from, int n, Place place) {
  const Layout dense = row_major_layout(from.layout.dims);
  bool same = from.buffer >= 0 && from.layout.offset == 0;
  for (int axis = 0; axis < dense.dims.rank(); ++axis) {
    same &= dense.dims[axis] == 1 || dense.strides[axis] == from.layout.strides[axis];
  }
  if (same) return from;
  const Type type = type_of({-1, from.dtype, dense}, place);
  const Located to{add_buffer(BufferKind::temporary, -1, type, nullptr), from.dtype, dense};
  add_copy_kernel(from, to, n, place);
  return to;
}

void PlanBuilder::add_node(int n) {
  const Apply& at = node(n);
  note_reads(n);
  if (at.op().is_view()) return add_view(n);
  if (at.op().is_coordinate()) return add_coordinate(n);
  if (at.op().is_assembly()) return add_assembly(n);
  if (at.op().is_gather()) return add_gather(n);
  if (at.op().is_transfer()) return add_transfer(n);
  if (std::holds_alternative<ProductLowering>(at.op().lowering)) return add_product(n);
  if (add_convolution(n)) return;
  if (at.op().is_kernel()) return add_own_kernel(n);
  if (&at.op() == &scan_op && add_scan(n)) return;
  add_host(n);
}

Located PlanBuilder::matrix_operand(const Variable& v, int n) {
  const Place place = node(n).type(0).place();
  const Located at = locate(v, place);
  // Libraries want one axis without gaps and no element twice; a negative step is neither.
  bool plain = at.buffer >= 0;
  bool dense = at.layout.dims.rank() < 2;
  for (int axis = 0; axis < at.layout.dims.rank(); ++axis) {
    const std::int64_t stride = at.layout.strides[axis];
    plain &= at.layout.dims[axis] == 1 || stride > 0;
    dense |= at.layout.dims[axis] == 1 || stride == 1;
  }
  return plain && dense ? at : contiguous(at, n, place);
}

void PlanBuilder::note_reads(int n) {
  for (const Variable& v : node(n).inputs())
    ++reads_[v];
}

bool PlanBuilder::may_overwrite(const Apply& gemm) const {
  const Variable& c = gemm.input(0);
  if (!gemm.attrs().as<GemmAttrs>().inplace || !is_shared(c)) return false;
  if (gemm.input(1) == c || gemm.input(2) == c) return false;
  // Everybody else must have read the old value by now, and nobody may look at it through a view.
  for (const Apply* reader : graph_.order()) {
    const bool reads =
        std::find(reader->inputs().begin(), reader->inputs().end(), c) != reader->inputs().end();
    if (reads && reader->op().is_view()) return false;
  }
  const auto read = reads_.find(c);
  return read != reads_.end() && read->second == graph_.uses(c);
}

Located PlanBuilder::gemm_target(int n) {
  const Apply& at = node(n);
  const GemmAttrs& attrs = at.attrs().as<GemmAttrs>();
  const Variable result = output_of(n);
  if (may_overwrite(at)) {
    const Located over = locate(at.input(0));
    plan_.aliases.push_back({&at, elements(over.layout.dims) * size_of(over.dtype), true});
    located_.emplace(result, over);
    return over;
  }
  const Located c = locate(at.input(0));
  const Located to = make(result, &at);
  if (attrs.beta != 0) add_copy_kernel(c, to, n, at.type(0).place());
  return to;
}

void PlanBuilder::add_product(int n) {
  const Apply& at = node(n);
  const bool accumulates = &at.op() == &gemm_op;
  const Variable& left = at.input(accumulates ? 1 : 0);
  const Variable& right = at.input(accumulates ? 2 : 1);
  const DType dtype = at.type(0).dtype();
  const bool direct = is_float(dtype) && left.dtype() == dtype && right.dtype() == dtype;
  if (!direct) return add_product_nest(n);
  ProductWork work;
  work.a = matrix_operand(left, n);
  work.b = matrix_operand(right, n);
  work.c = accumulates ? gemm_target(n) : make(output_of(n), &at);
  if (accumulates) {
    work.alpha = at.attrs().as<GemmAttrs>().alpha;
    work.beta = at.attrs().as<GemmAttrs>().beta;
  }
  const ProductSizes sizes = product_sizes(concrete_.type(left), concrete_.type(right));
  work.a.layout = as_matrix(work.a.layout, false);
  work.b.layout = as_matrix(work.b.layout, true);
  work.c.layout = row_major_layout({sizes.m, sizes.n});
  Types in, out{concrete_.type(output_of(n))};
  for (const Variable& v : at.inputs())
    in.push_back(concrete_.type(v));
  const Cost cost = at.op().cost(CostCall{at.op(), at.attrs(), in, out});
  Step step;
  step.work = work;
  step.name = sizes.n == 1 || sizes.m == 1 ? "gemv" : "gemm";
  step.place = at.type(0).place();
  step.side = side_of(step.place);
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.flops = cost.flops;
  step.bytes = cost.bytes;
  add_step(std::move(step));
}

void PlanBuilder::add_transfer(int n) {
  const Apply& at = node(n);
  const Place from_place = at.input(0).type().place(), to_place = at.type(0).place();
  CopyWork work;
  work.from = contiguous(locate(at.input(0)), n, from_place);
  work.to = make(output_of(n), &at);
  Step step;
  step.bytes = static_cast<double>(plan_.buffers[static_cast<std::size_t>(work.to.buffer)].bytes);
  step.work = work;
  step.name = print_name(at);
  step.place = to_place.on_host() ? from_place : to_place;
  step.side = Side::transfer;
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  add_step(std::move(step));
}

void PlanBuilder::add_host(int n) {
  const Apply& at = node(n);
  HostWork work;
  work.node = &at;
  for (const Variable& v : at.inputs()) {
    const Located from = locate(v, host);
    work.in.push_back(from.buffer < 0 ? contiguous(from, n, host) : from);
  }
  for (int i = 0; i < at.outputs(); ++i)
    work.out.push_back(make(output_of(n, i), &at));
  Step step;
  step.name = print_name(at);
  step.work = std::move(work);
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  add_step(std::move(step));
}

Located PlanBuilder::result_copy(const Variable& v, BufferKind kind, int number, const Type& type) {
  const Located from = locate(v);
  const auto is_there = [&](const Buffer& held) {
    return held.kind == kind && held.number == number;
  };
  if (from.buffer >= 0 && is_there(plan_.buffers[static_cast<std::size_t>(from.buffer)]) &&
      from.layout.offset == 0 && from.layout.strides == row_major(from.layout.dims)) {
    return from;
  }
  const Located to{
      add_buffer(kind, number, type, nullptr), from.dtype, row_major_layout(type.dims())};
  add_copy_kernel(from, to, graph_.position(&v.node()), type.place());
  return to;
}

bool PlanBuilder::written_over(const Update& update) {
  const auto found = located_.find(update.value);
  if (found == located_.end()) return false;
  const Located& at = found->second;
  const Buffer& held = plan_.buffers[static_cast<std::size_t>(at.buffer)];
  return held.kind == BufferKind::shared && held.number == shared_number_.at(update.target) &&
         at.layout.offset == 0 && at.layout.strides == row_major(at.layout.dims);
}

Plan PlanBuilder::finish() {
  int number = 0;
  for (const Variable& v : graph_.outputs()) {
    const Type& type = concrete_.type(v);
    plan_.outputs.push_back(result_copy(v, BufferKind::output, number++, type));
    plan_.output_types.push_back(type);
  }
  number = 0;
  for (const Update& u : graph_.updates()) {
    const Type type = concrete_.type(u.value).with_place(u.target.type().place());
    plan_.updates.push_back(
        written_over(u) ? locate(u.value) : result_copy(u.value, BufferKind::update, number, type));
    ++number;
    plan_.update_types.push_back(type);
  }
  return std::move(plan_);
}

}  // namespace hypatia
