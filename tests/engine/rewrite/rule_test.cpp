// Every rule of the engine: it fires on an example, and both sides agree where it says they do.
#include "engine/rewrite/rule.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "hypatia/hypatia.h"
#include "tests/engine/ops/reference.h"

namespace hypatia {
namespace {

struct Operands3 {
  Variable x, y, z;
};

using Example = Variable (*)(const Operands3& in);

/// Expressions on which the rules without a pattern fire; x, y and z are vectors of float64.
const std::map<std::string_view, Example>& examples() {
  static const std::map<std::string_view, Example> all{
      {"join_dimshuffles",
       [](const Operands3& in) {
         return dimshuffle(dimshuffle(in.x, {0, -1}), {1, 0});
       }},
      {"join_casts",
       [](const Operands3& in) {
         return cast(cast(cast(in.x, DType::float32), DType::float64), DType::float32);
       }},
      {"cut_fill_in_mul", [](const Operands3& in) { return fill(in.x, 2.0) * in.x; }},
      {"cut_fill_in_add", [](const Operands3& in) { return fill(in.x, 2.0) + in.y; }},
      {"cut_fill_in_sub", [](const Operands3& in) { return in.y - fill(in.x, 2.0); }},
      {"cut_fill_in_div", [](const Operands3& in) { return in.y / fill(in.x, 2.0); }},
      {"fill_of_number", [](const Operands3& in) { return fill(in.x.sum(), 3.0); }},
      {"lift_fill_through_neg", [](const Operands3& in) { return -fill(in.x, 2.0); }},
      {"lift_fill_through_cast",
       [](const Operands3& in) { return cast(fill(in.x, 2.0), DType::float64); }},
      {"drop_zero_grad", [](const Operands3& in) { return zero_grad(in.x); }},
      {"drop_disconnected_grad", [](const Operands3& in) { return disconnected_grad(in.x); }},
      {"drop_grad_clip", [](const Operands3& in) { return grad_clip(in.x, -1, 1); }},
      {"drop_grad_scale", [](const Operands3& in) { return grad_scale(in.x, 3); }},
      {"drop_undefined_grad", [](const Operands3& in) { return undefined_grad(in.x); }},
      {"switch_of_number", [](const Operands3& in) { return switch_(0, in.x, in.y); }},
      {"sum_of_scaled", [](const Operands3& in) { return sum(in.x * 3.0); }},
      {"log_sum_exp", [](const Operands3& in) { return log(sum(exp(in.x))); }},
      {"softmax", [](const Operands3& in) { return exp(in.x) / exp(in.x).sum(0, true); }},
      {"lift_shape", [](const Operands3& in) { return shape_i(exp(in.x) + in.y, 0); }},
      {"cancel_in_product", [](const Operands3& in) { return (in.y / exp(in.x)) * exp(in.x); }},
      {"cancel_in_quotient", [](const Operands3& in) { return in.y * exp(in.x) / exp(in.x); }},
      {"power_by_squaring", [](const Operands3& in) { return pow(in.x, -5); }},
  };
  return all;
}

const Operands3& operands() {
  static const Operands3 all{
      vector("x", DType::float64), vector("y", DType::float64), vector("z", DType::float64)};
  return all;
}

/// The rule's left side on vectors, or its example; no variable if it has neither.
Variable left_side(const Rule& rule) {
  const auto example = examples().find(rule.name);
  if (example != examples().end()) return example->second(operands());
  if (!rule.from) return {};
  const Operands3& in = operands();
  return fill_pattern(rule.from, {in.x, in.y, in.z}, DType::float64);
}

/// What the rule alone makes of an expression.
Variable rewritten(const Rule& rule, const Variable& v) {
  const Operands3& in = operands();
  // Numbers in the shape of their use are constants again after folding.
  const Graph graph = fold(Graph({in.x, in.y, in.z}, {v}), PassContext{});
  return apply_rules(graph, {rule}, "test", PassContext{}).outputs()[0];
}

long times_fired(const Rule& rule) {
  const auto found = fired_rules().find(rule.name);
  return found == fired_rules().end() ? 0 : found->second;
}

Array samples(Domain domain, std::mt19937* random) {
  const double low = domain == Domain::all ? -3 : domain == Domain::nonzero ? 0.2 : 0.01;
  const double high = domain == Domain::unit ? 0.99 : 3;
  std::uniform_real_distribution<double> inside(low, high);
  Array values(DType::float64, Dims{16});
  for (double& v : values.span<double>()) {
    v = inside(*random);
    if (domain == Domain::nonzero && (*random)() % 2) v = -v;
  }
  return values;
}

/// Values where rules go wrong first, as far as the domain holds them.
std::vector<double> special_values(Domain domain) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> values{std::nan("")};
  if (domain != Domain::unit) values.push_back(inf);
  if (domain == Domain::all || domain == Domain::nonzero) values.push_back(-inf);
  if (domain == Domain::all) values.insert(values.end(), {0.0, -0.0});
  return values;
}

Bindings bound(const Array& x, const Array& y, const Array& z) {
  return {{operands().x, x}, {operands().y, y}, {operands().z, z}};
}

void expect_agreement(const Rule& rule) {
  const Variable before = left_side(rule);
  ASSERT_TRUE(before) << "give an example of " << rule.name << " in this file";
  const long fired = times_fired(rule);
  const Variable after = rewritten(rule, before);
  ASSERT_GT(times_fired(rule), fired) << rule.name << " did not fire";
  EXPECT_TRUE(after.type().same(before.type()));
  const std::uint32_t seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int round = 0; round < 8; ++round) {
    const Bindings in = bound(
        samples(rule.domain, &random),
        samples(rule.domain, &random),
        samples(rule.domain, &random));
    const Array wanted = reference_value(before, in), got = reference_value(after, in);
    EXPECT_TRUE(all_close(got, wanted, 1e-7, 1e-9)) << rule.name << " with seed " << seed << "\n"
                                                    << to_text(got) << "\nis not\n"
                                                    << to_text(wanted);
  }
}

