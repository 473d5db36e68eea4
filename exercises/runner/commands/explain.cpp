// `hypatia explain TAG`: what a failure's tag means, at length.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"
#include "exercises/runner/tags.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The tag of the last failed check.
std::string last_tag() {
  std::string tag;
  for (const Entry& entry : journal()) {
    if (entry.event == "check" && !entry.tags.empty()) tag = entry.tags.front();
  }
  return tag;
}

int run_explain(const Arguments& arguments) {
  const std::vector<TagPage> pages = tag_pages(read_file(root() + "/docs/course/tags.md"));
  std::vector<std::string> names;
  for (const TagPage& page : pages)
    names.push_back(page.tag);
  const std::string asked = arguments.words.empty() ? last_tag() : arguments.words[0];
  if (asked.empty()) {
    throw Stop{exit_usage, "no check has failed yet: name a tag", near_names("", names)};
  }
  for (const TagPage& page : pages) {
    if (page.tag != asked) continue;
    if (arguments.json()) {
      const nlohmann::json document{{"schema", 1}, {"tag", page.tag}, {"text", page.text}};
      std::printf("%s\n", document.dump(2).c_str());
    } else {
      std::printf("%s\n\n%s", paint(Colour::strong, page.tag).c_str(), page.text.c_str());
    }
    return exit_pass;
  }
  throw Stop{exit_usage, "there is no tag '" + asked + "'", near_names(asked, names)};
}

}  // namespace

extern const Command explain_command{
    .name = "explain",
    .summary = "what a failure's tag means: race, wrong-value, timeout, …",
    .positional = {"TAG", "the tag; that of your last failure by default", 0, 1},
    .options = {},
    .run = run_explain,
};

}  // namespace hypatia::runner
