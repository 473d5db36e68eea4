// Compilers note files relative to their own folder, often as ../../exercises/…

#include "gui/model/source_line.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace hypatia::gui {

namespace fs = std::filesystem;

namespace {

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path find_file(const RecordingHeader& header, const fs::path& file) {
  if (is_file(file)) return file;
  if (file.is_absolute()) return {};
  fs::path below;  // without the leading ".."
  for (const fs::path& part : file)
    if (part != "..") below /= part;
  std::error_code ignored;
  for (const fs::path& start : {fs::path(header.program), fs::current_path(ignored) / "x"}) {
    fs::path folder = start.parent_path();
    for (int up = 0; up < 16 && !folder.empty(); ++up, folder = folder.parent_path())
      if (is_file(folder / below)) return folder / below;
  }
  return {};
}

void remove_indent(std::vector<SourceLine>& lines) {
  std::size_t least = std::string::npos;
  for (const SourceLine& line : lines)
    least = std::min(least, line.text.find_first_not_of(' '));
  for (SourceLine& line : lines)
    if (least != std::string::npos && line.text.size() >= least) line.text.erase(0, least);
}

}  // namespace

std::string source_file(const RecordingHeader& header, const Origin& origin) {
  if (!origin) return {};
  std::error_code ignored;
  const fs::path found = find_file(header, origin.file);
  return found.empty() ? std::string() : fs::absolute(found, ignored).lexically_normal().string();
}

std::vector<SourceLine> source_lines(
    const RecordingHeader& header, const Origin& origin, std::uint32_t around) {
  std::vector<SourceLine> lines;
  const fs::path path = origin ? find_file(header, origin.file) : fs::path();
  std::ifstream file(path);
  if (path.empty() || !file) return lines;
  std::string text;
  for (std::uint32_t number = 1; std::getline(file, text); ++number) {
    if (number > origin.line + around) break;
    if (number + around >= origin.line) lines.push_back({number, text.substr(0, 400)});
  }
  const bool reached = !lines.empty() && lines.back().number >= origin.line;
  if (!reached) return {};
  remove_indent(lines);
  return lines;
}

}  // namespace hypatia::gui