void expect_nan_kept(const Rule& rule) {
  const Variable before = left_side(rule);
  ASSERT_TRUE(before);
  const Variable after = rewritten(rule, before);
  std::vector<double> values = special_values(rule.domain);
  values.push_back(0.5);
  for (double a : values) {
    for (double b : values) {
      const Bindings in = bound(Array({a, 0.5}), Array({b, 0.5}), Array({0.5, 0.5}));
      const Array wanted = reference_value(before, in), got = reference_value(after, in);
      EXPECT_TRUE(all_close(got, wanted, 1e-7, 1e-9))
          << rule.name << " of " << a << " and " << b << ": " << to_text(got) << " is not "
          << to_text(wanted);
    }
  }
}

TEST(EveryRule, FiresAndAgreesWhereItSays) {
  for (const Rule* rule : all_rules()) {
    SCOPED_TRACE(std::string(rule->name));
    expect_agreement(*rule);
  }
}

TEST(EveryRule, KeepsNaNAndInfinityIfItSaysSo) {
  int kept = 0;
  for (const Rule* rule : all_rules()) {
    if (!rule->keeps_nan) continue;  // it says that it doesn't
    SCOPED_TRACE(std::string(rule->name));
    expect_nan_kept(*rule);
    ++kept;
  }
  EXPECT_GT(kept, 20);
}

TEST(Rules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Rule* rule : all_rules())
    EXPECT_TRUE(names.insert(rule->name).second) << rule->name;
}

TEST(CancelInProduct, LeavesWhatMayBeZero) {
  const Variable x = dvector("x"), y = dvector("y");
  const Array zeros({0, 2, INFINITY});
  const Results r = function({x, y}, {x / x, x * y / x, (y / x) * x, x * inv(x)})(zeros, zeros);
  for (const Array& result : r) {
    EXPECT_TRUE(std::isnan(result.at({0}))) << to_text(result);
    EXPECT_TRUE(std::isnan(result.at({2}))) << to_text(result);
  }
  EXPECT_EQ(r[0].at({1}), 1);
}

TEST(CancelInProduct, CancelsWhatNeverIs) {
  const Variable x = dvector("x"), y = dvector("y");
  const Variable p = sigmoid(x), s = exp(x).sum();
  // exp(-1000) is 0 in floats: as written these are NaN.
  const Results r = function({x, y}, {y * p / p, y * s / s})(Array({-1000}), Array({3}));
  EXPECT_EQ(r[0].at({0}), 3);
  EXPECT_EQ(r[1].at({0}), 3);
}

}  // namespace
}  // namespace hypatia
