#pragma once
// From an address in a kernel's code to the line of its text.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hypatia::sim {

/// "0x7f12": an address as debuggers write it.
std::string address_text(std::uintptr_t address);

/// The line of `file` for each code address of a loaded object, 0 where unknown. Runs addr2line
/// once for all; where there is none, all are 0.
std::map<std::uintptr_t, std::int32_t> lines_of(
    const std::string& object,
    std::uintptr_t loaded_at,
    const std::vector<std::uintptr_t>& addresses,
    const std::string& file);

}  // namespace hypatia::sim
