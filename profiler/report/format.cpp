#include "profiler/report/format.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace hypatia {

namespace {

std::string scaled(double value, double step, const std::array<const char*, 4>& units) {
  std::size_t unit = 0;
  // 999.5 would print as 1000 of the smaller unit.
  while (unit + 1 < units.size() && std::abs(value) >= 0.9995 * step) {
    value /= step;
    ++unit;
  }
  const double size = std::abs(value);
  const int digits = unit == 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

}  // namespace

std::string duration(double nanoseconds) {
  return scaled(nanoseconds, 1000, {"ns", "us", "ms", "s"});
}

std::string byte_count(double bytes) {
  return scaled(bytes, 1000, {"B", "KB", "MB", "GB"});
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (text.size() <= columns) return std::string(text);
  if (columns <= 3) return std::string(text.substr(0, columns));
  return std::string(text.substr(0, columns - 3)) + "...";
}

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML at all.
        escaped += static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return escaped;
}

std::string place(const char* file, std::uint32_t line) {
  return line ? std::string(file) + ":" + std::to_string(line) : std::string();
}

}  // namespace hypatia
