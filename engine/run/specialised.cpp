#include "engine/run/specialised.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/plan/accesses.h"
#include "engine/run/batch.h"
#include "engine/run/observed_step.h"
#include "engine/run/start_up.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

// Arenas up to this size stay between calls whatever allow_gc says: giving them back costs more
// than it frees.
constexpr std::int64_t small_arena = 1 << 20;

/// A step that only submits work to a GPU, from memory that stays where it is.
bool submits_only(const Step& step, const Plan& plan) {
  if (step.place.on_host() || std::holds_alternative<HostWork>(step.work)) return false;
  // A capture holds every launch of every trip.
  const auto* loop = std::get_if<LoopWork>(&step.work);
  if (loop && (loop->until >= 0 || loop->trips * loop->steps > most_captured_launches))
    return false;
  const auto* copy = std::get_if<CopyWork>(&step.work);
  return !copy || plan.buffers[static_cast<std::size_t>(copy->from.buffer)].place == step.place;
}

/// True of plans that have work for the host and this GPU alone.
bool uses_one_gpu(const Plan& plan, Place gpu) {
  return std::all_of(plan.buffers.begin(), plan.buffers.end(), [&](const Buffer& b) {
    return b.place.on_host() || b.place == gpu;
  });
}

}  // namespace

Specialised::Specialised(const FunctionContext& context, Plan plan)
    : context_(context), plan_(std::move(plan)), bound_(plan_.steps.size()) {
  compile(Dialect::host_c);
  compile(Dialect::cuda_c);
  bind_memory();
  bind_steps();
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i)
    results_.push_back(given(plan_.outputs[i], plan_.output_types[i]));
  for (std::size_t i = 0; i < plan_.updates.size(); ++i)
    updates_.push_back(given(plan_.updates[i], plan_.update_types[i]));
  note_awaited();
  note_batches();
  if (!context_.observer) return;
  const std::uint32_t first = record_plan(context_, plan_, source_, captures_);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    bound_[s].id = first + static_cast<std::uint32_t>(s);
  }
  replay_id_ = first + static_cast<std::uint32_t>(bound_.size());
  batch_id_ = replay_id_ + 1;
}

void Specialised::bind_memory() {
  const WorkOwner owner("constants of", context_.name);
  const std::size_t count = plan_.buffers.size();
  memory_.addresses.resize(count);
  memory_.storages.resize(count);
  memory_.offsets.resize(count);
  constants_.resize(plan_.constants.size());
  for (std::size_t b = 0; b < count; ++b) {
    const Buffer& buffer = plan_.buffers[b];
    const auto number = static_cast<std::size_t>(buffer.number);
    switch (buffer.kind) {
      case BufferKind::input:
        input_slots_.push_back({b, number});
        break;
      case BufferKind::shared:
        shared_slots_.push_back({b, number});
        break;
      case BufferKind::constant:
        constants_[number] = on_place(plan_.constants[number], buffer.place);
        memory_.set(b, *constants_[number].storage(), constants_[number].offset());
        break;
      case BufferKind::temporary:
      case BufferKind::moving:  // the loop says where
        break;
      case BufferKind::window:
        window_slots_.push_back({b, number});
        break;
      case BufferKind::output:
      case BufferKind::update: {
        // What a GPU copies out is pinned, so that the copy need not be waited for.
        const Place pinned_by = context_.place;
        result_slots_.push_back({b, ResultRing(buffer, pinned_by)});
        break;
      }
    }
  }
  keep_arenas_ = context_.keep_buffers || plan_.host_arena + plan_.device_arena <= small_arena;
  if (keep_arenas_) take_arenas();
}

Ref<Storage> Specialised::new_arena(Place place) const {
  const std::int64_t bytes = place.on_host() ? plan_.host_arena : plan_.device_arena;
  const auto size = static_cast<std::size_t>(bytes);
  if (!place.on_host()) return device_at(place).allocate(size);
  // Not pinned: a GPU reads pinned memory some time after a copy was submitted, and by then later
  // steps, or the next call, have written other temporaries there.
  return allocate_host(size);
}

