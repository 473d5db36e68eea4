#pragma once
// The numbers of the zip format that its reader and its writer share.

#include <cstdint>
#include <string_view>
#include <zlib.h>

namespace hypatia::zip {

inline constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50;
inline constexpr std::uint32_t end_mark = 0x06054b50;
inline constexpr std::uint16_t stored = 0, deflated = 8;

inline std::uint32_t checksum(std::string_view text) {
  const auto* bytes = reinterpret_cast<const Bytef*>(text.data());
  return static_cast<std::uint32_t>(crc32_z(0, bytes, text.size()));
}

}  // namespace hypatia::zip
