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
}

/// The same for a step, but for the scratch memory of a kernel, which has no layout.
template <class F>
void for_each_access(const Step& step, F f) {
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    for_each_access(kernel->nest, f);
    for (const LoopNest& nest : kernel->beside)
      for_each_access(nest, f);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    if (product->beta != 0) f(product->c, false);
    f(product->a, false);
    f(product->b, false);
    f(product->c, true);
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    f(copy->from, false);
    f(copy->to, true);
  } else {
    const auto& work = std::get<HostWork>(step.work);
    for (const Located& at : work.in)
      if (at.buffer >= 0) f(at, false);
    for (const Located& at : work.out)
      f(at, true);
  }
}

/// The buffer of a kernel's scratch memory, or -1.
inline int scratch_of(const Step& step) {
  const auto* kernel = std::get_if<KernelWork>(&step.work);
  return kernel ? kernel->scratch : -1;
}

}  // namespace hypatia
