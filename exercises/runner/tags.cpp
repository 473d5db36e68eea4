#include "exercises/runner/tags.h"

#include "exercises/runner/text.h"

namespace hypatia::runner {

std::vector<TagPage> tag_pages(const std::string& markdown) {
  std::vector<TagPage> pages;
  std::size_t first = 0;  // of the section that is read
  for (const std::string& line : lines_of(markdown)) {
    if (line.rfind("## ", 0) != 0) {
      for (std::size_t i = first; i < pages.size(); ++i) {
        if (!line.empty() || !pages[i].text.empty()) pages[i].text += line + "\n";
      }
      continue;
    }
    first = pages.size();
    for (std::size_t at = 3; at < line.size();) {
      const std::size_t end = std::min(line.find(", ", at), line.size());
      pages.push_back({line.substr(at, end - at), ""});
      at = end + 2;
    }
  }
  return pages;
}

}  // namespace hypatia::runner
