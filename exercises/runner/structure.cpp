#include "exercises/runner/structure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <regex>
#include <set>

#include "exercises/runner/command.h"
#include "exercises/runner/placeholders.h"
#include "exercises/runner/places.h"
#include "exercises/runner/regions.h"
#include "exercises/runner/sheet.h"
#include "exercises/runner/tags.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_hints = 3, least_mutants = 3, most_shared = 12;
constexpr std::size_t told_digits = 3;  // a page names smaller numbers for other things
constexpr const char* sections[] = {"## What to do", "## What you should see", "## Questions"};

Proof of(std::string what, const std::string& fault) {
  return {std::move(what), fault.empty() ? "pass" : "fail", fault};
}

std::string missing_files(const Exercise& exercise) {
  std::string missing;
  const std::string beside = root() + "/solutions/" + exercise.id;
  for (const std::string& path :
       {exercise.folder + "/README.md",
        exercise.source(),
        exercise.folder + "/check.cpp",
        exercise.folder + "/border.cpp",
        exercise.solution(),
        beside + "/notes.md"}) {
    if (!fs::exists(path)) missing += " " + shown(path);
  }
  for (const Hint& hint : exercise.hints) {
    if (!fs::exists(exercise.folder + "/" + hint.file)) missing += " " + hint.file;
  }
  if (exercise.hints.size() < least_hints) missing += " (3 hints)";
  if (wrong_answers(exercise).size() < least_mutants) missing += " (3 mutants)";
  return missing.empty() ? "" : "missing:" + missing;
}

std::string faults_of_needs(const Exercise& exercise) {
  for (const std::string& id : exercise.needs) {
    const bool there = std::any_of(
        course().begin(), course().end(), [&](const Exercise& other) { return other.id == id; });
    if (!there) return "there is no exercise '" + id + "' that it could need";
  }
  return cycle_of(course());
}

std::string faults_of_sheet(const Exercise& exercise) {
  if (const std::string unknown = unknown_key(exercise); !unknown.empty()) return unknown;
  if (exercise.title.empty() || exercise.teaches.empty() || exercise.tests.empty()) {
    return "a title, what it teaches and its tests should not be empty";
  }
  if (!exercise.checked_on.empty() && exercise.checked_on != "gpu") {
    return "checked_on is gpu or left out, not " + exercise.checked_on;
  }
  const auto& tests = exercise.tests;
  if (std::find(tests.begin(), tests.end(), exercise.starter_fails) == tests.end()) {
    return "starter.fails names '" + exercise.starter_fails + "', which is no test";
  }
  std::set<std::string> names;
  for (const Question& question : exercise.questions) {
    if (!names.insert(question.name).second) return "two questions are called " + question.name;
    if (!question.on.empty() && question.on != "cpu" && question.on != "gpu") {
      return "a question's 'on' is cpu or gpu, not " + question.on;
    }
  }
  return "";
}

// The tags that the page of tags explains.
std::vector<std::string> explained_tags() {
  const std::string page = root() + "/docs/course/tags.md";
  std::vector<std::string> tags;
  if (!fs::exists(page)) return tags;
  for (const TagPage& section : tag_pages(read_file(page)))
    tags.push_back(section.tag);
  return tags;
}

// A tag that a failure can't have: no text of the check names it, and the page of tags doesn't.
std::string faults_of_tags(const Exercise& exercise) {
  const std::vector<std::string> explained = explained_tags();
  std::string check = read_file(exercise.folder + "/check.cpp");
  const std::string probe = exercise.folder + "/probe.cpp";
  if (fs::exists(probe)) check += read_file(probe);
  for (const Hint& hint : exercise.hints) {
    for (const std::string& tag : hint.tags) {
      const bool known = std::find(explained.begin(), explained.end(), tag) != explained.end();
      if (known || check.find('"' + tag + '"') != std::string::npos) continue;
      const std::string near = near_names(tag, explained);
      return hint.file + " answers the tag '" + tag + "', which check.cpp does not report" +
             (near.rfind("Did", 0) == 0 ? ". " + near : "; docs/course/tags.md lists tags");
    }
  }
  return "";
}

// What `dev new` wrote for the author to replace.
std::string faults_of_placeholders(const Exercise& exercise) {
  for (const char* file : {"README.md", "exercise.cpp", "check.cpp"}) {
    const std::string text = read_file(exercise.folder + "/" + file);
    for (const char* words : placeholders) {
      if (text.find(words) == std::string::npos) continue;
      return std::string(file) + " still says '" + words + "': replace what dev new wrote";
    }
  }
  return "";
}

std::string faults_of_hints(const Exercise& exercise) {
  static const std::regex line_number(R"(\bline \d+)");
  const std::string solution = read_file(exercise.solution());
  int level = 0;
  for (const Hint& hint : exercise.hints) {
    if (hint.level < level) return "the levels should grow: " + hint.file;
    level = hint.level;
    const std::string text = read_file(exercise.folder + "/" + hint.file);
    if (text.empty()) return hint.file + " is empty";
    if (std::regex_search(text, line_number)) return hint.file + " names a line: lines move";
    if (&hint == &exercise.hints.back()) break;
    const std::size_t shared = longest_shared_run(text, solution);
    if (shared > most_shared) {
      return hint.file + " shares " + std::to_string(shared) +
             " words in a row with the solution; only the last hint may";
    }
  }
  return "";
}

