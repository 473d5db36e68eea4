// Nodes that do the same on either side are found again, whatever the op and the type.

#include "profiler/analyze/node_kind.h"

#include <gtest/gtest.h>

#include "engine/core/type.h"
#include "engine/ops/registry.h"

#include "profiler/analyze/compare.h"

namespace hypatia {
namespace {

std::vector<Type> types_to_rank(int most) {
  std::vector<Type> types;
  for (int rank = 0; rank <= most; ++rank) {
    for (unsigned pattern = 0; pattern < (1U << rank); ++pattern) {
      std::vector<bool> broadcastable;
      for (int i = 0; i < rank; ++i)
        broadcastable.push_back((pattern >> i & 1U) != 0);
      types.push_back(Type::of_pattern(DType::float32, broadcastable));
    }
  }
  return types;
}

TEST(NodeKind, OfTheSameValuesOnEitherSide) {
  for (const Type& type : types_to_rank(5)) {
    const std::string here = to_text(type), there = to_text(type.with_place(Place{0}));
    EXPECT_NE(here, there);
    EXPECT_EQ(values_of(here), values_of(there));
    for (const Type& other : types_to_rank(5)) {
      if (other == type) continue;
      EXPECT_NE(values_of(here), values_of(to_text(other.with_place(Place{0}))));
    }
  }
  EXPECT_EQ(values_of("no type"), "no type");
  EXPECT_EQ(values_of(""), "");
}

RecordingData one_node(
    const std::string& op, const std::string& op_class, const Type& type, Side side) {
  RecordingData data;
  FunctionRecord function;
  function.name = "f";
  function.device = side == Side::cpu ? "cpu" : "sim0";
  NodeRecord node;
  node.name = op_class;
  node.op = op;
  node.op_class = op_class;
  node.side = side;
  node.inputs.push_back({-1, 0, "x", to_text(type)});
  node.output_types = {to_text(type)};
  function.nodes.push_back(node);
  data.functions.push_back(function);
  return data;
}

void expect_found(const RecordingData& before, const RecordingData& after) {
  const Comparison comparison = compare(Recording(before), Recording(after));
  ASSERT_EQ(comparison.functions.size(), 1U);
  ASSERT_EQ(comparison.functions[0].nodes.size(), 1U) << before.functions[0].nodes[0].name;
  EXPECT_EQ(comparison.functions[0].nodes[0].change, Change::moved);
}

TEST(NodeKind, IsFoundAgainOfEveryOpWhereItMoved) {
  for (const Op* op : all_ops()) {
    const std::string name(op->name);
    for (const Type& type : types_to_rank(2)) {
      expect_found(
          one_node(name, name, type, Side::cpu),
          one_node(name, "Gpu" + name, type.with_place(Place{0}), Side::gpu));
    }
  }
  const Type matrix(DType::float32, 2);
  for (const char* name : {"Gemv", "Gemm", "Ger", "Dot22", "BatchedDot"}) {
    for (const char* prefix : {"", "C"}) {
      expect_found(
          one_node("", std::string(prefix) + name, matrix, Side::cpu),
          one_node("", std::string("Gpu") + name, matrix.with_place(Place{0}), Side::gpu));
    }
  }
  const auto kind = [](const char* op_class) {
    NodeRecord node;
    node.op_class = op_class;
    return kind_of(node);
  };
  EXPECT_EQ(kind("Cast"), "Cast");
  EXPECT_EQ(kind("Composite"), "Composite");
  EXPECT_EQ(kind("CGemv"), "Gemv");
}

TEST(NodeKind, KnowsTheFunctionsOfTheEnginesOwnChecks) {
  const auto made_in = [](const char* file) {
    FunctionRecord function;
    function.origin = {file, "f", 1};
    return is_the_engines(function);
  };
  EXPECT_TRUE(made_in("/home/me/hypatia/engine/run/verify_grad.cpp"));
  EXPECT_TRUE(made_in("engine/run/check_op.cpp"));
  EXPECT_FALSE(made_in("exercises/07_gpu_custom_ops/exercise.cpp"));
  EXPECT_FALSE(made_in("my_engine/run/verify_grad.cpp"));
  EXPECT_FALSE(made_in(""));
}

}  // namespace
}  // namespace hypatia
