// `hypatia dev new NN_name`: an exercise whose every part works, to be turned into another.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "exercises/runner/commands/dev.h"
#include "exercises/runner/placeholders.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"

namespace hypatia::runner {

namespace {

struct Page {
  const char* path;  // below the exercise's folder; with a slash in front, below the solution's
  const char* text;
};

// Twice each element. What stands between two @ is filled in.
constexpr const char* head =
    R"(// Twice each element of a vector: @HEAD@.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

// Returns a compiled function of a vector x whose result is 2 x.
Function twice() {
)";

constexpr const char* starter_body = R"(  // >>> edit between these marks
  // @STARTER@
  auto x = vector("x");
  return function({x}, x, {.name = "twice"});
  // <<< edit between these marks
)";

constexpr const char* solution_body = R"(  auto x = vector("x");
  return function({x}, x * 2, {.name = "twice"});
)";

constexpr const char* rest = R"(}

int main() {
  const Array numbers = Array({1, 2, 3}).astype(config().float_x());
  std::printf("twice 1 2 3 is %s\n", to_text(Array(twice()(numbers))).c_str());
  return 0;
}
)";

constexpr Page pages[] = {
    {"README.md", R"(# @NN@ @TITLE@

@IDEA@

@STORY@

    ./hypatia run @NN@

## What to do

1. Make `twice` return 2 x. Edit between the marks.
2. `./hypatia predict @NN@` asks what you expect; then `./hypatia check @NN@` until it passes.

## What you should see

    twice 1 2 3 is [ 2.  4.  6.]

## Questions

- @QUESTION@
)"},
    {"check.cpp", R"(// Checks that each element is doubled, whatever the size.
@CHECK@

#include <vector>

using namespace hypatia;

// The learner's function.
Function twice();

namespace {

void values() {
  RandomState rng(static_cast<std::uint32_t>(check::seed()));
  for (const std::int64_t size : {0, 1, 255, 257, 4099}) {
    const Array x = rng.randn({size}).astype(config().float_x());
    std::vector<long double> exact;
    for (const double value : x.to_vector())
      exact.push_back(2 * static_cast<long double>(value));
    check::expect_values(twice()(x), x.dims(), exact, 0.5);
  }
  if (!check::on_gpu()) {
    check::measured("nodes", static_cast<double>(twice().toposort().size()));
  }
}

}  // namespace

int main(int count, char** words) {
  return check::run(count, words, {{"values", values}});
}
)"},
    {"border.cpp",
     "// What of this exercise crosses between the learner's program and the check when it is "
     "graded.\n@BORDER@\n\nusing namespace hypatia;\n\nHYPATIA_BORDER0(Function, twice)\n"},
    {"exercise.json", R"({
  "title": "@TITLE@",
  "kind": "code",
  "teaches": ["expression"],
  "needs": [],
  "minutes": 10,
  "level": 1,
  "devices": ["cpu", "sim", "cuda"],
  "starter": {
    "sha256": "@SHA@",
    "build": "ok",
    "fails": "values",
    "tag": "wrong-value",
    "why": "it returns x as it is"
  },
  "tests": ["values"],
  "timeout": {"build": 60, "test": 20},
  "predictions": [
    {"name": "nodes", "on": "cpu", "answer": 1,
      "question": "How many nodes does the compiled graph of twice have on the CPU?"}
  ],
  "hints": [
    {"level": 1, "file": "hints/1.md", "tags": ["wrong-value"]},
    {"level": 2, "file": "hints/2.md"},
    {"level": 3, "file": "hints/3.md"}
  ]
}
)"},
    {"hints/1.md",
     "Where to look: what does the function return now, and what should it return?\n"},
    {"hints/2.md", "Which mechanism: operators work on variables as they do on numbers.\n"},
    {"hints/3.md",
     "The line with a blank:\n\n    return function({x}, x * ______, {.name = \"twice\"});\n"},
    {"mutants/three_times.patch",
     "@@ -10,1 +10,1 @@\n"
     "-  return function({x}, x * 2, {.name = \"twice\"});\n"
     "+  return function({x}, x * 3, {.name = \"twice\"});\n"},
    {"mutants/squared.patch",
     "@@ -10,1 +10,1 @@\n"
     "-  return function({x}, x * 2, {.name = \"twice\"});\n"
     "+  return function({x}, x * x, {.name = \"twice\"});\n"},
    {"mutants/absolute.patch",
     "@@ -10,1 +10,1 @@\n"
     "-  return function({x}, x * 2, {.name = \"twice\"});\n"
     "+  return function({x}, abs(x) * 2, {.name = \"twice\"});\n"},
    {"/notes.md", "# Notes on twice\n\nWhy the solution works, and what was to be seen.\n"},
};

