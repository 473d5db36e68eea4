// Which rewrites run, by optimizer and by name, and the story that they leave.
#include "engine/rewrite/selection.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/rewrite/rule.h"
#include "engine/rewrite/story.h"

namespace hypatia {
namespace {

std::string nodes_of(const FunctionOptions& options) {
  const Variable x = vector("x", DType::float64);
  return to_text(function({x}, log(1 + exp(x)) * 2 + 0, options).toposort());
}

TEST(RewriteSelection, EachOptimizerDoesWhatItSays) {
  EXPECT_EQ(nodes_of({.optimizer = "fast_run"}), nodes_of({.optimizer = "o4"}));
  EXPECT_EQ(nodes_of({.optimizer = "fast_compile"}), nodes_of({.optimizer = "o1"}));
  EXPECT_NE(nodes_of({.optimizer = "fast_run"}).find("Composite"), std::string::npos);
  const std::string o1 = nodes_of({.optimizer = "o1"});
  EXPECT_NE(o1.find("softplus"), std::string::npos) << "stabilising always runs: " << o1;
  EXPECT_EQ(o1.find("Composite"), std::string::npos) << o1;
  const std::string none = nodes_of({.optimizer = "None"});
  EXPECT_NE(none.find("log"), std::string::npos) << none;
  EXPECT_EQ(none.find("softplus"), std::string::npos) << none;
  const std::string merged = nodes_of({.optimizer = "merge"});
  EXPECT_EQ(merged.find("softplus"), std::string::npos) << merged;
  for (const Optimizer& optimizer : optimizers())
    EXPECT_FALSE(nodes_of({.optimizer = std::string(optimizer.name)}).empty());
}

TEST(RewriteSelection, LeavesOutByName) {
  const Mode fast{.optimizer = "fast_run"};
  EXPECT_EQ(nodes_of({.mode = fast.excluding({"fusion"})}).find("Composite"), std::string::npos);
  EXPECT_EQ(nodes_of({.mode = fast.excluding({"fuse"})}).find("Composite"), std::string::npos);
  const std::string without = nodes_of({.mode = fast.excluding({"softplus", "fusion"})});
  EXPECT_EQ(without.find("softplus"), std::string::npos) << without;
  EXPECT_NE(without.find("log1p"), std::string::npos) << without;
  const ChangeFlags flags({{"optimizer_excluding", "fusion:softplus"}});
  EXPECT_EQ(nodes_of({}), without);
}

TEST(RewriteSelection, AddsByName) {
  const Mode none{.optimizer = "None"};
  const std::string fused = nodes_of({.mode = none.including({"fusion"})});
  EXPECT_NE(fused.find("Composite"), std::string::npos) << fused;
  const std::string one_rule =
      nodes_of({.mode = none.including({"constant_folding", "log_one_plus"})});
  EXPECT_NE(one_rule.find("log1p"), std::string::npos) << one_rule;
  EXPECT_EQ(one_rule.find("softplus"), std::string::npos) << one_rule;
  const Mode only = Mode{.optimizer = "fast_run"}.requiring({"stabilize", "constant_folding"});
  const std::string required = nodes_of({.mode = only});
  EXPECT_NE(required.find("softplus"), std::string::npos) << required;
  EXPECT_EQ(required.find("Composite"), std::string::npos) << required;
}

TEST(RewriteSelection, NamesNearOnesForWhatItDoesNotKnow) {
  try {
    nodes_of({.mode = Mode{}.excluding({"fusoin"})});
    FAIL() << "an unknown name was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean fusion"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(nodes_of({.optimizer = "o9"}), Error);
}

TEST(RewriteSelection, EveryRuleCanBeLeftOut) {
  for (const Rule* rule : all_rules()) {
    const RewriteSelection selection("fast_run", {{}, {std::string(rule->name)}, {}});
    for (const Pass& pass : pipeline())
      EXPECT_FALSE(selection.allows(pass.name, rule->name)) << rule->name;
  }
}

TEST(Story, NamesRulesExpressionsAndCosts) {
  const Variable x = vector("x", DType::float64);
  const Function f = function({x}, log(1 + exp(x)), {.name = "stable"});
  const std::string story = f.story();
  EXPECT_NE(story.find("Rewrites of stable"), std::string::npos) << story;
  EXPECT_NE(story.find("softplus: log1p(exp(x)) -> softplus(x)"), std::string::npos) << story;
  EXPECT_NE(story.find("selection_test.cpp:"), std::string::npos) << story;
}

TEST(Story, AsDataItTellsEveryPassAndWhatItsRewritesSave) {
  const Variable x = vector("x", DType::float64);
  const Function f = function({x}, log(1 + exp(x)), {.name = "stable"});
  const std::vector<PassStory> story = story_of(f.rewrites(), 3);
  ASSERT_EQ(story.size(), f.rewrites().passes.size());
  std::size_t told = 0;
  bool softplus = false;
  for (const PassStory& pass : story) {
    EXPECT_EQ(pass.function, 3u);
    EXPECT_EQ(pass.rewrite_count, static_cast<std::int64_t>(pass.rewrites.size()));
    told += pass.rewrites.size();
    for (const RewriteStory& rewrite : pass.rewrites) {
      if (rewrite.rule != "softplus") continue;
      softplus = true;
      EXPECT_EQ(rewrite.after, "softplus(x)");
      EXPECT_LT(rewrite.bytes_after, rewrite.bytes_before);
      EXPECT_GT(rewrite.origin.line, 0u);
    }
  }
  EXPECT_EQ(told, f.rewrites().rewrites.size());
  EXPECT_TRUE(softplus);
}

TEST(Story, CostsAreOfTheNodesThatChange) {
  const Variable x = vector("x", DType::float64), deep = tanh(tanh(tanh(x)));
  const Rewrite rewrite{"square", deep * deep, sqr(deep), Origin::here()};
  const RewriteCost cost = cost_of(rewrite);
  EXPECT_EQ(cost.before.flops, assumed_size);
  EXPECT_EQ(cost.after.flops, assumed_size);
  EXPECT_EQ(cost.before.bytes, 3 * 8 * assumed_size);
  EXPECT_EQ(cost.after.bytes, 2 * 8 * assumed_size);
}

}  // namespace
}  // namespace hypatia
