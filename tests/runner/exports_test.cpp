// `hypatia profile` writes each format that was asked for, and names the file.

#include "exercises/runner/exports.h"

#include <gtest/gtest.h>

#include "engine/core/file.h"

#include "profiler/profiler.h"
#include "profiler/record/recording_file.h"
#include "profiler/record/synthetic.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia::runner {
namespace {

Arguments arguments_of(std::map<std::string, std::string, std::less<>> options) {
  Arguments arguments;
  arguments.options = std::move(options);
  return arguments;
}

TEST(Exports, WriteEachFormat) {
  const hypatia::Scratch scratch;
  const std::string recording = scratch.file("a.hyp");
  write_recording(synthetic_logistic(), recording);
  EXPECT_FALSE(run_exports(arguments_of({}), recording));
  const std::vector<std::pair<std::string, std::string>> formats{
      {"--csv", "function,node"},
      {"--trace", "{\"displayTimeUnit\""},
      {"--svg", "<svg"},
      {"--html", "<!DOCTYPE html>"},
      {"--dot", "digraph"},
      {"--report", "{"},
  };
  for (const auto& [option, start] : formats) {
    const std::string file = scratch.file("out" + option);
    EXPECT_TRUE(run_exports(arguments_of({{option, file}}), recording)) << option;
    EXPECT_EQ(read_file(file).substr(0, start.size()), start);
  }
}

TEST(Exports, MakeRecordingsOfRecordings) {
  const hypatia::Scratch scratch;
  const std::string recording = scratch.file("a.hyp"), out = scratch.file("b.hyp");
  write_recording(synthetic_exp({.calls = 10}), recording);
  EXPECT_TRUE(run_exports(arguments_of({{"--trim", "3-5"}, {"--out", out}}), recording));
  EXPECT_EQ(Recording::open(out)->calls().size(), 3u);
  EXPECT_TRUE(run_exports(arguments_of({{"--merge", recording}, {"--out", out}}), recording));
  EXPECT_EQ(Recording::open(out)->calls().size(), 20u);
  EXPECT_TRUE(run_exports(arguments_of({{"--migrate", ""}, {"--out", out}}), recording));
  EXPECT_EQ(Recording::open(out)->calls().size(), 10u);
  EXPECT_THROW(run_exports(arguments_of({{"--trim", "3-5"}}), recording), Stop);
  EXPECT_THROW(run_exports(arguments_of({{"--trim", "x"}, {"--out", out}}), recording), Stop);
  EXPECT_THROW(run_exports(arguments_of({{"--trim", "900-901"}, {"--out", out}}), recording), Stop);
}

}  // namespace
}  // namespace hypatia::runner
