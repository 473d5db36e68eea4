// The part of PlanBuilder that makes views, coordinates, assemblies and gathers.
#include "engine/core/error.h"
#include "engine/ops/math.h"
#include "engine/ops/subtensor.h"
#include "engine/plan/builder.h"

namespace hypatia {

std::vector<const Array*> PlanBuilder::size_values(int n) const {
  const Apply& at = node(n);
  std::vector<const Array*> values;
  for (int i = 0; i < static_cast<int>(at.inputs().size()); ++i) {
    values.push_back(at.op().decides_sizes(i) ? concrete_.value(at.input(i)) : nullptr);
    if (at.op().decides_sizes(i) && !values.back()) return {};
  }
  return values;
}

Located PlanBuilder::shifted(
    int n,
    std::int64_t (*start)(const TypeCall&, const Layout&),
    Located part,
    const Layout& base) {
  if (!start) return part;
  const Apply& at = node(n);
  const std::vector<const Array*> values = size_values(n);
  if (!values.empty()) {
    Types in;
    for (const Variable& v : at.inputs())
      in.push_back(concrete_.type(v));
    part.layout.offset += start(TypeCall{at.op(), at.attrs(), in, values}, base);
    return part;
  }
  const Place place = plan_.buffers[static_cast<std::size_t>(part.buffer)].place;
  const int number = static_cast<int>(plan_.shifts.size());
  plan_.shifts.push_back({&at, base});
  const Type type = Type(part.dtype, part.layout.dims).with_place(place);
  const int window = add_buffer(BufferKind::window, number, type, nullptr);
  plan_.buffers[static_cast<std::size_t>(window)].base = part.buffer;
  part.buffer = window;
  return part;
}

void PlanBuilder::add_view(int n) {
  const Apply& at = node(n);
  const Place place = at.type(0).place();
  Located from = locate(at.input(0), place);
  Types in, out{concrete_.type(output_of(n))};
  for (const Variable& v : at.inputs())
    in.push_back(concrete_.type(v));
  const CostCall call{at.op(), at.attrs(), in, out};
  const auto& lowering = std::get<ViewLowering>(at.op().lowering);
  const bool moves = lowering.start && size_values(n).empty();
  if (from.buffer < 0 && moves) from = contiguous(from, n, place);
  Layout layout;
  if (!lowering.view(call, from.layout, &layout)) {
    from = contiguous(from, n, place);
    if (!lowering.view(call, from.layout, &layout)) internal_error("no view of " + print_name(at));
  }
  Located view{from.buffer, from.dtype, layout};
  if (elements(layout.dims) > 0) view = shifted(n, lowering.start, view, from.layout);
  plan_.aliases.push_back({&at, elements(layout.dims) * size_of(view.dtype), false});
  located_.emplace(output_of(n), view);
}

void PlanBuilder::add_coordinate(int n) {
  const Type& type = concrete_.type(output_of(n));
  located_.emplace(output_of(n), Located{-1, type.dtype(), row_major_layout(type.dims())});
}

void PlanBuilder::add_nest(const LoopNest& nest, const std::string& name, int n, Place place) {
  Step step;
  const Cost cost = cost_of(nest);
  step.work = kernel_work(nest, place);
  step.name = name;
  step.place = place;
  step.side = place.on_host() ? Side::cpu : Side::gpu;
  if (n >= 0) step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.flops = cost.flops;
  step.bytes = cost.bytes;
  add_step(std::move(step));
}

void PlanBuilder::add_assembly(int n) {
  const Apply& at = node(n);
  const Place place = at.type(0).place();
  Types in, out{concrete_.type(output_of(n))};
  for (const Variable& v : at.inputs())
    in.push_back(concrete_.type(v));
  const auto& lowering = std::get<AssembleLowering>(at.op().lowering);
  std::vector<Piece> pieces;
  lowering.pieces(CostCall{at.op(), at.attrs(), in, out}, &pieces);
  const Located to = make(output_of(n), &at);
  for (const Piece& piece : pieces) {
    if (elements(piece.to.dims) == 0) continue;
    const Located from = locate(at.input(piece.input), place);
    Located part{to.buffer, to.dtype, piece.to};
    if (piece.shifted) part = shifted(n, lowering.start, part, to.layout);
    if (!piece.add) {
      add_copy_kernel(from, part, n, place);
      continue;
    }
    LoopNest nest;
    nest.extents = piece.to.dims;
    nest.loads = {part, {from.buffer, from.dtype, stretched(from.layout, nest.extents)}};
    nest.program.inputs = {part.dtype, from.dtype};
    nest.program.steps = {ScalarStep{&add_op, {}, {0, 1}, {to.dtype, to.dtype}}};
    nest.stores = {{2, part}};
    add_nest(nest, "add_to_part", n, place);
  }
}

void PlanBuilder::add_gather(int n) {
  const Apply& at = node(n);
  const Place place = at.type(0).place();
  const int axis = at.attrs().as<GatherAttrs>().axis;
  const int indices = static_cast<int>(at.inputs().size()) - 1;
  const Located x = locate(at.input(0), place);
  LoopNest nest;
  nest.extents = concrete_.type(output_of(n)).dims();
  const int index_rank = concrete_.type(at.input(1)).rank();
  // Output axes: those of x before the indexed ones, those of the indices, the rest of x.
  Located from{x.buffer, x.dtype, {nest.extents, Dims::filled(nest.extents.rank(), 0), 0}};
  from.layout.offset = x.layout.offset;
  for (int a = 0; a < x.layout.dims.rank(); ++a) {
    if (a >= axis && a < axis + indices) continue;
    from.layout.strides[a < axis ? a : a - indices + index_rank] = x.layout.strides[a];
  }
  Dims index_dims;  // of all indices together
  for (int a = 0; a < index_rank; ++a)
    index_dims.push_back(nest.extents[axis + a]);
  for (int i = 0; i < indices; ++i) {
    const Located index = locate(at.input(i + 1), place);
    const Layout layout = stretched(index.layout, index_dims);
    Located wide{
        index.buffer, index.dtype, {nest.extents, Dims::filled(nest.extents.rank(), 0), 0}};
    wide.layout.offset = layout.offset;
    for (int a = 0; a < index_rank; ++a)
      wide.layout.strides[axis + a] = layout.strides[a];
    nest.loads.push_back(wide);
    nest.gathers.push_back({indices, i, x.layout.strides[axis + i]});
  }
  nest.loads.push_back(from);
  for (const Located& load : nest.loads)
    nest.program.inputs.push_back(load.dtype);
  nest.program.outputs = {indices};
  nest.stores = {{indices, make(output_of(n), &at)}};
  add_nest(nest, "gather", n, place);
}

}  // namespace hypatia
