// place_temporaries: buffers whose lifetimes don't meet share memory.
#include <algorithm>
#include <numeric>

#include "engine/core/error.h"
#include "engine/plan/accesses.h"

namespace hypatia {

namespace {

constexpr std::int64_t alignment = 256;

/// What a loop holds is needed until its last trip.
int last_step(const Step& step, std::size_t s) {
  const auto* loop = std::get_if<LoopWork>(&step.work);
  return static_cast<int>(s) + (loop ? loop->steps : 0);
}

void note_lifetimes(Plan* plan) {
  for (std::size_t s = 0; s < plan->steps.size(); ++s) {
    const auto note = [&](int number) {
      // A window is a part of its base, which lives as long.
      while (number >= 0) {
        Buffer& buffer = plan->buffers[static_cast<std::size_t>(number)];
        if (buffer.first_step < 0) buffer.first_step = static_cast<int>(s);
        buffer.last_step = std::max(buffer.last_step, last_step(plan->steps[s], s));
        number = buffer.base;
      }
    };
    for_each_access(plan->steps[s], [&](const Located& at, bool) { note(at.buffer); });
    for_each_scratch(plan->steps[s], note);
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

// Only copies cross places: a pointer of one is nothing on another.
void check_places(const Plan& plan) {
  for (const Step& step : plan.steps) {
    if (std::holds_alternative<CopyWork>(step.work) || std::holds_alternative<LoopWork>(step.work))
      continue;
    for_each_access(step, [&](const Located& at, bool) {
      if (at.buffer < 0) return;
      const Buffer* buffer = &plan.buffers[static_cast<std::size_t>(at.buffer)];
      while (buffer->base >= 0)  // a window lies where its base does
        buffer = &plan.buffers[static_cast<std::size_t>(buffer->base)];
      if (buffer->place == step.place) return;
      internal_error("the step " + step.name + " works on a buffer of another device");
    });
  }
}

}  // namespace

void place_temporaries(Plan* plan) {
  check_places(*plan);
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
