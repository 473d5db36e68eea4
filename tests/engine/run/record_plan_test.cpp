// What a recording hears of a plan's memory: what was created, what is a view, and what was written
// over a shared variable; the memory profile's what-ifs follow from it.
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/trace/observer.h"

namespace hypatia {
namespace {

/// Keeps what it is told of functions and plans.
class PlanListener final : public Observer {
 public:
  std::uint32_t add_function(const FunctionRecord& added) override {
    function = added;
    return 1;
  }

  std::uint32_t add_plan(const PlanRecord& added) override {
    plan = added;
    return 1;
  }

  std::uint16_t add_lane(const LaneRecord&) override { return 1; }

  std::uint32_t add_detail(const DetailRecord&) override { return 1; }

  std::uint32_t begin_call(std::uint32_t) override { return 1; }

  void end_call(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void begin_step(std::uint32_t, std::uint32_t) override {}

  void end_step(std::uint32_t, std::uint32_t, std::int64_t) override {}

  void on(const Event&) override {}

  void on(const Activity&) override {}

  /// The kind of memory that a node's output has, 0 if it has none.
  char kind_of(const std::string& node) const {
    for (const BufferRecord& buffer : plan.buffers) {
      if (function.nodes[buffer.node].name == node) return buffer.kind;
    }
    return 0;
  }

  FunctionRecord function;
  PlanRecord plan;
};

TEST(RecordPlan, TellsViewsAndWorkInPlaceFromWhatIsCreated) {
  PlanListener listener;
  const DType f64 = DType::float64;
  const Shared w = shared(Array::ones(f64, {30}), "w");
  const Variable x = matrix("x", f64), y = vector("y", f64);
  const Variable error = sigmoid(dot(x, w)) - y;
  FunctionOptions options;
  options.updates = {{w, w - 0.1 * dot(x.T(), error)}};
  options.observer = &listener;
  const auto run = [&] {
    const Function train = function({x, y}, error, options);
    train(Array::ones(f64, {50, 30}), Array::ones(f64, {50}));
  };
  run();
  EXPECT_EQ(listener.kind_of("CGemv{inplace}"), 'i');
  EXPECT_EQ(listener.kind_of("DimShuffle{1,0}"), 'v');
  EXPECT_EQ(listener.kind_of("CGemv{no_inplace}"), 'c');
  options.mode = options.mode.excluding({"inplace"});
  run();
  EXPECT_EQ(listener.kind_of("CGemv{inplace}"), 0);
}

TEST(RecordPlan, TellsWhatAFusedNodeDoesForEachElement) {
  PlanListener listener;
  const Variable x = vector("x", DType::float64);
  FunctionOptions options;
  options.observer = &listener;
  const Function f = function({x}, exp(x * x) + 1.0, options);
  static_cast<void>(f(Array::ones(DType::float64, {5})));
  for (const NodeRecord& node : listener.function.nodes) {
    const auto inputs = static_cast<std::int32_t>(node.inputs.size());
    EXPECT_EQ(node.body.empty(), node.op != "Composite") << node.name;
    for (std::size_t i = 0; i < node.body.size(); ++i) {
      for (const std::int32_t value : node.body[i].inputs)
        EXPECT_LT(value, inputs + static_cast<std::int32_t>(i));
      EXPECT_EQ(node.body[i].output, i + 1 == node.body.size() ? 0 : -1);
      EXPECT_GT(node.body[i].flops, 0) << node.body[i].op;
    }
  }
  const NodeRecord& last = listener.function.nodes.back();
  ASSERT_EQ(last.op, "Composite");
  EXPECT_EQ(last.body.size(), 3u);
}

TEST(RecordFunction, TellsTheTimeInGradOnce) {
  const Variable x = vector("x", DType::float64);
  PlanListener before, with, after;
  FunctionOptions options;
  options.observer = &before;
  static_cast<void>(function({x}, x + 1, options));
  const Variable slope = grad(sum(sqr(x)), x);
  options.observer = &with;
  static_cast<void>(function({x}, slope, options));
  options.observer = &after;
  static_cast<void>(function({x}, slope, options));
  EXPECT_GT(with.function.grad_seconds, 0);
  EXPECT_LT(with.function.grad_seconds, 1);
  EXPECT_EQ(after.function.grad_seconds, 0);
}

std::shared_ptr<PlanListener> the_listener;

TEST(RecordFunction, EvalIsTheLineThatAskedForIt) {
  the_listener = std::make_shared<PlanListener>();
  const ObserverFactory usual = observer_factory();
  set_observer_factory(
      [](const ProfileRequest&) -> std::shared_ptr<Observer> { return the_listener; });
  const Variable x = vector("x", DType::float64);
  config().set("profile", true);
  const auto line = __LINE__ + 1;
  const Array value = (x + 1).eval({{x, Array::ones(DType::float64, {2})}});
  config().set("profile", false);
  set_observer_factory(usual);
  EXPECT_EQ(value.data<double>()[1], 2);
  EXPECT_EQ(the_listener->function.origin.line, static_cast<std::uint32_t>(line));
  EXPECT_NE(
      std::string(the_listener->function.origin.file).find("record_plan_test"), std::string::npos);
}

}  // namespace
}  // namespace hypatia
