#include "engine/run/raw/source_text.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/core/source_file.h"

namespace hypatia::cuda {

namespace {

/// The line of the user's file on which the text begins, from 1; 0 if it isn't there.
std::size_t first_line(const std::string& text, const char* file) {
  std::ifstream stream(source_file(file), std::ios::binary);
  if (!stream || text.empty()) return 0;
  std::ostringstream all;
  all << stream.rdbuf();
  const std::string content = all.str();
  const std::size_t at = content.find(text);
  if (at == std::string::npos) return 0;
  const auto end = content.begin() + static_cast<std::ptrdiff_t>(at);
  return 1 + static_cast<std::size_t>(std::count(content.begin(), end, '\n'));
}

}  // namespace

KernelSource placed_source(const std::string& text, const Origin& at, bool plain) {
  KernelSource source;
  source.dialect = Dialect::cuda_c;
  const std::size_t line = first_line(text, at.file);
  const std::string file = at.file;
  source.name = line > 0 ? file.substr(file.find_last_of('/') + 1) : "kernel.cu";
  if (!plain) source.text = "extern \"C\" {";
  // Empty lines in front make the numbers of the text those of the file.
  if (line > 1) source.text.append(line - 1, '\n');
  if (line <= 1 && text.starts_with('#')) source.text += "\n#line 1\n";
  source.text += text;
  if (!plain) source.text += "\n}\n";
  return source;
}

}  // namespace hypatia::cuda
