// `doctor --roofs`: what it measures is printed and kept where recordings look for it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiler/record/roofs.h"
#include "tests/runner/toy.h"

namespace hypatia::runner {

TEST(Doctor, KeepsTheRoofsThatItMeasures) {
  const Toy toy;
  const std::string folder = (toy.scratch.path / "compiled").string();
  Task task;
  task.words = {program("hypatia"), "doctor", "--roofs", "--json"};
  task.environment = {{"HYPATIA_FLAGS", "base_compiledir=" + folder}};
  task.limit_seconds = 60;
  const Outcome outcome = run(task);
  ASSERT_EQ(outcome.code, 0) << outcome.output;
  const auto printed = nlohmann::json::parse(outcome.output);
  EXPECT_GE(printed["load"].get<double>(), 0);
  const auto& cpu = printed["roofs"][0];
  EXPECT_EQ(cpu["name"], "cpu");
  DeviceInfo info = describe_cpu();
  ASSERT_EQ(RoofStore(folder + "/roofs").apply(info), RoofStore::Found::good);
  EXPECT_GT(info.limits.f32_flops, 1e9);
  EXPECT_EQ(info.limits.f32_flops, cpu["f32_flops"].get<double>());
  EXPECT_EQ(info.limits.memory_bandwidth, cpu["memory_bandwidth"].get<double>());
  EXPECT_EQ(RoofStore(folder + "/roofs").file(info), cpu["file"].get<std::string>());
}

}  // namespace hypatia::runner
