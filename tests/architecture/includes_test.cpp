// Who may include whom: the engine's stages only look back, and the folders beside it keep apart.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

// The stages in their order; a folder includes only from itself and from those before it.
constexpr const char* stages[] = {
    "engine/core",
    "engine/trace",
    "engine/expr",
    "engine/ops",
    "engine/graph",
    "engine/grad",
    "engine/loop",
    "engine/rewrite",
    "engine/device",
    "engine/plan",
    "engine/emit",
    "engine/device/cpu",
    "engine/device/cuda",
    "engine/device/sim",
    "engine/run",
};

// What the other folders may include, by the beginning of the path.
const std::map<std::string, std::vector<std::string>>& allowed() {
  static const std::map<std::string, std::vector<std::string>> table{
      {"profiler",
       {"profiler/",
        "engine/core/",
        "engine/trace/",
        "engine/graph/",
        "engine/plan/",
        "engine/device/"}},
      {"gui", {"gui/", "profiler/"}},
      {"exercises/runner", {"exercises/runner/", "profiler/", "engine/"}},
      {"exercises", {"support/", "hypatia/", "probe.h"}},  // probe.h: of the same folder
      {"exercises/support", {"support/", "hypatia/", "engine/"}},
      {"solutions", {"support/", "hypatia/"}},
      {"bench", {"bench/", "engine/", "profiler/", "hypatia/"}},
      {"bench/gui", {"gui/", "profiler/"}},
  };
  return table;
}

// Position of the longest stage that the path lies in; -1 outside the engine's stages.
int stage_of(const std::string& path) {
  int found = -1;
  std::size_t length = 0;
  for (std::size_t i = 0; i < std::size(stages); ++i) {
    const std::string stage = stages[i];
    if (path.starts_with(stage + "/") && stage.size() > length) {
      found = static_cast<int>(i);
      length = stage.size();
    }
  }
  return found;
}

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex pattern(R"re(^\s*#include "([^"]+)")re");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    std::smatch part;
    if (line.size() < 300 && std::regex_search(line, part, pattern)) found.push_back(part[1]);
  }
  return found;
}

std::string engine_violation(const File& file, const std::string& include) {
  if (!include.starts_with("engine/")) return "the engine includes nothing but the engine";
  const int from = stage_of(file.path), to = stage_of(include);
  if (from < 0) return "";  // the umbrella
  const bool device_itself = std::string(stages[from]) == "engine/device";
  if (device_itself && to > 1 && to != from) {
    // devices.cpp lists the kinds of devices; the interface itself knows values and events alone.
    if (file.source() && include.starts_with("engine/device/")) return "";
    return "the device interface includes core and trace only";
  }
  return to > from ? std::string(stages[from]) + " comes before " + stages[to] : "";
}

std::vector<std::string> violations(const File& file) {
  std::vector<std::string> found;
  for (const std::string& include : quoted_includes(file.text)) {
    std::string why;
    if (file.below("engine")) {
      why = engine_violation(file, include);
    } else {
      std::string best;
      for (const auto& [folder, prefixes] : allowed()) {
        if (file.below(folder) && folder.size() > best.size()) best = folder;
      }
      if (best.empty()) continue;
      const std::vector<std::string>& prefixes = allowed().at(best);
      const bool fine = std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& p) {
        return include.starts_with(p);
      });
      if (!fine) why = best + " may not include it";
    }
    if (!why.empty()) found.push_back(file.path + " includes " + include + ": " + why);
  }
  return found;
}

// Every header that the umbrella pulls in.
std::set<std::string> public_headers() {
  std::map<std::string, const File*> by_path;
  for (const File& file : code())
    by_path[file.path] = &file;
  std::vector<std::string> open{"engine/include/hypatia/hypatia.h"};
  std::set<std::string> seen;
  while (!open.empty()) {
    const std::string path = open.back();
    open.pop_back();
    const auto file = by_path.find(path);
    if (file == by_path.end() || !seen.insert(path).second) continue;
    for (const std::string& include : quoted_includes(file->second->text))
      open.push_back(include);
  }
  return seen;
}

std::vector<std::string> heavy_includes(const File& file) {
  // With <variant>, <string> and <vector> there (296 ms), <tuple> adds nothing and <unordered_map>
  // 17 ms; <memory> adds 100 and <functional> 120.
  static const std::set<std::string> cheap{
      "array",
      "cstddef",
      "cstdint",
      "exception",
      "initializer_list",
      "span",
      "string",
      "string_view",
      "tuple",
      "type_traits",
      "unordered_map",
      "utility",
      "variant",
      "vector",
  };
  static const std::regex pattern(R"(^\s*#include <([^>]+)>)");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(file.text)) {
    std::smatch part;
    if (std::regex_search(line, part, pattern) && cheap.count(part[1]) == 0) {
      found.push_back(file.path + " includes <" + part[1].str() + ">");
    }
  }
  return found;
}

}  // namespace

TEST(Includes, FollowTheOrderOfTheStages) {
  std::vector<std::string> found;
  for (const File& file : code()) {
    const std::vector<std::string> some = violations(file);
    found.insert(found.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(found.empty()) << joined(found);
  EXPECT_GT(code().size(), 50U) << "the tree was not found at " << root();
}

TEST(Includes, AWrongDirectionIsSeen) {
  const auto count = [](const char* path, const char* include) {
    return violations({path, std::string("#include \"") + include + "\"\n"}).size();
  };
  EXPECT_EQ(count("engine/core/a.cpp", "engine/run/b.h"), 1U);
  EXPECT_EQ(count("engine/run/a.cpp", "engine/core/b.h"), 0U);
  EXPECT_EQ(count("engine/device/a.h", "engine/graph/b.h"), 1U);
  EXPECT_EQ(count("engine/device/devices.cpp", "engine/device/cpu/cpu.h"), 0U);
  EXPECT_EQ(count("engine/device/cpu/a.cpp", "engine/device/sim/b.h"), 1U);
  EXPECT_EQ(count("engine/emit/a.cpp", "profiler/record/b.h"), 1U);
  EXPECT_EQ(count("gui/a.cpp", "engine/core/b.h"), 1U);
  EXPECT_EQ(count("profiler/a.cpp", "engine/run/b.h"), 1U);
  EXPECT_EQ(count("solutions/01_exp_test/solution.cpp", "engine/core/b.h"), 1U);
}

TEST(Includes, PublicHeadersUseCheapStandardHeadersOnly) {
  const std::set<std::string> headers = public_headers();
  if (headers.empty()) GTEST_SKIP() << "there is no umbrella header yet";
  std::vector<std::string> found;
  for (const File& file : code()) {
    if (headers.count(file.path) == 0) continue;
    const std::vector<std::string> some = heavy_includes(file);
    found.insert(found.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(found.empty()) << joined(found);
  EXPECT_EQ(heavy_includes({"a.h", "#include <memory>\n#include <vector>\n"}).size(), 1U);
}

}  // namespace hypatia::architecture
