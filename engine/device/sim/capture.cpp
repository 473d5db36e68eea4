#include "engine/device/sim/capture.h"

#include "engine/device/sim/memory.h"
#include "engine/trace/clock.h"
#include "engine/trace/observer.h"

namespace hypatia::sim {

void keep(Replay& capture, Work work, const std::function<void()>& act) {
  work.call = current_step().call;
  work.step = current_step().step;
  static_cast<SimReplay&>(capture).pieces.push_back({std::move(work), act});
}

void SimDevice::begin_capture(Queue* queue) {
  const std::lock_guard lock(mutex_);
  SimQueue& on = real(queue);
  if (on.capture) internal_error("a capture begins inside a capture of the same queue");
  on.capture = Ref<Replay>(new SimReplay);
}

Ref<Replay> SimDevice::end_capture(Queue* queue) {
  const std::lock_guard lock(mutex_);
  SimQueue& on = real(queue);
  if (!on.capture) internal_error("a capture ends that did not begin");
  for (SimReplay::Piece& piece : static_cast<SimReplay&>(*on.capture).pieces) {
    piece.work.calls_later = static_cast<std::int32_t>(piece.work.call - current_step().call);
  }
  count_capture();
  return std::exchange(on.capture, nullptr);
}

// The host pays once; the card goes from piece to piece by itself.
void SimDevice::submit(Replay& replay, Queue* queue) {
  const std::int64_t begin = now();
  const std::lock_guard lock(mutex_);
  SimQueue& on = real(queue);
  count_submission();
  const std::int64_t submitted = begin + nanoseconds(sheet_.graph_launch);
  bool first = true;
  for (const SimReplay::Piece& piece : static_cast<SimReplay&>(replay).pieces) {
    land();
    piece.act();
    const Slot slot = schedule(on, piece.work, submitted, true);
    if (piece.work.target) piece.work.target->written_at = slot.end;
    report(on, piece.work, slot, first ? begin : 0, first ? submitted : 0, true);
    first = false;
  }
  set_now(submitted);
}

}  // namespace hypatia::sim
