// The part of PlanBuilder for ops that bring the text of their own kernel.
#include <algorithm>

#include "engine/plan/builder.h"

namespace hypatia {

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
  work.own = OwnText{&at, {}, {}};
  Located over;
  for (int i = 0; i < static_cast<int>(at.inputs().size()); ++i) {
    Located from = locate(at.input(i), place);
    if (from.buffer < 0 || !lowering.strided) from = contiguous(from, n, place);
    if (i == lowering.inplace) over = from;
    work.nest.loads.push_back(from);
    work.own->in.push_back(concrete_.type(at.input(i)));
  }
  std::int64_t all = 0;
  for (int i = 0; i < at.outputs(); ++i) {
    const Located to =
        i == 0 && lowering.inplace >= 0 ? inplace_target(n, over) : make(output_of(n, i), &at);
    // An op that works in place sees its result's memory as its input.
    if (i == 0 && lowering.inplace >= 0) {
      work.nest.loads[static_cast<std::size_t>(lowering.inplace)] = to;
    }
    work.nest.stores.push_back({0, to});
    work.own->out.push_back(concrete_.type(output_of(n, i)));
    all += elements(to.layout.dims);
  }
  for (const Located& load : work.nest.loads)
    work.nest.program.inputs.push_back(load.dtype);
  work.nest.extents = Dims{all};
  Step step;
  const CostCall call{at.op(), at.attrs(), work.own->in, work.own->out};
  if (at.op().cost) {
    const Cost cost = at.op().cost(call);
    step.flops = cost.flops;
    step.bytes = cost.bytes;
  } else {
    for (const Types* types : {&work.own->in, &work.own->out}) {
      for (const Type& t : *types)
        step.bytes += static_cast<double>(elements(t.dims()) * size_of(t.dtype()));
    }
  }
  step.name = std::string(at.op().name);
  step.place = place;
  step.side = place.on_host() ? Side::cpu : Side::gpu;
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.work = std::move(work);
  add_step(std::move(step));
}

}  // namespace hypatia
