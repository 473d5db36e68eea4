// `hypatia explain TAG`: what a failure's tag means, or a word of graphs and reports, at length.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/command.h"
#include "exercises/runner/course.h"
#include "exercises/runner/places.h"
#include "exercises/runner/state.h"
#include "exercises/runner/tags.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The tag of the last failed check, of an exercise or of any ("").
std::string last_tag(const std::string& exercise) {
  std::string tag;
  for (const Entry& entry : journal()) {
    const bool asked = exercise.empty() || entry.exercise == exercise;
    if (asked && entry.event == "check" && !entry.tags.empty()) tag = entry.tags.front();
  }
  return tag;
}

// The tag that a word asks for: itself, or the last of the exercise that begins with a number.
std::string tag_of(const std::string& word) {
  if (word.empty() || word.find_first_not_of("0123456789") == std::string::npos) {
    const std::string exercise = word.empty() ? "" : find_exercise(word).id;
    const std::string tag = last_tag(exercise);
    if (tag.empty()) {
      throw Stop{
          exit_usage,
          "no check" + (exercise.empty() ? "" : " of " + exercise) + " has failed yet",
          "./hypatia check ends a failure with its tag; explain TAG says what it means"};
    }
    return tag;
  }
  return word;
}

// The sections of both pages, the tags first.
std::vector<TagPage> all_pages() {
  std::vector<TagPage> pages = tag_pages(read_file(root() + "/docs/course/tags.md"));
  const std::string words = root() + "/docs/course/words.md";
  if (!std::filesystem::exists(words)) return pages;
  for (TagPage& page : tag_pages(read_file(words)))
    pages.push_back(std::move(page));
  return pages;
}

std::string in_small_letters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

int run_explain(const Arguments& arguments) {
  const std::vector<TagPage> pages = all_pages();
  std::vector<std::string> names;
  for (const TagPage& page : pages)
    names.push_back(page.tag);
  std::string words;
  for (const std::string& word : arguments.words)
    words += (words.empty() ? "" : " ") + word;
  const std::string asked = tag_of(words);
  for (const TagPage& page : pages) {
    if (in_small_letters(page.tag) != in_small_letters(asked)) continue;
    if (arguments.json()) {
      const nlohmann::json document{{"schema", 1}, {"tag", page.tag}, {"text", page.text}};
      std::printf("%s\n", document.dump(2).c_str());
    } else {
      std::printf("%s\n\n%s", paint(Colour::strong, page.tag).c_str(), page.text.c_str());
    }
    return exit_pass;
  }
  throw Stop{exit_usage, "there is no tag or word '" + asked + "'", near_names(asked, names)};
}

}  // namespace

extern const Command explain_command{
    .name = "explain",
    .summary = "what a failure's tag or a report's word means: race, wrong-value, HostFromGpu, …",
    .positional =
        {"TAG",
         "the tag or word, or NN for the last failure of an exercise; your last failure's by "
         "default",
         0,
         4},
    .options = {},
    .run = run_explain,
};

}  // namespace hypatia::runner
