#pragma once
// The one place that knows what a step reads and writes.

#include "engine/plan/plan.h"

namespace hypatia {

/// Calls `f(located, writes)` for every access of a nest that has a buffer.
template <class F>
void for_each_access(const LoopNest& nest, F f) {
  const auto visit = [&](const Located& at, bool writes) {
    if (at.buffer >= 0) f(at, writes);
  };
  for (const Located& at : nest.loads)
    visit(at, false);
  for (const Located& at : nest.epilogue.loads)
    visit(at, false);
  for (const LoopNest::Store& store : nest.stores)
    visit(store.to, true);
  for (const LoopNest::Fold& fold : nest.folds)
    visit(fold.to, true);
  for (const LoopNest::Store& store : nest.epilogue.stores)
    visit(store.to, true);
  if (nest.recurrence && nest.recurrence->taken) visit(*nest.recurrence->taken, true);
}

template <class F>
void for_each_access(const KernelWork& kernel, F f) {
  for_each_access(kernel.nest, f);
  for (const LoopNest& nest : kernel.beside)
    for_each_access(nest, f);
}

template <class F>
void for_each_access(const ProductWork& product, F f) {
  f(product.a, false);
  f(product.b, false);
  if (product.c.buffer < 0) return;
  if (product.beta != 0) f(product.c, false);
  f(product.c, true);
}

template <class F>
void for_each_access(const ConvolutionWork& convolution, F f) {
  f(convolution.first, false);
  f(convolution.second, false);
  f(convolution.made, true);
}

/// The same for a step, but for memory without a layout.
template <class F>
void for_each_access(const Step& step, F f) {
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    for_each_access(*kernel, f);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    for_each_access(*product, f);
  } else if (const auto* convolution = std::get_if<ConvolutionWork>(&step.work)) {
    for_each_access(*convolution, f);
  } else if (const auto* rows = std::get_if<RowsWork>(&step.work)) {
    for_each_access(rows->product, f);
    for_each_access(rows->loop, f);
    if (rows->back) for_each_access(*rows->back, f);
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    f(copy->from, false);
    f(copy->to, true);
  } else if (const auto* host_work = std::get_if<HostWork>(&step.work)) {
    const HostWork& work = *host_work;
    for (const Located& at : work.in)
      if (at.buffer >= 0) f(at, false);
    for (const Located& at : work.out)
      f(at, true);
  }
}

/// The buffer whose memory a window or a moving row lies in; else the buffer itself.
inline int root_of(const Plan& plan, int buffer) {
  while (plan.buffers[static_cast<std::size_t>(buffer)].base >= 0)
    buffer = plan.buffers[static_cast<std::size_t>(buffer)].base;
  return buffer;
}

/// True if neither step writes what the other touches.
inline bool independent(const Plan& plan, const Step& a, const Step& b) {
  const auto root = [&](int buffer) { return root_of(plan, buffer); };
  bool meet = false;
  for_each_access(a, [&](const Located& x, bool x_writes) {
    for_each_access(b, [&](const Located& y, bool y_writes) {
      meet |= (x_writes || y_writes) && root(x.buffer) == root(y.buffer);
    });
  });
  return !meet;
}

/// Calls `f(buffer)` for memory without a layout: what chunks and parts leave, what a library works
/// in, and what a loop holds.
template <class F>
void for_each_scratch(const Step& step, F f) {
  const auto note = [&](int buffer) {
    if (buffer >= 0) f(buffer);
  };
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) note(kernel->scratch);
  if (const auto* convolution = std::get_if<ConvolutionWork>(&step.work)) {
    note(convolution->workspace);
  }
  if (const auto* rows = std::get_if<RowsWork>(&step.work)) {
    note(rows->loop.scratch);
    note(rows->partials);
  }
  if (const auto* loop = std::get_if<LoopWork>(&step.work)) {
    for (int buffer : loop->held)
      note(buffer);
  }
}

}  // namespace hypatia
