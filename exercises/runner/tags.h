#pragma once
// The pages about failures' tags: docs/course/tags.md, a section a tag.

#include <string>
#include <vector>

namespace hypatia::runner {

struct TagPage {
  std::string tag, text;
};

/// The sections "## tag" of the page; a heading may hold several tags, with commas between them.
std::vector<TagPage> tag_pages(const std::string& markdown);

}  // namespace hypatia::runner
