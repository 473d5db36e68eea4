// Units, cutting and filtering of text.

#include "gui/app/format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

namespace hypatia::gui {

namespace {

// Three significant digits.
std::string digits(double value) {
  const double size = std::abs(value);
  return size >= 99.95
             ? fmt::format("{:.0f}", value)
             : (size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value));
}

std::string scaled(double value, double base, std::string_view unit) {
  constexpr std::array<std::string_view, 5> prefixes = {"", "K", "M", "G", "T"};
  std::size_t prefix = 0;
  while (std::abs(value) >= base * 0.9995 && prefix + 1 < prefixes.size()) {
    value /= base;
    ++prefix;
  }
  const std::string_view middle = base == 1024 && prefix > 0 ? "i" : "";
  return prefix == 0 ? fmt::format("{:.0f} {}", value, unit)
                     : fmt::format("{} {}{}{}", digits(value), prefixes[prefix], middle, unit);
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
           return lower(a) == lower(b);
         }) != text.end();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

}  // namespace

std::string time_text(double nanoseconds) {
  const double size = std::abs(nanoseconds);
  if (size < 0.5) return "0";
  if (size < 999.5) return fmt::format("{:.0f} ns", nanoseconds);
  if (size < 999.5e3) return digits(nanoseconds / 1e3) + " µs";
  if (size < 999.5e6) return digits(nanoseconds / 1e6) + " ms";
  if (size < 100e9) return digits(nanoseconds / 1e9) + " s";
  const auto seconds = static_cast<std::int64_t>(nanoseconds / 1e9);
  return fmt::format("{} min {:02} s", seconds / 60, std::abs(seconds % 60));
}

std::string bytes_text(double bytes) {
  return scaled(bytes, 1024, "B");
}

std::string rate_text(double bytes, double nanoseconds) {
  return nanoseconds > 0 && bytes > 0 ? scaled(bytes / nanoseconds * 1e9, 1000, "B/s") : "–";
}

std::string flops_text(double flops, double nanoseconds) {
  return nanoseconds > 0 && flops > 0 ? scaled(flops / nanoseconds * 1e9, 1000, "FLOP/s") : "–";
}

std::string si_text(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.95 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g} {}{}", value, prefixes[prefix], unit);
}

std::string percent_text(double share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", share * 100);
}

std::string count_text(std::int64_t count) {
  std::string out = std::to_string(std::abs(count));
  for (std::size_t i = out.size(); i > 3; i -= 3)
    out.insert(i - 3, ",");
  if (count < 0) out.insert(0, "-");
  return out;
}

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

std::string unbroken(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_number = i > 0 && text[i] == ' ' && text[i - 1] >= '0' && text[i - 1] <= '9';
    const std::size_t end = std::min(text.find_first_of(" .,:;", i + 1), text.size());
    if (after_number && end - i <= 5)
      out += "\u00a0";
    else
      out += text[i];
  }
  return out;
}

std::string ratio_text(double ratio) {
  return digits(ratio) + "×";
}

std::string fit_text(std::string_view text, float width) {
  const auto measure = [](std::string_view part) {
    return ImGui::CalcTextSize(part.data(), part.data() + part.size()).x;
  };
  if (measure(text) <= width) return std::string(text);
  const float room = width - measure("…");
  std::size_t low = 0, high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (measure(text.substr(0, middle)) <= room)
      low = middle;
    else
      high = middle - 1;
  }
  while (low > 0 && (static_cast<unsigned char>(text[low]) & 0xC0U) == 0x80U)
    --low;  // never cut within a character
  return low == 0 ? std::string() : std::string(text.substr(0, low)) + "…";
}

std::string fit_label(std::string_view text, float width) {
  return fit_text(text, width) + "##item";
}

bool passes_filter(std::string_view filter, std::string_view text) {
  bool wanted = false, any_wanted = false;
  while (!filter.empty()) {
    const std::size_t comma = filter.find(',');
    std::string_view part = trimmed(filter.substr(0, comma));
    filter.remove_prefix(comma == std::string_view::npos ? filter.size() : comma + 1);
    if (part.empty()) continue;
    if (part.front() == '-') {
      part = trimmed(part.substr(1));
      if (!part.empty() && contains(text, part)) return false;
    } else {
      any_wanted = true;
      wanted = wanted || contains(text, part);
    }
  }
  return wanted || !any_wanted;
}

}  // namespace hypatia::gui
