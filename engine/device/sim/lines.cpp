#include "engine/device/sim/lines.h"

#include <cstdlib>
#include <sstream>

#include "engine/device/cpu/process.h"

namespace hypatia::sim {

std::string address_text(std::uintptr_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

namespace {

/// The number behind the last colon, if the path before it ends in `file`.
std::int32_t line_in(const std::string& place, const std::string& file) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon < file.size()) return 0;
  if (place.compare(colon - file.size(), file.size(), file) != 0) return 0;
  return std::atoi(place.c_str() + colon + 1);
}

}  // namespace

std::map<std::uintptr_t, std::int32_t> lines_of(
    const std::string& object,
    std::uintptr_t loaded_at,
    const std::vector<std::uintptr_t>& addresses,
    const std::string& file) {
  std::map<std::uintptr_t, std::int32_t> lines;
  if (addresses.empty()) return lines;
  const std::string program = find_program("addr2line");
  if (program.empty()) return lines;
  std::vector<std::string> command{program, "-a", "-i", "-e", object};
  for (const std::uintptr_t address : addresses)
    command.push_back(address_text(address - loaded_at));
  std::istringstream said(run_program(command).output);
  // An address, then its place, then the places that it was inlined at, from the inside out.
  std::uintptr_t current = 0;
  for (std::string row; std::getline(said, row);) {
    if (row.rfind("0x", 0) == 0) {
      current = std::strtoull(row.c_str(), nullptr, 16) + loaded_at;
    } else if (lines[current] == 0) {
      lines[current] = line_in(row.substr(0, row.find(" (discriminator")), file);
    }
  }
  return lines;
}

}  // namespace hypatia::sim
