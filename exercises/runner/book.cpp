#include "exercises/runner/book.h"

#include <algorithm>
#include <fmt/core.h>
#include <sstream>

#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/difference.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/program.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr double sample_seconds = 120, quick_seconds = 3;
constexpr std::size_t runs = 3, fewest_runs = 2, most_lines = 60, most_columns = 100;
constexpr double same_numbers = 1e-4;

// Words, with "…" for each that begins like a number.
std::string without_numbers(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::string out;
  for (std::string word; stream >> word;) {
    const bool number = word.find_first_of("0123456789") == 0;
    out += (out.empty() ? "" : " ") + (number ? std::string("…") : word);
  }
  return out;
}

// Where one number of a line varies from run to run, the others may just have been lucky.
bool same(std::string_view a, std::string_view b) {
  const bool varies = a.find("…") != a.npos || b.find("…") != b.npos;
  return varies ? same_line(without_numbers(a), without_numbers(b), 0)
                : same_line(a, b, same_numbers);
}

Sample run_sample(const Exercise& exercise, const std::string& device, bool once) {
  ProgramRequest request;
  request.exercise = &exercise;
  request.solution = true;
  request.device = device;
  request.limit_seconds = sample_seconds;
  request.capture = true;
  std::vector<std::string> outputs;
  while (outputs.size() < runs) {
    const Outcome outcome = run_program(request);
    if (!outcome.good()) {
      throw Stop{
          exit_authoring,
          "the solution of " + exercise.id + " on " + device + ": " +
              diagnose(outcome, sample_seconds).message,
          ""};
    }
    outputs.push_back(outcome.output);
    if (once) break;
    if (outcome.seconds > quick_seconds && outputs.size() >= fewest_runs) break;
  }
  return {device, steady(outputs)};
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

bool is_sample(const std::string& line) {
  return line.rfind("    ", 0) == 0 && line.find_first_not_of(' ') != std::string::npos;
}

// "..." as a word of its own is "…", which is like any word.
std::string with_gaps(const std::string& line) {
  std::string out;
  for (const std::string& word : words_of(line))
    out += (out.empty() ? "" : " ") + (word == "..." ? std::string("…") : word);
  return out;
}

// True if the lines come in this order, perhaps with others between.
bool holds(const std::vector<std::string>& output, const std::vector<std::string>& block) {
  auto at = output.begin();
  for (const std::string& line : block) {
    at = std::find_if(
        at, output.end(), [&](const std::string& other) { return same(line, with_gaps(other)); });
    if (at == output.end()) return false;
    ++at;
  }
  return true;
}

std::string indented(const std::string& text) {
  std::string out;
  const std::vector<std::string> lines = lines_of(text);
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) {
    const bool long_line = lines[i].size() > most_columns;
    const std::string line = long_line ? lines[i].substr(0, most_columns) + "…" : lines[i];
    out += line.empty() ? "\n" : "    " + line + "\n";
  }
  if (lines.size() > most_lines) {
    out += fmt::format("    … ({} more lines)\n", lines.size() - most_lines);
  }
  return out;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words)
    out += (out.empty() ? "" : ", ") + word;
  return out.empty() ? "-" : out;
}

const Command* verb(const std::string& name) {
  for (const Command* command : commands()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

}  // namespace

std::vector<Sample> run_samples(const Exercise& exercise, bool once) {
  std::vector<Sample> samples;
  for (const char* device : {"cpu", "sim"}) {
    if (exercise.runs_on(device)) samples.push_back(run_sample(exercise, device, once));
  }
  return samples;
}

std::vector<std::string> broken_promises(
    const std::string& page, const std::vector<Sample>& samples) {
  std::vector<std::string> broken, block;
  bool inside = false, fenced = false;  // between ``` stand examples of other commands
  const auto finish = [&] {
    const bool kept = std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
      return holds(lines_of(sample.output), block);
    });
    if (!block.empty() && !kept) broken.push_back(block.front());
    block.clear();
  };
  for (const std::string& line : lines_of(page)) {
    if (line.rfind("```", 0) == 0) fenced = !fenced;
    if (fenced) continue;
    const bool heading = line.rfind("## ", 0) == 0;
    if (heading || (!line.empty() && !is_sample(line))) finish();
    // Sections of the page's own may follow, up to the questions.
    if (line == "## What you should see") inside = true;
    if (line == "## Questions") inside = false;
    if (inside && is_sample(line)) block.push_back(with_gaps(line));
  }
  finish();
  return broken;
}

