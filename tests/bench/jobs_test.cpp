// The benchmarks' words, by the program itself.
#include <cstdio>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/wait.h>

namespace hypatia {
namespace {

struct Printed {
  int status = -1;
  std::string text;
};

/// What hypatia-bench, beside this program, prints on both channels.
Printed bench(const std::string& words) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string command = (folder / "hypatia-bench").string() + " " + words + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  Printed printed;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe))
    printed.text += static_cast<char>(letter);
  printed.status = WEXITSTATUS(pclose(pipe));
  return printed;
}

bool is_built() {
  return bench("--help").status == 0;
}

TEST(Jobs, HaveALineEachThatFitsATerminal) {
  if (!is_built()) GTEST_SKIP() << "hypatia-bench was not built";
  const Printed all = bench("scan/ --rounds 1");
  EXPECT_EQ(all.status, 0);
  std::istringstream lines(all.text);
  int jobs = 0;
  std::string line;
  std::getline(lines, line);  // of the machine
  while (std::getline(lines, line)) {
    jobs += line.find('/') != std::string::npos;
    EXPECT_LE(line.size(), 100U) << line;
  }
  EXPECT_EQ(jobs, 5);
}

TEST(Jobs, AreAnArrayAsJson) {
  if (!is_built()) GTEST_SKIP() << "hypatia-bench was not built";
  const Printed printed = bench("call/ --rounds 1 --json");
  EXPECT_EQ(printed.status, 0);
  const auto array = nlohmann::json::parse(printed.text, nullptr, false);
  ASSERT_TRUE(array.is_array()) << printed.text;
  ASSERT_EQ(array.size(), 2U);
  for (const auto& way : array) {
    EXPECT_EQ(way.at("way"), "engine");
    EXPECT_GT(way.at("us").get<double>(), 0);
  }
}

TEST(Jobs, SayWhichThereAreAndWhatIsWrong) {
  if (!is_built()) GTEST_SKIP() << "hypatia-bench was not built";
  const Printed none = bench("nothing");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.text.find("no job's name has 'nothing' in it; there are"), std::string::npos);
  EXPECT_NE(none.text.find(" exp/"), std::string::npos);
  for (const char* wrong : {"--rounds 0", "--rounds many", "--frobnicate", "exp/ logistic/"}) {
    const Printed told = bench(wrong);
    EXPECT_EQ(told.status, 2) << wrong << ": " << told.text;
    EXPECT_NE(told.text.find("--help"), std::string::npos) << told.text;
  }
}

}  // namespace
}  // namespace hypatia
