// `hypatia dev book [NN]`: makes the pages of docs/course/book, or says how they have drifted.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "exercises/runner/book.h"
#include "exercises/runner/commands/dev.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string folder() {
  return root() + "/docs/course/book/";
}

std::string in_tree(const std::string& path) {
  return std::filesystem::exists(path) ? read_file(path) : "";
}

// What is wrong with a page, as lines for people; writes it unless it is only checked.
std::vector<std::string> settle(const std::string& path, const std::string& made, bool only_check) {
  const std::string before = in_tree(path), drift = book_drift(before, made);
  if (drift.empty()) return {};
  if (!only_check) {
    write_file(path, book_text(before, made));
    return {};
  }
  std::vector<std::string> faults{shown(path) + " is not as it would be made now:"};
  for (const std::string& line : lines_of(tail(drift, 12)))
    faults.push_back("  " + line);
  faults.emplace_back("  ./hypatia dev book makes it anew");
  return faults;
}

std::vector<std::string> faults_of(const Exercise& exercise, bool only_check) {
  std::vector<std::string> faults;
  const std::vector<Sample> samples = run_samples(exercise);
  const std::string page = read_file(exercise.folder + "/README.md");
  for (const std::string& line : broken_promises(page, samples))
    faults.push_back(exercise.id + ": the page promises what the solution doesn't print: " + line);
  for (const std::string& line : unknown_commands(page))
    faults.push_back(exercise.id + ": the page names a command that is not there: " + line);
  const std::vector<std::string> more =
      settle(folder() + exercise.id + ".md", book_page(exercise, samples), only_check);
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

}  // namespace

int dev_book(const Arguments& arguments) {
  const bool only_check = arguments.has("--check");
  std::vector<std::string> faults;
  int pages = 0;
  for (const Exercise& exercise : course()) {
    const bool other =
        arguments.words.size() > 1 && &find_exercise(arguments.words[1]) != &exercise;
    if (other) continue;
    const std::vector<std::string> more = faults_of(exercise, only_check);
    faults.insert(faults.end(), more.begin(), more.end());
    ++pages;
  }
  const std::vector<std::string> more = settle(folder() + "README.md", book_contents(), only_check);
  faults.insert(faults.end(), more.begin(), more.end());
  if (arguments.json()) {
    const nlohmann::json document{{"schema", 1}, {"pages", pages}, {"faults", faults}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    for (const std::string& fault : faults)
      std::printf("%s\n", fault.c_str());
    std::printf(
        "%d pages, %s\n", pages, faults.empty() ? "all as they are made now" : "with faults");
  }
  return faults.empty() ? exit_pass : exit_authoring;
}

}  // namespace hypatia::runner