// "Softmax temp" of 12_softmax_temp.
std::string title_of(const std::string& id) {
  std::string title = id.substr(3);
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string filled(std::string text, const std::string& id, const std::string& hash = "") {
  const std::pair<const char*, std::string> blanks[] = {
      {"@TITLE@", title_of(id)},
      {"@IDEA@", idea_placeholder},
      {"@STORY@", story_placeholder},
      {"@HEAD@", head_placeholder},
      {"@STARTER@", starter_placeholder},
      {"@QUESTION@", question_placeholder},
      {"@ID@", id},
      {"@NN@", id.substr(0, 2)},
      {"@SHA@", hash},
      {"@CHECK@", "#include \"support/check.h\""},
      {"@BORDER@", "#include \"support/border.h\""}};
  for (const auto& [blank, value] : blanks) {
    const std::string word = blank;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, word.size(), value);
  }
  return text;
}

// What keeps the word from being two digits, _ and a name; "" if nothing does.
std::string fault_of_name(const std::string& id) {
  const auto any = [&](auto is) {
    return std::any_of(id.begin(), id.end(), [&](char c) { return is(c); });
  };
  std::string faults;
  const auto add = [&](bool there, const char* fault) {
    if (there) faults += (faults.empty() ? "" : ", ") + std::string(fault);
  };
  static const std::regex begins("[0-9][0-9]_.+"), plain("[A-Za-z0-9_-]*");
  add(!std::regex_match(id, begins), "it does not begin with two digits and _");
  add(any([](char c) { return c >= 'A' && c <= 'Z'; }), "it has capitals");
  add(id.find('-') != std::string::npos, "it has hyphens (write _)");
  add(!std::regex_match(id, plain), "it has signs other than letters, digits and _");
  add(id.size() > 32, "it has more than 32 signs");
  return faults;
}

void require_free(const std::string& id) {
  if (const std::string faults = fault_of_name(id); !faults.empty()) {
    throw Stop{
        exit_usage,
        "'" + id + "' is no name of an exercise: " + faults,
        "two digits, _ and a name in small letters, as in 12_my_exercise"};
  }
  for (const std::string& folder : {root() + "/exercises", root() + "/solutions"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().substr(0, 3) != id.substr(0, 3)) continue;
      throw Stop{
          exit_usage, shown(entry.path().string()) + " is there already", "take another number"};
    }
  }
}

}  // namespace

int dev_new(const Arguments& arguments) {
  if (arguments.words.size() < 2) {
    throw Stop{exit_usage, "dev new wants a name", "as in ./hypatia dev new 12_my_exercise"};
  }
  const std::string& id = arguments.words[1];
  require_free(id);
  const std::string folder = root() + "/exercises/" + id, beside = root() + "/solutions/" + id;
  const std::string starter = filled(std::string(head) + starter_body + rest, id);
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text);
    written.push_back(path);
  };
  write(folder + "/exercise.cpp", starter);
  write(beside + "/solution.cpp", filled(std::string(head) + solution_body + rest, id));
  for (const Page& page : pages) {
    const bool solution = page.path[0] == '/';
    write((solution ? beside : folder + "/") + page.path, filled(page.text, id, sha256(starter)));
  }
  if (arguments.json()) {
    const nlohmann::json document{{"schema", 1}, {"exercise", {{"id", id}}}, {"files", written}};
    std::printf("%s\n", document.dump(2).c_str());
    return exit_pass;
  }
  for (const std::string& path : written)
    std::printf("%s\n", shown(path).c_str());
  std::printf("  next      ./hypatia dev check %s --mutants\n", id.substr(0, 2).c_str());
  return exit_pass;
}

}  // namespace hypatia::runner
