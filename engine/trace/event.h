#pragma once
// What happened, in 32 bytes: the unit of every recording.

#include <cstdint>

namespace hypatia {

enum class EventKind : std::uint8_t {
  call,      // one call of a function, from argument checks to return
  step,      // the host's part of one plan step: the whole work on the CPU, submission on a GPU
  launch,    // the driver's API call that submitted a kernel or a copy
  kernel,    // on the device
  copy_in,   // host to device, on the device's clock
  copy_out,  // device to host
  copy_on,   // device to device
  fill,      // memset
  sync,      // the host waits for a device
  allocate,
  release,
  compile,   // a compiler ran, or a module was loaded
  pass,      // one rewrite pass
  overhead,  // the profiler's own cost
  user,      // a range that the user's program marked
};

inline constexpr int event_kind_count = 15;

/// An interval on a lane. Times are nanoseconds of now().
struct Event {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t call = 0;    // counts a process's calls from 1; 0: outside any call
  std::uint32_t step = 0;    // a step's id in the recording, from 1; 0: none
  std::uint32_t detail = 0;  // a detail's id, from 1: kernel shape, copy size; 0: none
  std::uint16_t lane = 0;    // a lane's id: host thread, stream, copy engine
  EventKind kind = EventKind::step;
  std::uint8_t flags = 0;  // event_flag values
};

static_assert(sizeof(Event) == 32);

namespace event_flag {
inline constexpr std::uint8_t simulated = 1;    // modelled, not measured
inline constexpr std::uint8_t in_graph = 2;     // ran inside a captured graph
inline constexpr std::uint8_t by_interval = 4;  // attributed by time, not by correlation id
inline constexpr std::uint8_t no_time = 8;      // the device gave no time stamps
}  // namespace event_flag

/// The word for a kind: "kernel", "copy_in", …
const char* name(EventKind kind);

}  // namespace hypatia
