// The part of Specialised that captures what a call, or a batch of calls, submits to a GPU, and
// submits it again as one.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/run/observed_step.h"
#include "engine/run/specialised.h"

namespace hypatia {

std::vector<void*> Specialised::captured_addresses() const {
  std::vector<void*> addresses;
  addresses.reserve(captured_buffers_.size());
  for (int b : captured_buffers_)
    addresses.push_back(memory_.addresses[static_cast<std::size_t>(b)]);
  return addresses;
}

bool Specialised::holds_for(const std::vector<void*>& addresses) const {
  for (std::size_t i = 0; i < captured_buffers_.size(); ++i) {
    const auto buffer = static_cast<std::size_t>(captured_buffers_[i]);
    if (addresses[i] != memory_.addresses[buffer]) return false;
  }
  return true;
}

[[gnu::noinline]] void Specialised::run_captured(std::uint32_t call) {
  // Results alternate between a few storages, so that few captures serve a long loop.
  Captures::Entry* found = captures_of_calls_.find(
      [&](const std::vector<void*>& addresses) { return holds_for(addresses); });
  if (!found) {
    captures_of_calls_.add(captured_addresses());
    tell_steps(call, capture_begin_, bound_.size(), false);
    return;
  }
  const ObservedStep step(context_.observer, call, replay_id_, false);
  if (!found->replay) {
    found->replay = capture([&] { tell_steps(call, capture_begin_, bound_.size(), true); });
  }
  device_at(context_.place).submit(*found->replay, nullptr);
  mark_results(capture_begin_);
}

Ref<Replay> Specialised::capture(FunctionRef<void()> work) {
  Device& device = device_at(context_.place);
  device.begin_capture(nullptr);
  try {
    work();
  } catch (...) {
    device.drop_capture(nullptr);
    throw;
  }
  return device.end_capture(nullptr);
}

bool Specialised::keeps(const Storage& storage) const {
  return std::any_of(result_slots_.begin(), result_slots_.end(), [&](const ResultSlot& slot) {
    return slot.ring.keeps(storage);
  });
}

void Specialised::end_batch() {
  struct End {
    Specialised& of;

    ~End() {
      of.batching_ = false;
      of.batch_.clear();
      if (!of.keep_arenas_) of.give_back_arenas();
    }
  } const end{*this};

  if (!batch_.empty()) run_batch();
}

void Specialised::run_noted(bool captured) {
  for (const auto& [memory, call] : batch_) {
    memory_ = memory;
    tell_steps(call, 0, bound_.size(), captured);
  }
}

// Results alternate between a few storages, so that the next batch finds the same addresses.
void Specialised::run_batch() {
  std::vector<void*> addresses;
  addresses.reserve(batch_.size() * memory_.addresses.size());
  for (const auto& [memory, call] : batch_)
    addresses.insert(addresses.end(), memory.addresses.begin(), memory.addresses.end());
  Captures::Entry* found =
      batches_.find([&](const std::vector<void*>& before) { return before == addresses; });
  if (!found) {
    batches_.add(std::move(addresses));
    run_noted(false);
    return;
  }
  const ObservedStep step(context_.observer, batch_.back().call, batch_id_, false);
  if (!found->replay) {
    try {
      found->replay = capture([&] { run_noted(true); });
    } catch (const Error&) {
      // No memory for a graph, perhaps. The calls' new values are given away already.
      run_noted(false);
      return;
    }
  }
  device_at(context_.place).submit(*found->replay, nullptr);
  memory_ = batch_.back().memory;
  mark_results(0);
}

void Specialised::mark_results(std::size_t begin) {
  for (std::size_t s = begin; s < bound_.size(); ++s) {
    const auto* copy = std::get_if<CopyWork>(&plan_.steps[s].work);
    if (!copy || leaves_out(s)) continue;
    const auto to = static_cast<std::size_t>(copy->to.buffer);
    if (plan_.buffers[to].place.on_host()) {
      bound_[s].device->mark_written(*memory_.storages[to], nullptr);
    }
  }
}

}  // namespace hypatia
