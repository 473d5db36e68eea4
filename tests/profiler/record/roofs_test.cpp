// Measured roofs: kept by device and machine, never taken from a damaged file, and carried by the
// recordings that follow.
#include "profiler/record/roofs.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "profiler/analyze/account.h"
#include "profiler/record/recorder.h"
#include "profiler/report/text.h"
#include "tests/profiler/record/scratch.h"

namespace hypatia {
namespace {

using Found = RoofStore::Found;

DeviceInfo measured_cpu() {
  DeviceInfo cpu = describe_cpu();
  cpu.limits.f32_flops = 2.5e11;
  cpu.limits.f64_flops = 1.25e11;
  cpu.limits.memory_bandwidth = 4e10;
  cpu.limits.cache_bandwidth = 2e11;
  return cpu;
}

TEST(Roofs, AreFoundAgainOnTheSameMachine) {
  const Scratch scratch;
  const RoofStore store(scratch.file("roofs"));
  DeviceInfo cpu = describe_cpu();
  EXPECT_EQ(store.apply(cpu), Found::absent);
  EXPECT_EQ(cpu.limits.f32_flops, 0);
  store.store(measured_cpu());
  cpu.limits.copy_in_bandwidth = 7;  // not measured: stays
  EXPECT_EQ(store.apply(cpu), Found::good);
  EXPECT_EQ(cpu.limits.f32_flops, 2.5e11);
  EXPECT_EQ(cpu.limits.f64_flops, 1.25e11);
  EXPECT_EQ(cpu.limits.memory_bandwidth, 4e10);
  EXPECT_EQ(cpu.limits.cache_bandwidth, 2e11);
  EXPECT_EQ(cpu.limits.copy_in_bandwidth, 7);
  EXPECT_GE(cpu.limits.multiprocessors, 1);
}

TEST(Roofs, AreOfOneDevice) {
  const Scratch scratch;
  const RoofStore store(scratch.file("roofs"));
  store.store(measured_cpu());
  DeviceInfo other = describe_cpu();
  other.model = "another processor";
  EXPECT_EQ(store.apply(other), Found::absent);
  other = describe_cpu();
  other.name = "cuda0";
  EXPECT_EQ(store.apply(other), Found::absent);
  DeviceInfo simulated = measured_cpu();
  simulated.simulated = true;
  simulated.limits.f32_flops = 1;
  EXPECT_EQ(store.apply(simulated), Found::absent);
  EXPECT_EQ(simulated.limits.f32_flops, 1);
}

TEST(Roofs, OfADamagedFileAreNotTaken) {
  const Scratch scratch;
  const RoofStore store(scratch.file("roofs"));
  store.store(measured_cpu());
  const char* const texts[] = {
      "",
      "{\"schema\": 1, \"rates\": {\"f32_flops\": 2.5e1",
      "[]",
      "{\"schema\": 1}",
      "{\"schema\": 1, \"rates\": {}}",
      "{\"schema\": 2, \"rates\": {\"f32_flops\": 1e11}}",
      "{\"schema\": \"1\", \"rates\": {\"f32_flops\": 1e11}}",
      "{\"schema\": 1, \"rates\": {\"f32_flops\": 1e11, \"memory_bandwidth\": -1}}",
      "{\"schema\": 1, \"rates\": {\"f32_flops\": 1e11, \"memory_bandwidth\": null}}",
      "{\"schema\": 1, \"rates\": {\"f32_flops\": 1e11, \"f64_flops\": \"fast\"}}",
  };
  for (const char* text : texts) {
    std::ofstream(store.file(measured_cpu())) << text;
    DeviceInfo cpu = describe_cpu();
    EXPECT_EQ(store.apply(cpu), Found::damaged) << text;
    EXPECT_EQ(cpu.limits.f32_flops, 0) << text;
  }
  store.store(measured_cpu());
  DeviceInfo cpu = describe_cpu();
  EXPECT_EQ(store.apply(cpu), Found::good);
}

TEST(Roofs, ThatCantBeKeptAreAnError) {
  const Scratch scratch;
  std::ofstream(scratch.file("roofs")) << "a file";
  EXPECT_THROW(RoofStore(scratch.file("roofs")).store(measured_cpu()), Error);
}

/// Records some calls of exp on the cpu with the roofs of a folder.
std::shared_ptr<const Recording> recorded_exp(const Scratch& scratch, const std::string& folder) {
  Recorder recorder(scratch.file("a.hyp"), {.roofs = folder});
  const Variable x = vector("x", DType::float32);
  FunctionOptions options;
  options.name = "exp";
  options.observer = &recorder;
  const Function f = function({x}, exp(x), options);
  const Array value = Array::ones(DType::float32, {100'000});
  for (int i = 0; i < 20; ++i)
    f(value);
  recorder.finish();
  return Recording::open(scratch.file("a.hyp"));
}

const DeviceInfo* cpu_of(const Recording& recording) {
  for (const DeviceInfo& device : recording.header().devices) {
    if (device.name == "cpu") return &device;
  }
  return nullptr;
}

TEST(Roofs, AreCarriedByRecordingsAndHoldTheCpusNodes) {
  const Scratch scratch;
  RoofStore(scratch.file("roofs")).store(measured_cpu());
  const auto recording = recorded_exp(scratch, scratch.file("roofs"));
  const DeviceInfo* cpu = cpu_of(*recording);
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->limits.memory_bandwidth, 4e10);
  const Account account = account_for(*recording);
  const NodeAccount& node = account.functions[0].nodes[0];
  EXPECT_GT(node.rate.roof, 0);
  const std::string text = text_report(*recording);
  EXPECT_NE(text.find("Of what the processor can do (250 GFLOP/s float32"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("doctor --roofs"), std::string::npos) << text;
}

TEST(Roofs, ThatWereNeverMeasuredAreNamedWithTheCommand) {
  const Scratch scratch;
  const auto recording = recorded_exp(scratch, scratch.file("none"));
  EXPECT_NE(
      text_report(*recording).find("./hypatia doctor --roofs measures it"), std::string::npos);
}

TEST(Roofs, ThatAreDamagedAreToldOf) {
  const Scratch scratch;
  const RoofStore store(scratch.file("roofs"));
  store.store(measured_cpu());
  std::ofstream(store.file(measured_cpu())) << "{";
  const auto recording = recorded_exp(scratch, scratch.file("roofs"));
  ASSERT_EQ(recording->header().messages.size(), 1U);
  EXPECT_NE(recording->header().messages[0].find(store.file(measured_cpu())), std::string::npos);
}

TEST(DeviceRoofs, AddTheCpuWhereItsRatesAreKnown) {
  const Scratch scratch;
  DeviceInfo gpu;
  gpu.name = "cuda0";
  gpu.limits.f32_flops = 6e13;
  EXPECT_EQ(DeviceRoofs(scratch.file("roofs")).apply({gpu}).size(), 1U);
  RoofStore(scratch.file("roofs")).store(measured_cpu());
  const std::vector<DeviceInfo> both = DeviceRoofs(scratch.file("roofs")).apply({gpu});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].limits.f32_flops, 6e13);
  EXPECT_EQ(both[1].name, "cpu");
  EXPECT_EQ(both[1].limits.f32_flops, 2.5e11);
}

}  // namespace
}  // namespace hypatia
