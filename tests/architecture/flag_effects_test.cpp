// Flags: every row of the table is read somewhere, or says why it has no effect.
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "engine/core/flags.h"

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

constexpr const char* reads = "engine/core/config_reads.cpp";

bool about_flags(const File& file) {
  return file.path == "engine/core/flags_table.cpp" || file.path == reads ||
         file.path == "engine/core/config.h" || file.below("tests");
}

/// The methods of Config that read a flag, by the flag's name.
std::map<std::string, std::string> accessors() {
  std::map<std::string, std::string> found;
  for (const File& file : code()) {
    if (file.path != reads) continue;
    static const std::regex method("Config::(\\w+)\\(\\) const \\{\n[^\n}\"]*\"([\\w.]+)\"");
    for (std::sregex_iterator m(file.text.begin(), file.text.end(), method), end; m != end; ++m)
      found[(*m)[2].str()] = (*m)[1].str();
  }
  return found;
}

bool is_read(const std::string& flag, const std::string& accessor) {
  const std::string quoted = "\"" + flag + "\"", called = "." + accessor + "()";
  for (const File& file : code()) {
    // One method of Config may call another.
    const bool among_reads = file.path == reads && !accessor.empty();
    if (among_reads && file.text.find(" " + accessor + "()") != std::string::npos) return true;
    if (about_flags(file)) continue;
    if (file.text.find(quoted) != std::string::npos) return true;
    if (!accessor.empty() && file.text.find(called) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST(FlagEffects, EveryFlagIsReadOrSaysWhyNot) {
  std::map<std::string, std::string> methods = accessors();
  EXPECT_GT(methods.size(), 15U);
  for (const Flag& flag : flags()) {
    const std::string name(flag.name);
    const bool read = is_read(name, methods[name]);
    EXPECT_EQ(read, flag.idle.empty())
        << name << (read ? " is read, and said to have no effect" : " is read nowhere");
  }
}

TEST(FlagEffects, AFlagThatNobodyReadsIsSeen) {
  EXPECT_FALSE(is_read("no.such.flag", ""));
  EXPECT_TRUE(is_read("print_active_device", ""));
  EXPECT_TRUE(is_read("floatX", "float_x"));
}

}  // namespace hypatia::architecture
