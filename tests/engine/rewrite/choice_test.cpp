// What the flags about rewrites do to a rule that fails, and what they print.
#include "engine/rewrite/choice.h"

#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

#include "engine/core/warning.h"
#include "engine/rewrite/rule.h"

#include "tests/engine/core/messages.h"

namespace hypatia {
namespace {

thread_local std::string heard;

/// Applies a rule that throws to exp(x), as on_opt_error has it.
Graph with_a_rule_that_fails(const char* on_opt_error) {
  const ChangeFlags flags({{"on_opt_error", on_opt_error}});
  Rule fails;
  fails.name = "fails";
  fails.from = exp(hole(0));
  fails.build = [](const Match&) -> Variable {
    throw Error(Error::Kind::value, "a fault of the rule");
  };
  const Variable x = dvector("x");
  const RewriteChoice choice("o4");
  PassContext context;
  context.choice = &choice;
  heard.clear();
  const WarningHandler before = set_warning_handler([](const std::string& t) { heard += t; });
  const Graph graph({x}, {exp(x)});
  Graph result;
  std::string error;
  try {
    result = apply_rules(graph, {fails}, "test", context);
  } catch (const Error& e) {
    error = e.what();
  }
  set_warning_handler(before);
  if (!error.empty()) throw std::runtime_error(error);
  return result;
}

TEST(RewriteChoice, ARuleThatFailsIsSkippedToldOrAnError) {
  EXPECT_EQ(with_a_rule_that_fails("ignore").size(), 1);
  EXPECT_EQ(heard, "");
  EXPECT_EQ(with_a_rule_that_fails("warn").size(), 1);
  EXPECT_EQ(
      heard,
      "a rewrite failed and is skipped: a fault of the rule\n   in the rewrite fails of "
      "Elemwise{exp,no_inplace}");
  EXPECT_MESSAGE(
      with_a_rule_that_fails("raise"),
      "a fault of the rule\n   in the rewrite fails of Elemwise{exp,no_inplace}");
}

TEST(RewriteChoice, WordsNamePassesAndTheirKin) {
  const ChangeFlags flags({{"optimizer_excluding", "constant_folding"}});
  const RewriteChoice choice("fast_run");
  for (const Pass& pass : pipeline())
    EXPECT_EQ(choice.takes(pass), pass.run != fold) << pass.name;
}

TEST(RewriteChoice, PlacingAlwaysHappens) {
  const ChangeFlags flags({{"optimizer_excluding", "place"}, {"optimizer_requiring", "fuse"}});
  const RewriteChoice choice("None");
  for (const Pass& pass : pipeline()) {
    EXPECT_TRUE(choice.takes(pass) || pass.name != "place");
  }
}

TEST(RewriteChoice, VerbosePrintsEachRewrite) {
  const ChangeFlags flags({{"optimizer_verbose", "True"}});
  const Variable x = dvector("x");
  ::testing::internal::CaptureStderr();
  function({x}, x + 0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("canonicalize: add_zero: "), 0U) << text;
}

}  // namespace
}  // namespace hypatia
