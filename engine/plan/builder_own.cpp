// The part of PlanBuilder for ops that bring the text of their own kernel.
#include <algorithm>

#include "engine/plan/builder.h"

namespace hypatia {

namespace {

/// What the op says; else each operand's bytes once.
Cost cost_of_own(const OwnText& own) {
  const Op& op = own.node->op();
  if (op.cost) return op.cost(CostCall{op, own.node->attrs(), own.in, own.out});
  Cost cost;
  for (const Types* types : {&own.in, &own.out}) {
    for (const Type& t : *types)
      cost.bytes += static_cast<double>(elements(t.dims()) * size_of(t.dtype()));
  }
  return cost;
}

}  // namespace

Located PlanBuilder::inplace_target(int n, const Located& from) {
  const Variable result = output_of(n);
  const Variable& over = node(n).input(std::get<KernelLowering>(node(n).op().lowering).inplace);
  const Buffer& held = plan_.buffers[static_cast<std::size_t>(std::max(from.buffer, 0))];
  const auto read = reads_.find(over);
  const bool last_reader = read != reads_.end() && read->second == graph_.uses(over);
  const bool wanted_after = output_number_.contains(result) || update_number_.contains(result);
  const bool whole = from.buffer >= 0 && from.layout.offset == 0 &&
                     from.layout.strides == row_major(from.layout.dims);
  if (whole && held.kind == BufferKind::temporary && held.maker == &over.node() && last_reader &&
      !wanted_after) {
    located_.emplace(result, from);
    return from;
  }
  const Located to = make(result, &node(n));
  if (elements(to.layout.dims) > 0) add_copy_kernel(from, to, n, node(n).type(0).place());
  return to;
}

void PlanBuilder::add_own_kernel(int n) {
  const Apply& at = node(n);
  const auto& lowering = std::get<KernelLowering>(at.op().lowering);
  const Place place = at.type(0).place();
  if (!lowering.has_text(place)) return add_host(n);
  KernelWork work;
  work.own = OwnText{&at, {}, {}, {}, {}};
  std::size_t over = 0;
  for (int i = 0; i < static_cast<int>(at.inputs().size()); ++i) {
    work.own->in.push_back(concrete_.type(at.input(i)));
    if (!place.on_host() && at.op().decides_sizes(i)) continue;
    Located from = locate(at.input(i), place);
    if (from.buffer < 0 || !lowering.strided) from = contiguous(from, n, place);
    if (i == lowering.inplace) over = work.nest.loads.size();
    work.nest.loads.push_back(from);
    work.own->loaded.push_back(i);
  }
  std::int64_t all = 0;
  for (int i = 0; i < at.outputs(); ++i) {
    const bool inplace = i == 0 && lowering.inplace >= 0;
    const Located to =
        inplace ? inplace_target(n, work.nest.loads[over]) : make(output_of(n, i), &at);
    // An op that works in place sees its result's memory as its input.
    if (inplace) work.nest.loads[over] = to;
    work.nest.stores.push_back({0, to});
    work.own->out.push_back(concrete_.type(output_of(n, i)));
    all += elements(to.layout.dims);
  }
  for (const Located& load : work.nest.loads)
    work.nest.program.inputs.push_back(load.dtype);
  work.nest.extents = Dims{all};
  Step step;
  work.own->cost = cost_of_own(*work.own);
  step.flops = work.own->cost.flops;
  step.bytes = work.own->cost.bytes;
  step.name = std::string(at.op().name);
  step.place = place;
  step.side = place.on_host() ? Side::cpu : Side::gpu;
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.work = std::move(work);
  add_step(std::move(step));
}

}  // namespace hypatia
