// place_temporaries: buffers whose lifetimes don't meet share memory.
#include <algorithm>
#include <numeric>

#include "engine/plan/plan.h"

namespace hypatia {

namespace {

constexpr std::int64_t alignment = 256;

template <class F>
void for_each_buffer(const KernelWork& kernel, F f) {
  for (const Located& at : kernel.nest.loads)
    f(at.buffer);
  for (const auto& store : kernel.nest.stores)
    f(store.to.buffer);
  for (const auto& fold : kernel.nest.folds)
    f(fold.to.buffer);
  if (kernel.scratch >= 0) f(kernel.scratch);
}

template <class F>
void for_each_buffer(const ProductWork& product, F f) {
  f(product.a.buffer);
  f(product.b.buffer);
  f(product.c.buffer);
}

/// Calls `f` with every buffer that a step touches.
template <class F>
void for_each_buffer(const Step& step, F f) {
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    for_each_buffer(*kernel, f);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    for_each_buffer(*product, f);
  } else if (const auto* rows = std::get_if<RowsWork>(&step.work)) {
    for_each_buffer(rows->product, f);
    for_each_buffer(rows->loop, f);
    if (rows->back) for_each_buffer(*rows->back, f);
    if (rows->partials >= 0) f(rows->partials);
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    f(copy->from.buffer);
    f(copy->to.buffer);
  } else if (const auto* loop = std::get_if<LoopWork>(&step.work)) {
    for (int buffer : loop->held)
      f(buffer);
  } else {
    const auto& work = std::get<HostWork>(step.work);
    for (const Located& at : work.in)
      f(at.buffer);
    for (const Located& at : work.out)
      f(at.buffer);
  }
}

/// What a loop holds is needed until its last trip.
int last_step(const Step& step, std::size_t s) {
  const auto* loop = std::get_if<LoopWork>(&step.work);
  return static_cast<int>(s) + (loop ? loop->steps : 0);
}

void note_lifetimes(Plan* plan) {
  for (std::size_t s = 0; s < plan->steps.size(); ++s) {
    for_each_buffer(plan->steps[s], [&](int number) {
      // A window is a part of its base, which lives as long.
      while (number >= 0) {
        Buffer& buffer = plan->buffers[static_cast<std::size_t>(number)];
        if (buffer.first_step < 0) buffer.first_step = static_cast<int>(s);
        buffer.last_step = std::max(buffer.last_step, last_step(plan->steps[s], s));
        number = buffer.base;
      }
    });
  }
}

/// First fit, in order of first use: the lowest offset that is free for the whole lifetime. `live`
/// holds what still lives, by offset: buffers come by first use, so what is over never matters
/// again.
std::int64_t place_in(std::vector<Buffer*>* live, Buffer* buffer) {
  live->erase(
      std::remove_if(
          live->begin(),
          live->end(),
          [&](const Buffer* other) { return other->last_step < buffer->first_step; }),
      live->end());
  std::int64_t offset = 0;
  for (const Buffer* other : *live) {
    const std::int64_t end = other->arena_offset + other->bytes;
    if (other->arena_offset < offset + buffer->bytes && offset < end) {
      offset = (end + alignment - 1) / alignment * alignment;
    }
  }
  buffer->arena_offset = offset;
  const auto by_offset = [](const Buffer* a, const Buffer* b) {
    return a->arena_offset < b->arena_offset;
  };
  live->insert(std::upper_bound(live->begin(), live->end(), buffer, by_offset), buffer);
  return offset + buffer->bytes;
}

}  // namespace

void place_temporaries(Plan* plan) {
  note_lifetimes(plan);
  std::vector<Buffer*> order;
  for (Buffer& b : plan->buffers) {
    if (b.kind == BufferKind::temporary && b.first_step >= 0) order.push_back(&b);
  }
  std::stable_sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
    return a->first_step < b->first_step;
  });
  std::vector<Buffer*> on_host, on_device;
  for (Buffer* buffer : order) {
    const bool here = buffer->place.on_host();
    std::int64_t& arena = here ? plan->host_arena : plan->device_arena;
    arena = std::max(arena, place_in(here ? &on_host : &on_device, buffer));
  }
}

}  // namespace hypatia