std::string faults_of_page(const Exercise& exercise) {
  static const std::regex link(R"(\]\(([^)#:]+)\))");
  const std::string page = read_file(exercise.folder + "/README.md");
  for (const char* section : sections) {
    if (page.find(std::string("\n") + section) == std::string::npos) {
      return std::string("README.md has no section '") + section + "'";
    }
  }
  for (std::sregex_iterator at(page.begin(), page.end(), link), end; at != end; ++at) {
    if (!fs::exists(exercise.folder + "/" + (*at)[1].str())) {
      return "README.md links to " + (*at)[1].str() + ", which is not there";
    }
  }
  return "";
}

// The nodes of a list as toposort() is printed, "[Op{}(x), Other(Op{}.0)]".
int nodes_listed(const std::string& line) {
  int depth = 0, nodes = 0;
  for (const char letter : line) {
    const bool opens = letter == '[' || letter == '(' || letter == '{' || letter == '<';
    const bool closes = letter == ']' || letter == ')' || letter == '}' || letter == '>';
    depth += opens - closes;
    if (depth == 1 && (letter == ',' || letter == '[')) ++nodes;
  }
  return nodes;
}

// "two nodes" where the answer to `nodes_gpu` is 2, or a printed list of as many nodes.
bool told_in_words(const Question& question, const std::string& page) {
  static const char* const words[] = {"no", "one", "two", "three", "four", "five", "six", "seven"};
  std::string what = question.name.substr(0, question.name.find('_'));
  if (what.back() == 's') what.pop_back();
  const bool small = question.answer >= 0 && question.answer < std::size(words);
  if (!small || question.answer != std::floor(question.answer)) return false;
  const int answer = static_cast<int>(question.answer);
  const std::regex told(fmt::format("\\b({}|{}) {}s?\\b", answer, words[answer], what));
  if (std::regex_search(page, told)) return true;
  if (what != "node" || answer < 2) return false;
  for (const std::string& line : lines_of(page)) {
    if (line.rfind("    [", 0) == 0 && nodes_listed(line) == answer) return true;
  }
  return false;
}

// A prediction is worth something before it is measured, and if the page doesn't tell it.
std::string faults_of_predictions(const Exercise& exercise) {
  if (exercise.questions.empty()) return "";
  const std::string page = read_file(exercise.folder + "/README.md");
  const std::size_t predict = page.find("./hypatia predict " + exercise.number);
  const std::size_t check = page.find("./hypatia check " + exercise.number);
  if (predict == std::string::npos) {
    return "README.md should name './hypatia predict " + exercise.number + "'";
  }
  if (check < predict) return "README.md names check, which measures, before predict";
  for (const Question& question : exercise.questions) {
    const std::string answer = fmt::format("{:.10g}", question.answer);
    if (told_in_words(question, page)) {
      return "README.md tells the answer to '" + question.name + "' in words or by a graph";
    }
    if (answer.size() < told_digits) continue;
    const std::regex told("(^|[^0-9.])" + answer + "([^0-9]|$)");
    if (std::regex_search(page, told)) {
      return "README.md tells the answer to '" + question.name + "': " + answer;
    }
  }
  return "";
}

std::vector<std::string> tokens_of(const std::string& text) {
  static const std::regex token(R"(\w+|[^\s\w])");
  std::vector<std::string> tokens;
  for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at)
    tokens.push_back(at->str());
  return tokens;
}

}  // namespace

std::size_t longest_shared_run(const std::string& a, const std::string& b) {
  const std::vector<std::string> left = tokens_of(a), right = tokens_of(b);
  std::vector<std::size_t> row(right.size() + 1, 0);
  std::size_t longest = 0;
  for (const std::string& word : left) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t before = row[j + 1];
      row[j + 1] = word == right[j] ? diagonal + 1 : 0;
      longest = std::max(longest, row[j + 1]);
      diagonal = before;
    }
  }
  return longest;
}

std::string cycle_of(const std::vector<Exercise>& exercises) {
  std::map<std::string, const Exercise*> by_id;
  for (const Exercise& exercise : exercises)
    by_id[exercise.id] = &exercise;
  for (const Exercise& start : exercises) {
    // Everything that it needs, each with the way there.
    std::map<std::string, std::string> reached{{start.id, start.id}};
    std::vector<std::string> open{start.id};
    while (!open.empty()) {
      const std::string at = open.back();
      open.pop_back();
      if (!by_id.count(at)) continue;
      for (const std::string& next : by_id[at]->needs) {
        if (next == start.id) return reached[at] + " needs " + next;
        if (!reached.emplace(next, reached[at] + " needs " + next).second) continue;
        open.push_back(next);
      }
    }
  }
  return "";
}

std::vector<Proof> prove_structure(const Exercise& exercise) {
  std::vector<Proof> proofs{of("its files are complete", missing_files(exercise))};
  if (proofs[0].status == "fail") return proofs;
  proofs.push_back(of("its sheet makes sense", faults_of_sheet(exercise)));
  proofs.push_back(of("what it needs is there, and comes before", faults_of_needs(exercise)));
  std::string fault;
  solved_regions(
      edited_here(exercise) ? pristine(exercise) : read_file(exercise.source()),
      read_file(exercise.solution()),
      fault);
  proofs.push_back(of("the starter is the solution outside its marks", fault));
  proofs.push_back(of("its hints say a little more each time", faults_of_hints(exercise)));
  proofs.push_back(of("its hints answer tags that there are", faults_of_tags(exercise)));
  proofs.push_back(
      of("its sentences are its own, not those of dev new", faults_of_placeholders(exercise)));
  proofs.push_back(
      of("its page has every section, and its links lead somewhere", faults_of_page(exercise)));
  proofs.push_back(
      of("its page asks for predictions before the check, and tells none of them",
         faults_of_predictions(exercise)));
  return proofs;
}

}  // namespace hypatia::runner
