// What flags do to a rule that fails or never ends, and what they print.
#include <cmath>
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
  heard.clear();
  const WarningHandler before = set_warning_handler([](const std::string& t) { heard += t; });
  const Graph graph({x}, {exp(x)});
  Graph result;
  std::string error;
  try {
    result = apply_rules(graph, {fails}, "test", {});
  } catch (const Error& e) {
    error = e.what();
  }
  set_warning_handler(before);
  if (!error.empty()) throw std::runtime_error(error);
  return result;
}

TEST(Rules, ARuleThatFailsIsSkippedToldOrAnError) {
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

TEST(Rules, StopWhereThereAreTooMany) {
  heard.clear();
  const WarningHandler before = set_warning_handler([](const std::string& t) { heard += t; });
  const ChangeFlags flags({{"optdb.max_use_ratio", "0.0"}});
  const Variable x = dvector("x");
  const Function f = function({x}, log(1 - sigmoid(x)));
  set_warning_handler(before);
  EXPECT_NE(heard.find("were stopped before they were done"), std::string::npos) << heard;
  EXPECT_NEAR(f(Array({0.0})).only().at({0}), std::log(0.5), 1e-12);
}

TEST(Rules, VerbosePrintsEachRewrite) {
  const ChangeFlags flags({{"optimizer_verbose", "True"}});
  const Variable x = dvector("x");
  ::testing::internal::CaptureStderr();
  function({x}, x + 0);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("add_zero"), std::string::npos) << text;
}

}  // namespace
}  // namespace hypatia