void Specialised::take_arenas() {
  for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
    const Buffer& buffer = plan_.buffers[b];
    if (buffer.kind != BufferKind::temporary || buffer.arena_offset < 0) continue;
    // Made here rather than by its size: temporaries without elements have an address too.
    Ref<Storage>& arena =
        buffer.place.on_host() ? host_arena_ : device_arenas_[buffer.place.context];
    if (!arena) arena = new_arena(buffer.place);
    memory_.set(b, *arena, buffer.arena_offset);
  }
}

void Specialised::bind_steps() {
  std::size_t not_captured = 0;  // steps up to here are part of a loop that can't be
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    BoundStep& bound = bound_[s];
    bound.device = &device_at(plan_.steps[s].place);
    bound.on_device = s >= not_captured && submits_only(plan_.steps[s], plan_);
    const auto* loop = std::get_if<LoopWork>(&plan_.steps[s].work);
    if (loop && !bound.on_device) {
      not_captured = s + 1 + static_cast<std::size_t>(loop->steps);
    }
    for (int buffer : bound.buffers) {
      bound.arguments.push_back(&memory_.addresses[static_cast<std::size_t>(buffer)]);
    }
  }
  // Observed calls keep the copies, whose times people want to see, and guarded ones the values on
  // the device, which are looked at.
  if (!context_.observer && !context_.guard && !context_.place.on_host() &&
      device_at(context_.place).kernels_reach_pinned()) {
    write_through_ = write_through(plan_);
  }
  const bool told = !context_.observer || context_.observer->follows_replays();
  captures_ = !context_.place.on_host() && device_at(context_.place).can_capture() && told &&
              !context_.guard && uses_one_gpu(plan_, context_.place);
  capture_begin_ = bound_.size();
  while (captures_ && capture_begin_ > 0 && bound_[capture_begin_ - 1].on_device)
    --capture_begin_;
  const auto first = static_cast<int>(capture_begin_);
  for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
    const bool moves = plan_.buffers[b].kind == BufferKind::moving;  // with its base
    if (!moves && plan_.buffers[b].last_step >= first)
      captured_buffers_.push_back(static_cast<int>(b));
  }
}

void Specialised::note_awaited() {
  std::vector<bool> copied_out(plan_.buffers.size(), false);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    const auto root = [&](int buffer) { return static_cast<std::size_t>(root_of(plan_, buffer)); };
    for_each_access(plan_.steps[s], [&](const Located& at, bool writes) {
      const std::size_t read = root(at.buffer);
      if (!writes && copied_out[read]) bound_[s].awaited.push_back(static_cast<int>(read));
    });
    for_each_scratch(plan_.steps[s], [&](int buffer) {
      const std::size_t used = root(buffer);
      if (copied_out[used]) bound_[s].awaited.push_back(static_cast<int>(used));
    });
    const auto* copy = std::get_if<CopyWork>(&plan_.steps[s].work);
    if (!copy) continue;
    const auto to = static_cast<std::size_t>(copy->to.buffer);
    const Buffer& from = plan_.buffers[static_cast<std::size_t>(copy->from.buffer)];
    if (plan_.buffers[to].place.on_host() && !from.place.on_host()) copied_out[to] = true;
  }
}

void Specialised::note_batches() {
  const std::vector<bool> hand_out = steps_that_hand_out(plan_);
  bool submit = captures_ && !bound_.empty();
  std::vector<bool> filled(plan_.buffers.size(), false);  // by steps that batches run
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    bound_[s].hands_out = hand_out[s];
    if (hand_out[s]) continue;
    submit = submit && bound_[s].on_device;
    for_each_access(plan_.steps[s], [&](const Located& at, bool writes) {
      if (writes) filled[static_cast<std::size_t>(root_of(plan_, at.buffer))] = true;
    });
  }
  if (submit) longest_batch_ = hypatia::longest_batch(plan_);
  for (ResultSlot& slot : result_slots_)
    slot.filled_by_batches = filled[slot.buffer];
}

