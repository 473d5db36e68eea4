#pragma once
// A course of one exercise whose files are shell scripts: "compiling" is `cat`, so that the whole
// command can be tried in a fraction of a second.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>
#include <vector>

#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/sha256.h"
#include "tests/runner/scratch.h"

namespace hypatia::runner {

/// The checkout and the build folder of such a course, and the built `hypatia` to run in it.
struct Toy {
  Scratch scratch;
  std::string wrong =
      "answer() {\n  # >>> edit between these marks\n  echo $((40 + 1))\n"
      "  # <<< edit between these marks\n}\nmain() { echo the answer is $(answer); }\n";
  std::string right =
      "answer() {\n  echo $((40 + 2))\n}\nmain() { echo the answer is $(answer); }\n";
  std::string check =
      "report() { printf '%s\\n' \"$1\" >&$HYPATIA_REPORT; }\n"
      "one() { report \"{\\\"begin\\\": \\\"$1\\\"}\"; report \"{\\\"test\\\": \\\"$1\\\", "
      "\\\"status\\\": \\\"$2\\\", \\\"tag\\\": \\\"$3\\\", \\\"message\\\": \\\"$4\\\"}\"; }\n"
      "said=$(answer)\n"
      "if [ \"$said\" = 42 ]; then one value pass; report '{\"measured\": \"digits\", \"value\": "
      "2}'\n"
      "else one value fail wrong-value \"it is $said\"; fi\n"
      "report '{\"end\": 1}'\n";

  Toy() {
    write(wrong);
    scratch.write("solutions/00_toy/solution.cpp", right);
    scratch.write("solutions/00_toy/notes.md", "# Notes on the toy\n\nForty and two.\n");
    scratch.write("exercises/00_toy/check.cpp", check);
    scratch.write("exercises/00_toy/border.cpp", "");  // the toy is not graded
    scratch.write(
        "exercises/00_toy/README.md",
        "# 00 The toy\n\n*A number.*\n\n## What to do\n\n1. `./hypatia predict 00`\n"
        "2. `./hypatia check 00`\n\n"
        "## What you should see\n\n    the answer is 42\n\n## Questions\n\n- Why?\n");
    scratch.write("exercises/00_toy/hints/1.md", "Look at the number.\n");
    scratch.write("exercises/00_toy/hints/2.md", "It is too small. By how much?\n");
    scratch.write(
        "exercises/00_toy/hints/3.md", "Fill in the blank:\n\n    echo $((40 + ______))\n");
    for (const char* number : {"3", "4", "5"}) {
      const std::string more = number;
      scratch.write(
          "exercises/00_toy/mutants/plus_" + more + ".patch",
          "@@ -2,1 +2,1 @@\n-  echo $((40 + 2))\n+  echo $((40 + " + more + "))\n");
    }
    sheet("");
    scratch.write(
        "build/build.ninja",
        "rule object\n  command = bash tool.sh -o $out -c $in\n"
        "rule program\n  command = bash tool.sh -o $out $in\n"
        "build CMakeFiles/exercise_00_toy.dir/e.o: object " +
            path("exercises/00_toy/exercise.cpp") +
            "\nbuild solutions/CMakeFiles/solution_00_toy.dir/s.o: object " +
            path("solutions/00_toy/solution.cpp") +
            "\nbuild exercises/CMakeFiles/check_solution_00_toy.dir/s.o: object " +
            path("solutions/00_toy/solution.cpp") + "\nbuild check.o: object " +
            path("exercises/00_toy/check.cpp") +
            "\nbuild main.o: object main.sh\n"
            "build exercise_00_toy: phony bin/exercise_00_toy\n"
            "build check_00_toy: phony bin/check_00_toy\n"
            "build solution_00_toy: phony bin/solution_00_toy\n"
            "build check_solution_00_toy: phony bin/check_solution_00_toy\n"
            "build bin/exercise_00_toy: program CMakeFiles/exercise_00_toy.dir/e.o main.o\n"
            "build bin/check_00_toy: program CMakeFiles/exercise_00_toy.dir/e.o check.o\n"
            "build bin/solution_00_toy: program solutions/CMakeFiles/solution_00_toy.dir/s.o "
            "main.o\n"
            "build bin/check_solution_00_toy: program "
            "exercises/CMakeFiles/check_solution_00_toy.dir/s.o check.o\n");
    scratch.write("build/main.sh", "main\n");
    // tool.sh -o OUT -c IN checks a file; tool.sh -o OUT A B joins two.
    scratch.write(
        "build/tool.sh",
        "out=$2; mkdir -p \"$(dirname \"$out\")\"; shift 2; [ \"$1\" = -c ] && shift\n"
        "for f; do f=${f//\\\\/}; bash -n \"$f\" 2>/dev/null || "
        "{ echo \"$f:1:1: error: bad syntax\"; exit 1; }; done\n"
        "{ echo '#!/bin/bash'; cat \"$@\"; } > \"$out\"; chmod +x \"$out\"\n");
  }

  std::string path(const std::string& name) const {
    // Ninja wants blanks escaped.
    std::string escaped;
    for (const char c : (scratch.path / name).string())
      escaped += c == ' ' ? "$ " : std::string(1, c);
    return escaped;
  }

  void write(const std::string& text) const {
    scratch.write("exercises/00_toy/exercise.cpp", text);
  }

  /// Writes the sheet; `more` is further fields, each with a comma behind.
  void sheet(const std::string& more, const std::string& hash = "") const {
    scratch.write(
        "exercises/00_toy/exercise.json",
        "{" + more + R"("title": "a toy", "teaches": ["numbers"], "needs": [], "minutes": 1,
        "devices": ["cpu"], "tests": ["value"], "timeout": {"build": 10, "test": 1},
        "predictions": [{"name": "digits", "question": "How many digits?", "answer": 2}],
        "starter": {"sha256": ")" +
            (hash.empty() ? sha256(wrong) : hash) +
            R"(", "fails": "value", "tag": "wrong-value"},
        "hints": [{"level": 1, "file": "hints/1.md"}, {"level": 2, "file": "hints/2.md"},
        {"level": 3, "file": "hints/3.md"}]})");
  }

  std::vector<std::pair<std::string, std::string>> environment() const {
    return {
        {"HYPATIA_ROOT", scratch.path.string()},
        {"HYPATIA_BUILD", (scratch.path / "build").string()},
        {"HYPATIA_NO_SETUP", ""},
        {"HYPATIA_FLAGS", ""}};
  }

  /// Runs the command in the toy's checkout, with `more` in its environment.
  Outcome hypatia(
      const std::vector<std::string>& words,
      const std::vector<std::pair<std::string, std::string>>& more = {}) const {
    Task task;
    task.words = {program("hypatia")};
    task.words.insert(task.words.end(), words.begin(), words.end());
    task.environment = more;  // the first of a name counts
    for (const auto& each : environment())
      task.environment.push_back(each);
    task.folder = scratch.path.string();
    task.limit_seconds = 60;
    return run(task);
  }
};

inline bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace hypatia::runner
