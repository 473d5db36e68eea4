// Counts who touches each buffer, then looks at every copy to the host.
#include "engine/run/write_through.h"

#include <algorithm>

namespace hypatia {

namespace {

/// How a plan's steps use one buffer.
struct Use {
  int kernel_stores = 0, others = 0;
  bool in_order = false;  // the store
};

bool writes_in_order(const LoopNest& nest, const Located& to) {
  return nest.folds.empty() && size_of(to.dtype) >= 4 && to.layout.offset == 0 &&
         to.layout.strides == row_major(nest.extents);
}

void note(const Step& step, std::vector<Use>& uses) {
  const auto at = [&](int buffer) -> Use& { return uses[static_cast<std::size_t>(buffer)]; };
  if (std::holds_alternative<RowsWork>(step.work)) return;  // it touches no GPU's memory
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    for (const Located& load : kernel->nest.loads) {
      if (load.buffer >= 0) ++at(load.buffer).others;  // coordinates have no memory
    }
    for (const LoopNest::Fold& fold : kernel->nest.folds)
      ++at(fold.to.buffer).others;
    for (const LoopNest::Store& store : kernel->nest.stores) {
      Use& use = at(store.to.buffer);
      ++use.kernel_stores;
      use.in_order = !kernel->own && writes_in_order(kernel->nest, store.to);
    }
    if (kernel->scratch >= 0) ++at(kernel->scratch).others;
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    for (const Located* operand : {&product->a, &product->b, &product->c})
      ++at(operand->buffer).others;
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    ++at(copy->from.buffer).others;
    ++at(copy->to.buffer).others;
  } else if (const auto* loop = std::get_if<LoopWork>(&step.work)) {
    for (int buffer : loop->held)
      ++at(buffer).others;
  } else {
    const auto& work = std::get<HostWork>(step.work);
    for (const Located& in : work.in)
      ++at(in.buffer).others;
    for (const Located& out : work.out)
      ++at(out.buffer).others;
  }
}

bool covers(const Located& at, const Buffer& buffer) {
  return at.layout.offset == 0 && at.layout.strides == row_major(at.layout.dims) &&
         elements(at.layout.dims) * size_of(at.dtype) == buffer.bytes;
}

}  // namespace

std::vector<WriteThrough> write_through(const Plan& plan) {
  std::vector<Use> uses(plan.buffers.size());
  for (const Step& step : plan.steps)
    note(step, uses);
  std::vector<WriteThrough> saved;
  for (const Step& step : plan.steps) {
    const auto* copy = std::get_if<CopyWork>(&step.work);
    if (!copy) continue;
    const auto from = static_cast<std::size_t>(copy->from.buffer);
    const auto to = static_cast<std::size_t>(copy->to.buffer);
    const Buffer &source = plan.buffers[from], &target = plan.buffers[to];
    const Use& use = uses[from];
    const bool result = target.kind == BufferKind::output && target.place.on_host();
    const bool temporary = source.kind == BufferKind::temporary && !source.place.on_host();
    const bool only_this = use.kernel_stores == 1 && use.others == 1 && use.in_order;
    if (result && temporary && only_this && covers(copy->from, source) &&
        covers(copy->to, target)) {
      saved.push_back({copy->from.buffer, copy->to.buffer});
    }
  }
  return saved;
}

}  // namespace hypatia
