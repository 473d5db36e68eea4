#pragma once
// Recordings made of recordings: cut to a window, put together, brought to the newest format.

#include <cstdint>
#include <span>
#include <string>

#include "profiler/record/recording.h"

namespace hypatia {

/// What to keep of a recording; zero means no limit.
struct TrimOptions {
  std::uint32_t first_call = 0, last_call = 0;  // numbers of calls, both kept
  std::int64_t begin = 0, end = 0;              // nanoseconds on the recording's clock
};

/// The events inside the window, with all records; ids stay as they were. Work that belongs to no
/// call is kept by its time alone.
RecordingData trim(const Recording& recording, const TrimOptions& options);

/// One recording of several. Functions, lanes and calls of each follow those of the one before;
/// times are aligned by the wall clock, so that what ran at once on one machine stays side by side.
RecordingData merge(std::span<const std::shared_ptr<const Recording>> recordings);

/// Reads a recording of any version that this program knows and writes it in the newest.
void migrate(const std::string& from, const std::string& to);

}  // namespace hypatia
