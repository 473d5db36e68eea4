#pragma once
// The lines of a user's source file around the one that made a node.

#include <cstdint>
#include <string>
#include <vector>

#include "gui/app/base.h"

namespace hypatia::gui {

struct SourceLine {
  std::uint32_t number = 0;
  std::string text;
};

/// The origin's file as it lies here; empty if it is not found. A relative file is sought from the
/// working folder, and from the folders above the program that recorded.
std::string source_file(const RecordingHeader& header, const Origin& origin);

/// The origin's line and `around` lines on each side, their common indent removed; empty where the
/// file is not found.
std::vector<SourceLine> source_lines(
    const RecordingHeader& header, const Origin& origin, std::uint32_t around);

}  // namespace hypatia::gui
