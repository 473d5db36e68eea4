// Formatting: clang-format 14 with the repository's settings would change nothing.
#include <gtest/gtest.h>
#include <sstream>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

std::string formatter() {
  for (const char* name : {"clang-format-14", "clang-format"}) {
    if (!available(name)) continue;
    if (shell(std::string(name) + " --version").output.find("version 14.") != std::string::npos) {
      return name;
    }
  }
  return "";
}

Answer check(const std::string& program, const std::string& files) {
  return shell(
      "cd " + quoted(root()) + " && printf '%s\\0' " + files + " | xargs -0 -P 4 -n 24 " + program +
      " --dry-run -Werror");
}

}  // namespace

TEST(Format, IsWhatTheFormatterWrites) {
  const std::string program = formatter();
  if (program.empty()) GTEST_SKIP() << "clang-format 14 is not installed";
  std::string files;
  for (const File& file : code())
    files += " " + quoted(file.path);
  const Answer answer = check(program, files);
  EXPECT_EQ(answer.code, 0) << "run " << program << " -i on:\n" << answer.output.substr(0, 8000);
}

TEST(Format, AnUntidyFileIsSeen) {
  const std::string program = formatter();
  if (program.empty()) GTEST_SKIP() << "clang-format 14 is not installed";
  const Answer answer = shell(
      "cd " + quoted(root()) + " && printf 'int   a;\\n' | " + program +
      " --dry-run -Werror --assume-filename=a.cpp");
  EXPECT_NE(answer.code, 0);
}

}  // namespace hypatia::architecture
