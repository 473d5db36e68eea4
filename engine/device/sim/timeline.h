#pragma once
// The modelled clock: when each piece of work begins and ends on the card. Pure arithmetic on
// nanoseconds; the device locks.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/device/sim/sheet.h"

namespace hypatia::sim {

/// The units of a card that work side by side.
enum class Engine : std::uint8_t { compute, copy_in, copy_out };

/// Seconds as whole nanoseconds.
std::int64_t nanoseconds(double seconds);

/// What the clock knows of one queue.
struct QueueTimes {
  std::int64_t free_at = 0;  // end of its last work
  Engine last = Engine::compute;
  std::array<std::int64_t, 1024> begins{};  // of its last kernels, a ring
  std::uint64_t kernels = 0;

  std::int64_t last_begin() const { return kernels ? begins[(kernels - 1) % begins.size()] : 0; }

  /// A launch waits on the host while so many others are pending.
  std::int64_t room_at() const { return begins[kernels % begins.size()]; }
};

/// Where a piece of work falls.
struct Slot {
  std::int64_t begin = 0, end = 0;
};

/// The engines of one card.
class Timeline {
 public:
  explicit Timeline(const Sheet& sheet) : sheet_(sheet) {}

  /// A kernel that takes `share` of the card; kernels of other queues run beside it if they fit.
  /// `in_graph`: it follows another of the same replay, without the host.
  Slot kernel(
      QueueTimes& queue, std::int64_t submitted, double seconds, double share, bool in_graph);
  Slot copy(QueueTimes& queue, std::int64_t submitted, double seconds, Engine engine);

 private:
  struct Running {
    Slot slot;
    double share;
  };

  std::int64_t first_fit(std::int64_t ready, double share);

  const Sheet& sheet_;
  std::array<std::int64_t, 3> engine_free_{};
  std::vector<Running> running_;
};

}  // namespace hypatia::sim
