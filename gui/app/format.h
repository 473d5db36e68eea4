#pragma once
// Numbers as people read them; one place, so that every view writes a value the same way.

#include <cstdint>
#include <string>
#include <string_view>

namespace hypatia::gui {

/// "0", "850 ns", "12.3 µs", "4.56 ms", "1.23 s", "2 min 05 s" from nanoseconds.
std::string time_text(double nanoseconds);
/// "512 B", "1.5 KiB", "24.0 MiB".
std::string bytes_text(double bytes);
/// "1.23 GB/s" from bytes and nanoseconds; "–" where no time passed.
std::string rate_text(double bytes, double nanoseconds);
/// "4.56 GFLOP/s", "–" where no time passed.
std::string flops_text(double flops, double nanoseconds);
/// "10 kB", "200 GB/s": a round value on an axis.
std::string si_text(double value, std::string_view unit);
/// "12.3 %" from a share; "<0.1 %" for little more than none.
std::string percent_text(double share);
/// "1,234,567".
std::string count_text(std::int64_t count);
/// "1 call", "2,000 calls".
std::string counted(std::int64_t count, std::string_view what);
/// The text with numbers and their units ("406 µs", "12 %") kept on one line.
std::string unbroken(std::string_view text);
/// "1.8×" or "0.55×".
std::string ratio_text(double ratio);

/// `text` cut with … so that it is at most `width` pixels wide in the current font.
std::string fit_text(std::string_view text, float width);

/// The same for ImGui's items, whose label must not be empty.
std::string fit_label(std::string_view text, float width);

/// True if `text` passes a filter: comma means or, a leading minus excludes, case is ignored.
bool passes_filter(std::string_view filter, std::string_view text);

}  // namespace hypatia::gui
