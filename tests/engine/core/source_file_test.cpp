// A relative name of a source file is found from wherever the program runs.
#include "engine/core/source_file.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "engine/core/error.h"

namespace hypatia {
namespace {

namespace fs = std::filesystem;

TEST(SourceFile, IsFoundFromTheBuildsFolder) {
  EXPECT_EQ(source_file("/no/such/file.cpp"), "/no/such/file.cpp");
  EXPECT_EQ(source_file("no/such/file.cpp"), "no/such/file.cpp");
  EXPECT_EQ(source_file(""), "");
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path above = program.parent_path().parent_path();
  const fs::path before = fs::current_path();
  fs::current_path("/");
  const std::string name = program.lexically_relative(above).string();
  EXPECT_EQ(source_file(name.c_str()), program.string());
  fs::current_path(before);
}

TEST(SourceFile, ErrorsShowTheUsersLineWhereverTheProgramRuns) {
  const fs::path before = fs::current_path();
  fs::current_path("/");
  const std::string said = Error(Error::Kind::value, "wrong").at(Origin::here()).what();
  fs::current_path(before);
  EXPECT_NE(said.find("Error(Error::Kind::value"), std::string::npos) << said;
}

}  // namespace
}  // namespace hypatia