std::vector<std::string> unknown_commands(const std::string& page) {
  std::vector<std::string> unknown;
  for (std::size_t at = page.find("./hypatia "); at != std::string::npos;
       at = page.find("./hypatia ", at + 1)) {
    const std::size_t end = page.find_first_of("`\n#", at);
    std::vector<std::string> words = words_of(page.substr(at, end - at));
    const Command* const command = words.size() > 1 ? verb(words[1]) : nullptr;
    bool good = command != nullptr;
    for (std::size_t i = 2; good && i < words.size() && words[i] != "--"; ++i) {
      if (words[i].rfind("--", 0) != 0 || words[i] == "--json") continue;
      good = std::any_of(command->options.begin(), command->options.end(), [&](const Option& o) {
        return words[i] == o.name || words[i] == o.name + "," || words[i] == o.name + ".";
      });
    }
    if (!good) unknown.push_back(page.substr(at, end - at));
  }
  return unknown;
}

std::string book_page(const Exercise& exercise, const std::vector<Sample>& samples) {
  std::string page = without_holds(read_file(exercise.folder + "/README.md"));
  page += "\n## Before you measure\n\n";
  page += fmt::format("`./hypatia predict {}` asks:\n\n", exercise.number);
  for (const Question& question : exercise.questions)
    page += "- " + question.text + "\n";
  if (exercise.questions.empty()) page += "- nothing yet.\n";
  page += "\n## What the solution prints\n";
  for (const Sample& sample : samples) {
    page += sample.device == "cpu" ? "\nOn the CPU" : "\nOn the simulated GPU";
    page += " (… varies from run to run):\n\n" + indented(sample.output);
  }
  page += "\n## On the sheet\n\n| | |\n|---|---|\n";
  page += "| teaches | " + listed(exercise.teaches) + " |\n";
  page += "| needs | " + listed(exercise.needs) + " |\n";
  page += "| devices | " + listed(exercise.devices) + " |\n";
  page +=
      fmt::format("| minutes | {} |\n| hints | {} |\n", exercise.minutes, exercise.hints.size());
  page += fmt::format("| tests | {} |\n", listed(exercise.tests));
  return page;
}

std::string book_contents() {
  std::string page =
      "# The course, a page an exercise\n\n"
      "`./hypatia dev book` makes these pages from the exercises' folders, and runs every solution "
      "for what it\nprints; `./hypatia dev book --check` says what is not so any more.\n\n"
      "| | what it is about | teaches | needs | minutes |\n|---|---|---|---|---|\n";
  for (const Exercise& exercise : course()) {
    page += fmt::format(
        "| [{0}]({0}.md) | {1} | {2} | {3} | {4} |\n",
        exercise.id,
        exercise.title,
        listed(exercise.teaches),
        listed(exercise.needs),
        exercise.minutes);
  }
  return page;
}

std::string book_drift(const std::string& in_tree, const std::string& made) {
  return line_difference(in_tree, made, 0, same);
}

std::string book_text(const std::string& in_tree, const std::string& made) {
  std::vector<std::string> varied;
  for (const std::string& line : lines_of(in_tree)) {
    if (is_sample(line) && line.find("…") != line.npos) varied.push_back(line);
  }
  std::string text;
  for (const std::string& line : lines_of(made)) {
    const auto known = std::find_if(
        varied.begin(), varied.end(), [&](const std::string& old) { return same(old, line); });
    text += (is_sample(line) && known != varied.end() ? *known : line) + "\n";
  }
  return text;
}

}  // namespace hypatia::runner
