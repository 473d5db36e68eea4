#pragma once
// The one clock that everybody reads: host nanoseconds, shifted where a simulated device stands in
// for a real one.

#include <cstdint>

namespace hypatia {

/// Nanoseconds on CLOCK_MONOTONIC, plus this thread's shift. On a simulated device the shift takes
/// out the real time that simulating cost and puts in the modelled time instead.
std::int64_t now();

/// Moves this thread's clock so that now() reads `time`. Only simulated devices call it.
void set_now(std::int64_t time);

/// From here on this thread's clock stands still but for set_now and 50 ns a reading, so that
/// recordings repeat to the bit; false goes back to the measured clock.
void use_modelled_clock(bool modelled);

/// Seconds since the first call in this process, for timing loops in user programs.
double seconds();

}  // namespace hypatia