void Specialised::take_memory(
    std::span<const Array* const> inputs,
    std::span<const Array* const> shared,
    std::span<const std::int64_t> shifts) {
  // In a batch for what a call of its own may write through, too.
  if (!keep_arenas_ || batching_) take_arenas();
  for (const Slot& slot : input_slots_) {
    const Array& a = *inputs[slot.number];
    memory_.set(slot.buffer, *a.storage(), a.offset());
  }
  for (const Slot& slot : shared_slots_) {
    const Array& a = *shared[slot.number];
    if (a.on_host()) a.sync();  // an update may have come from a GPU
    memory_.set(slot.buffer, *a.storage(), a.offset());
  }
  for (ResultSlot& slot : result_slots_) {
    if (batching_ && !slot.filled_by_batches) {
      memory_.addresses[slot.buffer] = nullptr;
    } else {
      memory_.set(slot.buffer, slot.ring.take(), 0);
    }
  }
  if (!batching_) {
    for (const WriteThrough& saved : write_through_) {
      const auto to = static_cast<std::size_t>(saved.to);
      memory_.set(static_cast<std::size_t>(saved.from), *memory_.storages[to], 0);
    }
  }
  for (const Slot& slot : window_slots_) {
    const auto base = static_cast<std::size_t>(plan_.buffers[slot.buffer].base);
    const int size = size_of(plan_.shifts[slot.number].node->type(0).dtype());
    const std::int64_t start = memory_.offsets[base] + shifts[slot.number] * size;
    memory_.set(slot.buffer, *memory_.storages[base], start);
  }
}

void Specialised::run(
    std::span<const Array* const> inputs,
    std::span<const Array* const> shared,
    std::span<const std::int64_t> shifts,
    std::uint32_t call) {
  if (!making_.empty()) take_compiled(false);
  take_memory(inputs, shared, shifts);
  if (batching_) {
    batch_.push_back({memory_, call});
  } else if (context_.guard) {
    context_.guard->begin(inputs, shared);
    run_guarded();
  } else if (heard_by(context_.observer)) {
    run_observed(call);
  } else {
    run_steps(0, capture_begin_);
    if (capture_begin_ < bound_.size()) run_captured(0);
  }
  if (!keep_arenas_ && !batching_) give_back_arenas();
}

void Specialised::give_back_arenas() {
  host_arena_ = nullptr;
  device_arenas_.clear();
}

void Specialised::run_steps(std::size_t begin, std::size_t end) {
  for (std::size_t s = begin; s < end; ++s) {
    if (leaves_out(s)) continue;
    if (const auto* loop = std::get_if<LoopWork>(&plan_.steps[s].work)) {
      run_loop(*loop, s, [&](std::size_t first, std::size_t last) { run_steps(first, last); });
      s += static_cast<std::size_t>(loop->steps);
    } else {
      run_step(s);
    }
  }
}

Array Specialised::array_of(const Located& at) const {
  const auto buffer = static_cast<std::size_t>(at.buffer);
  Dims strides = at.layout.strides;
  for (std::int64_t& s : strides)
    s *= size_of(at.dtype);
  return Array(
      Ref<Storage>(memory_.storages[buffer]),
      at.dtype,
      at.layout.dims,
      strides,
      memory_.offsets[buffer] + at.layout.offset * size_of(at.dtype));
}

Specialised::Given Specialised::given(const Located& at, const Type& type) {
  Dims strides = row_major(type.dims());
  for (std::int64_t& s : strides)
    s *= size_of(at.dtype);
  return {static_cast<std::size_t>(at.buffer), at.dtype, type.dims(), strides};
}

}  // namespace hypatia
