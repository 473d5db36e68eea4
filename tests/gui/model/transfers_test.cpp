// What was copied, and how fast, against what the link can do.

#include "gui/model/transfers.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gui/model/profile.h"

namespace hypatia::gui {

namespace {

namespace fs = std::filesystem;

/// Records the solution's program on the simulated card.
std::shared_ptr<const Recording> recorded_on_sim(const fs::path& program) {
  const fs::path file =
      fs::temp_directory_path() / ("hypatia-copies-" + std::to_string(getpid()) + ".hyp");
  const std::string command =
      "HYPATIA_FLAGS=device=sim,profile=True,profiling.destination=/dev/null "
      "HYPATIA_PROFILE_FILE=" +
      file.string() + " '" + program.string() + "' > /dev/null 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  auto recording = Recording::open(file.string());
  fs::remove(file);
  return recording;
}

Limits limits_of_gpu(const Recording& recording) {
  for (const DeviceInfo& device : recording.header().devices)
    if (device.name != "cpu") return device.limits;
  return {};
}

}  // namespace

TEST(Transfers, NoCopyOfTheExercisesIsAboveItsRoof) {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* name : {"01_exp_test", "03_logistic_regression", "08_curse_of_transfers"}) {
    const fs::path program = bin / ("solution_" + std::string(name));
    if (!fs::exists(program)) GTEST_SKIP() << program << " is not built";
    const auto recording = recorded_on_sim(program);
    const Limits limits = limits_of_gpu(*recording);
    const Transfers transfers = find_transfers(*make_profile(recording));
    EXPECT_FALSE(transfers.groups.empty()) << name;
    for (const CopyGroup& group : transfers.groups) {
      if (group.kind == EventKind::copy_on) continue;
      EXPECT_GT(roof_of(group, limits), 0) << name;
      EXPECT_LE(group.rate(), 1.001 * roof_of(group, limits))
          << name << ": " << group.bytes << " bytes, " << memory_word(group.source_memory) << " to "
          << memory_word(group.target_memory);
      EXPECT_GE(group.whole(), group.time);
    }
  }
}

}  // namespace hypatia::gui
