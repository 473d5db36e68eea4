// Headers: each compiles alone, and the one that exercises include stays cheap.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "tests/architecture/tree.h"

namespace hypatia::architecture {

namespace {

namespace fs = std::filesystem;

constexpr double budget_seconds = 0.600;       // for the umbrella, where <vector> takes
constexpr double calibration_seconds = 0.120;  // this long

// A folder that goes with the test.
std::string flags() {
  std::string text =
      "-std=c++20 -fsyntax-only -I" + quoted(root()) + " -I" + quoted(root() + "/engine/include");
  // The packages whose headers the GUI's and the cuda device's own headers name.
  for (const char* folder : {"/usr/include/imgui", "/usr/include/stb", "/usr/local/cuda/include"})
    text += std::string(" -isystem ") + folder;
  return text + " -DHYPATIA_WITH_CUDA";
}

bool installed(const std::string& header) {
  for (const char* folder : {"/usr/include/", "/usr/include/imgui/", "/usr/local/cuda/include/"}) {
    if (fs::exists(folder + header)) return true;
  }
  return false;
}

/// Headers that need a package this machine lacks, themselves or by what they include, are left to
/// machines that have it.
class Absent {
 public:
  bool needed_by(const File& file) {
    const auto known = known_.find(file.path);
    if (known != known_.end()) return known->second;
    known_[file.path] = false;  // headers that include each other
    return known_[file.path] = names_absent(file) || includes_absent(file);
  }

 private:
  static bool names_absent(const File& file) {
    // Below the cuda device everything but its opener sees the toolkit's headers.
    const bool opener = file.path == "engine/device/cuda/cuda.h";
    const bool cuda = file.below("engine/device/cuda") && !opener;
    if (cuda && !installed("cuda.h")) return true;
    static const std::regex package(
        R"(#include <(imgui[^>]*|GLFW/[^>]*|cuda[^>]*|cupti[^>]*|nvrtc[^>]*|cublas[^>]*)>)");
    std::smatch part;
    return std::regex_search(file.text, part, package) && !installed(part[1].str());
  }

  bool includes_absent(const File& file) {
    return std::ranges::any_of(code(), [&](const File& other) {
      return other.header() && file.text.find("\"" + other.path + "\"") != std::string::npos &&
             needed_by(other);
    });
  }

  std::map<std::string, bool> known_;
};

// Processor time: other work on the machine hardly counts.
double seconds_to_compile(const fs::path& file) {
  const Answer answer = shell("g++ " + flags() + " " + quoted(file.string()));
  EXPECT_EQ(answer.code, 0) << answer.output;
  return answer.cpu_seconds;
}

}  // namespace

TEST(Headers, CompileAlone) {
  if (!available("g++")) GTEST_SKIP() << "g++ is not installed";
  const Scratch scratch;
  std::string list;
  Absent absent;
  int count = 0;
  for (const File& file : code()) {
    if (!file.header() || absent.needed_by(file)) continue;
    if (file.below("tests") || file.below("exercises/support")) continue;
    const fs::path unit = scratch.path / (std::to_string(count++) + ".cpp");
    std::ofstream(unit) << "#include \"" << file.path << "\"\n";
    list += quoted(unit.string()) + " ";
  }
  const Answer answer = shell(
      "printf '%s\\0' " + list + " | xargs -0 -P 4 -n 1 g++ -Wno-pragma-once-outside-header " +
      flags());
  EXPECT_EQ(answer.code, 0) << answer.output.substr(0, 6000);
  EXPECT_GT(count, 20);
}

TEST(Headers, TheUmbrellaIsCheap) {
  if (!available("g++")) GTEST_SKIP() << "g++ is not installed";
  if (!fs::exists(root() + "/engine/include/hypatia/hypatia.h")) {
    GTEST_SKIP() << "there is no umbrella header yet";
  }
  const Scratch scratch;
  std::ofstream(scratch.path / "vector.cpp") << "#include <vector>\n";
  std::ofstream(scratch.path / "umbrella.cpp") << "#include <hypatia/hypatia.h>\n";
  // Other work on the machine only ever adds time: the least of interleaved rounds is the cost.
  double vector_least = 1e9, umbrella_least = 1e9;
  for (int round = 0; round < 11; ++round) {
    vector_least = std::min(vector_least, seconds_to_compile(scratch.path / "vector.cpp"));
    umbrella_least = std::min(umbrella_least, seconds_to_compile(scratch.path / "umbrella.cpp"));
  }
  const double calibration = std::max(1.0, vector_least / calibration_seconds);
  RecordProperty("umbrella_ms", static_cast<int>(umbrella_least * 1e3));
  EXPECT_LE(umbrella_least, budget_seconds * calibration)
      << "<vector> takes " << vector_least << " s here";
}

}  // namespace hypatia::architecture
