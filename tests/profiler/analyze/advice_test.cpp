// Each rule speaks when its condition holds and is silent when it does not.

#include "profiler/analyze/advice.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "profiler/record/synthetic.h"

namespace hypatia {
namespace {

std::vector<Advice> advice_for(RecordingData data) {
  const Recording recording(std::move(data));
  return advise(recording, account_for(recording));
}

bool says(const std::vector<Advice>& list, const std::string& rule) {
  return std::any_of(list.begin(), list.end(), [&](const Advice& a) { return a.rule == rule; });
}

/// `change` makes the rule speak about a recording about which it was silent before.
void expect_rule(
    const std::string& rule,
    RecordingData silent,
    const std::function<void(RecordingData&)>& change) {
  EXPECT_FALSE(says(advice_for(silent), rule)) << rule;
  change(silent);
  const std::vector<Advice> list = advice_for(std::move(silent));
  ASSERT_TRUE(says(list, rule)) << rule;
  for (const Advice& advice : list) {
    EXPECT_FALSE(advice.title.empty());
    EXPECT_FALSE(advice.evidence.empty());
    EXPECT_GT(advice.confidence, 0);
  }
}

void scale(RecordingData& data, EventKind kind, double factor) {
  for (Event& event : data.events) {
    if (event.kind != kind) continue;
    event.end = event.begin +
                static_cast<std::int64_t>(factor * static_cast<double>(event.end - event.begin));
  }
}

TEST(Advice, TransfersOfAnArgumentAtEachCall) {
  const std::vector<Advice> list = advice_for(synthetic_logistic());
  ASSERT_TRUE(says(list, "transfers"));
  EXPECT_EQ(list[0].rule, "transfers");
  EXPECT_TRUE(says(list, "argument-each-call"));
  EXPECT_TRUE(says(list, "pageable-copies"));
  EXPECT_FALSE(says(list, "float64-on-gpu"));
  EXPECT_FALSE(says(list, "ping-pong"));
  EXPECT_FALSE(says(advice_for(synthetic_logistic({.device = "cpu"})), "transfers"));
}

TEST(Advice, Float64OnTheGpu) {
  expect_rule("float64-on-gpu", synthetic_exp(), [](RecordingData& data) {
    data.functions[0].nodes[0].output_types = {"GpuArrayType(float64, vector)"};
  });
}

TEST(Advice, SmallGrids) {
  expect_rule("small-grid", synthetic_exp(), [](RecordingData& data) {
    for (DetailRecord& detail : data.details) {
      if (detail.block[0]) detail.grid[0] = 10;
    }
  });
}

TEST(Advice, LowOccupancy) {
  expect_rule("low-occupancy", synthetic_exp(), [](RecordingData& data) {
    for (DetailRecord& detail : data.details) {
      if (detail.block[0]) detail.registers = 250;
    }
  });
}

TEST(Advice, UnfusedChains) {
  RecordingData fused = synthetic_logistic();
  expect_rule("unfused-chain", fused, [](RecordingData& data) {
    data = synthetic_logistic({.fused = false});
  });
}

/// Of elementwise nodes a -> b where b also reads what a product makes of a.
TEST(Advice, SaysNothingOfChainsWithWorkBetweenThem) {
  RecordingData data = synthetic_logistic({.fused = false});
  ASSERT_TRUE(says(advice_for(data), "unfused-chain"));
  std::vector<NodeRecord>& nodes = data.functions[0].nodes;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const bool elementwise = nodes[n].op_class.ends_with("Elemwise");
    for (std::size_t i = 0; elementwise && i < nodes[n].inputs.size(); ++i) {
      const std::int32_t source = nodes[n].inputs[i].node;
      if (source < 0) continue;
      NodeRecord between;
      between.name = between.op = "dot";
      between.inputs.push_back({source, 0, "", ""});
      nodes[n].inputs.push_back({static_cast<std::int32_t>(nodes.size()), 0, "", ""});
      nodes.push_back(between);
      break;
    }
  }
  EXPECT_FALSE(says(advice_for(std::move(data)), "unfused-chain"));
}

TEST(Advice, SaysNothingOfChainsWhereFusionIsOn) {
  RecordingData data = synthetic_logistic({.fused = false});
  std::vector<StepRecord>& steps = data.plans[0].steps;
  const auto elementwise = [&](const StepRecord& step) {
    const NodeRecord& node = data.functions[0].nodes[step.nodes[0].node];
    return node.op_class.ends_with("Elemwise");
  };
  const auto first = std::find_if(steps.begin(), steps.end(), elementwise);
  const auto last = std::find_if(steps.rbegin(), steps.rend(), elementwise);
  first->nodes.push_back({last->nodes[0].node, 0});
  EXPECT_FALSE(says(advice_for(std::move(data)), "unfused-chain"));
}

TEST(Advice, LaunchBoundFunctions) {
  expect_rule("launch-bound", synthetic_exp(), [](RecordingData& data) {
    scale(data, EventKind::kernel, 0.1);
  });
}

TEST(Advice, CallsThatSpendTheirTimeAroundTheWork) {
  expect_rule("call-overhead", synthetic_exp({.device = "cpu"}), [](RecordingData& data) {
    scale(data, EventKind::step, 0.3);
  });
}

TEST(Advice, PingPong) {
  expect_rule("ping-pong", synthetic_logistic(), [](RecordingData& data) {
    // y comes in as what the earlier copy out made.
    data.functions[0].nodes[0].inputs[0].node = 9;
  });
}

TEST(Advice, AnIslandOnTheCpu) {
  expect_rule("cpu-island", synthetic_logistic(), [](RecordingData& data) {
    NodeRecord host;
    host.name = "Dot";
    host.side = Side::cpu;
    host.reason = "it has no GPU version";
    host.inputs.push_back({9, 0, "", ""});
    data.functions[0].nodes.push_back(host);
    data.functions[0].nodes[0].inputs[0].node = 11;
  });
}

TEST(Advice, AFirstCallThatCompiles) {
  expect_rule("first-call", synthetic_exp({.device = "cpu"}), [](RecordingData& data) {
    for (Event& event : data.events) {
      if (event.kind == EventKind::call && event.call == 1) event.begin -= 20'000'000;
    }
  });
}

TEST(Advice, MemoryThatIsFull) {
  expect_rule("memory-full", synthetic_exp(), [](RecordingData& data) {
    data.header.devices[1].limits.memory_bytes = 1'000'000;
  });
}

TEST(Advice, ProductsFarBelowTheRoof) {
  expect_rule("slow-product", synthetic_logistic({.device = "cpu"}), [](RecordingData& data) {
    data.functions[0].nodes[0].op = "dot";
    data.header.devices[0].limits.f32_flops = 1e13;
    data.header.devices[0].limits.memory_bandwidth = 1e13;
  });
}

TEST(Advice, SpeaksOnceOfAllSlowProducts) {
  RecordingData data = synthetic_logistic({.device = "cpu"});
  int products = 0;
  for (NodeRecord& node : data.functions[0].nodes) {
    if (products == 4 || node.side == Side::transfer) continue;
    node.op = "dot";
    ++products;
  }
  data.header.devices[0].limits.f32_flops = 1e13;
  data.header.devices[0].limits.memory_bandwidth = 1e13;
  int said = 0;
  for (const Advice& advice : advice_for(std::move(data))) {
    if (advice.rule != "slow-product") continue;
    ++said;
    EXPECT_EQ(advice.title, "Matrix products run far below what the device can do");
    EXPECT_EQ(advice.nodes.size(), 4u);
    EXPECT_NE(advice.evidence.find(" of train reaches "), std::string::npos) << advice.evidence;
    EXPECT_NE(advice.evidence.find(", and 1 more"), std::string::npos) << advice.evidence;
  }
  EXPECT_EQ(said, 1);
}

TEST(Advice, SaysSoWhenThereIsNothingToDo) {
  RecordingData data = synthetic_exp({.device = "cpu"});
  std::erase_if(data.events, [](const Event& e) { return e.kind == EventKind::compile; });
  const std::vector<Advice> list = advice_for(std::move(data));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_TRUE(list[0].positive);
  EXPECT_NE(list[0].evidence.find("of the bandwidth"), std::string::npos);
}

TEST(Advice, HasNothingToSayOfNothing) {
  EXPECT_TRUE(advice_for(RecordingData{}).empty());
}

}  // namespace
}  // namespace hypatia
