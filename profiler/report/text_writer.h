#pragma once
// What the sections of the text report share. Private to the report.

#include <fmt/format.h>
#include <iterator>
#include <string>
#include <vector>

#include "profiler/analyze/account.h"
#include "profiler/analyze/group.h"
#include "profiler/report/text.h"

namespace hypatia {

/// A recording, its account, and the text so far.
struct TextWriter {
  const Recording& recording;
  const Account& account;
  const TextOptions& options;
  std::string text;

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
    text += '\n';
  }
};

/// `part` in percent of `whole`; 0 of nothing.
inline double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

/// Words in lines that fit the terminal, some columns in.
void write_wrapped(TextWriter& out, std::size_t indent, std::string_view words);
/// Header lines, Class, Ops and Apply tables of a function; of all functions for 0.
void write_tables(TextWriter& out, std::uint32_t function);
/// Where each node's time went: host, launch, kernel, copies, queue, waits.
void write_devices(TextWriter& out, std::uint32_t function);
/// On the cpu: what each node reaches of what the processor can do, where that was measured.
void write_host_roofs(TextWriter& out, std::uint32_t function);
/// True if work on the cpu states its operations or bytes, and nothing to hold them against.
bool lacks_host_roofs(const Recording& recording, const Account& account);
void write_memory(TextWriter& out, std::uint32_t function);
void write_outside(TextWriter& out);
/// Why nodes stay on the CPU, and why values are copied, in functions for a GPU.
void write_reasons(TextWriter& out);
void write_float64(TextWriter& out);
void write_honesty(TextWriter& out);
void write_advice(TextWriter& out);

}  // namespace hypatia
