// Files are whole or not there, and an error says why.

#include "engine/core/file.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>

#include "engine/core/error.h"

#include "tests/engine/core/temporary_folder.h"

namespace hypatia {
namespace {

namespace fs = std::filesystem;

std::string reason_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::file);
    EXPECT_FALSE(error.help().empty()) << error.summary();
    return error.summary();
  }
  return "";
}

TEST(NewFile, SaysWhyAFileCantBeWritten) {
  const tests::TemporaryFolder folder;
  const auto names = [](const std::string& reason, const char* words) {
    EXPECT_NE(reason.find(words), std::string::npos) << reason;
  };
  for (const bool only_asked : {true, false}) {
    const auto write = [&](const std::string& path) {
      return reason_of([&] { only_asked ? require_writable(path) : write_file(path, "words"); });
    };
    names(write(folder / "absent/x.csv"), "No such file or directory");
    names(write(folder / "."), "Is a directory");
    write_file(folder / "file", "kept");
    names(write(folder / "file/x.csv"), "Not a directory");
    EXPECT_EQ(write(folder / "file"), "");
    EXPECT_EQ(read_file(folder / "file"), only_asked ? "kept" : "words");
  }
  EXPECT_FALSE(fs::exists(folder / "absent"));
  names(reason_of([] { write_file("/dev/full", "words"); }), "No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(NewFile, WritesToDevicesAndPipesAsTheyAre) {
  write_file("/dev/null", "words");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(NewFile, LeavesNothingButTheWholeFile) {
  const tests::TemporaryFolder folder;
  write_file(folder / "x", "old");
  {
    NewFile half(folder / "x");
    half.write("ne");
  }
  EXPECT_EQ(read_file(folder / "x"), "old");
  require_writable(folder / "y");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "."), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace hypatia
