// Comparison: nodes are found again where they moved, merged, or changed speed, and noise is noise.

#include "profiler/analyze/compare.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "profiler/record/synthetic.h"
#include "profiler/report/comparison.h"

namespace hypatia {
namespace {

std::map<Change, int> count(const FunctionChange& function) {
  std::map<Change, int> counts;
  for (const NodeChange& node : function.nodes)
    ++counts[node.change];
  return counts;
}

TEST(Compare, FindsNothingBetweenARecordingAndItself) {
  const Recording recording(synthetic_logistic());
  const Comparison comparison = compare(recording, recording);
  ASSERT_EQ(comparison.functions.size(), 2u);
  for (const FunctionChange& function : comparison.functions) {
    EXPECT_FALSE(function.differs());
    EXPECT_EQ(count(function)[Change::same], static_cast<int>(function.nodes.size()));
    for (const NodeChange& node : function.nodes)
      EXPECT_EQ(node.before, node.after);
  }
}

TEST(Compare, TakesNoiseForNoise) {
  SyntheticOptions quiet, noisy;
  noisy.jitter = 12;
  const Comparison comparison =
      compare(Recording(synthetic_logistic(quiet)), Recording(synthetic_logistic(noisy)));
  EXPECT_FALSE(comparison.functions[0].differs());
  EXPECT_EQ(count(comparison.functions[0])[Change::same], 11);
}

TEST(Compare, SeesWhatBecameFaster) {
  SyntheticOptions fast;
  fast.speed = 2;
  const Recording before(synthetic_logistic()), after(synthetic_logistic(fast));
  const Comparison comparison = compare(before, after);
  EXPECT_TRUE(comparison.functions[0].differs());
  EXPECT_EQ(count(comparison.functions[0])[Change::faster], 11);
  EXPECT_EQ(count(compare(after, before).functions[0])[Change::slower], 11);
  const NodeChange& first = comparison.functions[0].nodes[0];
  EXPECT_EQ(first.name, "GpuFromHost<None>");
  EXPECT_NEAR(first.time_before / first.time_after, 2, 0.1);
}

TEST(Compare, SeesFusion) {
  const Recording split(synthetic_logistic({.fused = false})), fused(synthetic_logistic());
  EXPECT_EQ(count(compare(split, fused).functions[0])[Change::fused], 4);
  EXPECT_EQ(count(compare(fused, split).functions[0])[Change::split], 4);
}

TEST(Compare, SeesNodesThatMovedToTheGpu) {
  const Recording cpu(synthetic_logistic({.device = "cpu"})), gpu(synthetic_logistic());
  std::map<Change, int> counts = count(compare(cpu, gpu).functions[0]);
  // The products, the chain and the update; the transposing view is gone, four copies are new.
  EXPECT_EQ(counts[Change::moved], 7);
  EXPECT_EQ(counts[Change::removed], 1);
  EXPECT_EQ(counts[Change::added], 4);
}

/// As the engine writes them: a GPU's types have their pattern of axes.
void name_types_as_the_engine(RecordingData& data) {
  const auto rename = [](std::string& type) {
    const bool gpu = type.starts_with("GpuArrayType");
    const std::size_t dtype = type.find('(');
    if (!gpu || dtype == std::string::npos) return;
    std::string rest = type.substr(dtype);
    for (const auto& [word, axes] : std::map<std::string, std::string>{
             {"vector", "(False,)"}, {"matrix", "(False, False)"}, {"scalar", "()"}}) {
      const std::size_t at = rest.find(word);
      if (at != std::string::npos) rest.replace(at, word.size(), axes);
    }
    type = "GpuArrayType<None>" + rest;
  };
  for (FunctionRecord& function : data.functions) {
    for (NodeRecord& node : function.nodes) {
      for (std::string& type : node.output_types)
        rename(type);
      for (InputRecord& input : node.inputs)
        rename(input.type);
    }
  }
}

TEST(Compare, SeesNodesThatMovedWhateverTheirTypesAreCalled) {
  RecordingData on_gpu = synthetic_logistic();
  name_types_as_the_engine(on_gpu);
  const Recording cpu(synthetic_logistic({.device = "cpu"})), gpu(std::move(on_gpu));
  std::map<Change, int> counts = count(compare(cpu, gpu).functions[0]);
  EXPECT_EQ(counts[Change::moved], 7);
  EXPECT_EQ(counts[Change::removed], 1);
}

TEST(Compare, TwiceTheTimeIsNoChance) {
  FunctionChange change;
  change.median_before = 84;
  change.median_after = 1830;
  change.spread = 2000;
  EXPECT_TRUE(change.differs());
  change.median_after = 150;
  change.spread = 80;
  EXPECT_FALSE(change.differs());
}

TEST(Compare, NamesFunctionsOfOneSide) {
  const Recording one(synthetic_exp()), other(synthetic_logistic());
  const Comparison comparison = compare(one, other);
  ASSERT_EQ(comparison.functions.size(), 3u);
  EXPECT_EQ(comparison.functions[0].after, 0u);
  EXPECT_EQ(comparison.functions[1].before, 0u);
  const std::string report = comparison_report(one, other);
  EXPECT_NE(report.find("exp_test: only in the recording before"), std::string::npos);
}

TEST(Compare, SaysWhichTimesAreModelled) {
  SyntheticOptions twice;
  twice.speed = 2;
  RecordingData data = synthetic_exp(twice);
  const Recording measured(synthetic_exp());
  data.header.simulated = !measured.header().simulated;
  const Recording other(data);
  const std::string both = comparison_report(measured, measured);
  EXPECT_EQ(both.find("Modelled times"), std::string::npos) << both;
  const std::string report = comparison_report(measured, other);
  EXPECT_NE(report.find("Modelled times are compared with measured ones."), std::string::npos);
  EXPECT_NE(report.find(", simulated: "), std::string::npos) << report;
}

TEST(Compare, IsWrittenAsJson) {
  SyntheticOptions twice;
  twice.speed = 2;
  const Recording before(synthetic_exp()), after(synthetic_exp(twice));
  const auto json = nlohmann::json::parse(comparison_json(before, after));
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(json["functions"].size(), comparison.functions.size());
  const FunctionChange& function = comparison.functions[0];
  const auto& told = json["functions"][0];
  EXPECT_EQ(told["function"], function.name);
  EXPECT_EQ(told["median_before"], function.median_before);
  EXPECT_EQ(told["median_after"], function.median_after);
  ASSERT_EQ(told["nodes"].size(), function.nodes.size());
  for (std::size_t i = 0; i < function.nodes.size(); ++i) {
    EXPECT_EQ(told["nodes"][i]["change"], name(function.nodes[i].change));
    EXPECT_EQ(told["nodes"][i]["before"], function.nodes[i].time_before);
    EXPECT_EQ(told["nodes"][i]["after"], function.nodes[i].time_after);
  }
  const auto lone = nlohmann::json::parse(comparison_json(before, Recording(synthetic_logistic())));
  EXPECT_TRUE(lone["functions"][0]["median_after"].is_null());
}

TEST(Compare, TellsNothingFromTooFewCalls) {
  SyntheticOptions once;
  once.calls = 1;
  SyntheticOptions fast = once;
  fast.speed = 2;
  const Recording before(synthetic_exp(once)), after(synthetic_exp(fast));
  const Comparison comparison = compare(before, after);
  for (const NodeChange& node : comparison.functions[0].nodes)
    EXPECT_EQ(node.change, Change::same) << node.name;
  const std::string report = comparison_report(before, after);
  EXPECT_NE(report.find("too few calls to tell\n  2 nodes are the same"), std::string::npos)
      << report;
  EXPECT_EQ(report.find("times as"), std::string::npos) << report;
}

TEST(Compare, SaysOfWhatNobodyCalledThatNobodyDid) {
  RecordingData data = synthetic_exp();
  std::erase_if(data.events, [](const Event& e) { return e.call != 0; });
  const Recording silent(std::move(data));
  EXPECT_NE(
      comparison_report(silent, silent).find("exp_test: called in neither\n"), std::string::npos);
}

TEST(Compare, ReportsInWords) {
  SyntheticOptions fast;
  fast.speed = 2;
  fast.role = "solution";
  const std::string report =
      comparison_report(Recording(synthetic_exp()), Recording(synthetic_exp(fast)));
  EXPECT_NE(report.find("(solution)"), std::string::npos);
  EXPECT_NE(report.find("times as fast"), std::string::npos) << report;
  EXPECT_NE(report.find("faster   HostFromGpu(gpuarray)"), std::string::npos) << report;
}

}  // namespace
}  // namespace hypatia
