// Host C of loop nests: results larger than the caches take another way to memory and are the same.
#include <cmath>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>
#include <vector>

#include "engine/emit/emit.h"
#include "engine/emit/nest_text.h"
#include "engine/graph/concrete.h"
#include "engine/rewrite/pass.h"

namespace hypatia {
namespace {

template <class T>
void check(std::int64_t n) {
  const Variable a = vector("a", dtype_of<T>), b = vector("b", dtype_of<T>);
  const Function f = function({a, b}, 2 * a + 3 * b);
  Array x(dtype_of<T>, {n}), y(dtype_of<T>, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    x.data<T>()[i] = static_cast<T>(i % 1013);
    y.data<T>()[i] = static_cast<T>(i % 701);
  }
  const Array sum = f(x, y);
  for (std::int64_t i = 0; i < n; ++i)
    ASSERT_EQ(sum.data<T>()[i], 2 * x.data<T>()[i] + 3 * y.data<T>()[i]) << i << " of " << n;
  const bool large = n * static_cast<std::int64_t>(3 * sizeof(T)) >= streamed_from();
  EXPECT_EQ(f.source().find("hy_stream(") != std::string::npos, large);
}

TEST(HostText, StreamsLargeResults) {
  const std::int64_t enough = streamed_from() / 12;
  for (const std::int64_t n : {std::int64_t{1'000}, enough - 1, enough + 1, enough + 777})
    check<float>(n);
  for (const std::int64_t n : {std::int64_t{1'000}, enough / 2 + 1})
    check<double>(n);
}

/// How the one kernel of a result of `n` elements is launched.
Launch launch_of(const Variable& x, const Variable& result, std::int64_t n) {
  Graph graph({x}, {result});
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{});
  const std::unordered_map<Variable, Type, VariableHash> types{{x, x.type().with_dims({n})}};
  const Plan plan = make_plan(graph, Concrete(graph, types));
  return emit_module(plan, graph, Dialect::host_c, "test").kernels.at(0).launches.at(0).launch;
}

TEST(HostText, CallsOtherThreadsForMicrosecondsOfWork) {
  const Variable x = vector("x", DType::float32);
  const auto shared = [&](const Variable& result, std::int64_t n) {
    const Launch launch = launch_of(x, result, n);
    return launch.items > launch.grain;
  };
  EXPECT_FALSE(shared(2 * x + 1, 10'000)) << "a microsecond";
  EXPECT_TRUE(shared(2 * x + 1, 100'000));
  EXPECT_TRUE(shared(exp(x), 10'000)) << "functions take longer than arithmetic";
}

/// One unusual argument among usual ones: it gets its own result, the others keep theirs to the
/// bit.
template <class T>
void check_unusual(const std::vector<T>& unusual) {
  constexpr std::int64_t n = 3000;
  const Variable x = vector("x", dtype_of<T>);
  const Function f = function({x}, {exp(x), 1 / (1 + exp(-x)) + exp(x) * exp(2 * x + 1)});
  Array usual(dtype_of<T>, {n});
  for (std::int64_t i = 0; i < n; ++i)
    usual.data<T>()[i] = static_cast<T>(i % 37) - 18;
  const Results before = f(usual);
  ASSERT_NE(f.source().find("_was_usual("), std::string::npos);
  for (const T value : unusual) {
    for (const std::int64_t at : {0, 1023, 1024, 2999}) {
      Array changed = usual.copy();
      changed.data<T>()[at] = value;
      const Results after = f(changed);
      for (const std::size_t out : {0U, 1U}) {
        const Array old_values = before[out], new_values = after[out];
        for (std::int64_t i = 0; i < n; ++i) {
          if (i == at) continue;
          ASSERT_EQ(new_values.data<T>()[i], old_values.data<T>()[i]) << i << " beside " << value;
        }
      }
      const Array exps = after[0];
      const T result = exps.data<T>()[at], exact = std::exp(value);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(result));
      } else {
        const T room = std::isinf(exact) ? 0 : std::nextafter(exact, T{INFINITY}) - exact;
        EXPECT_LE(std::abs(result == exact ? 0 : result - exact), room) << value;
      }
    }
  }
}

TEST(HostText, TreatsUnusualArgumentsOfExpAmongUsualOnes) {
  check_unusual<float>(
      {INFINITY, -INFINITY, NAN, -NAN, 86, -86, 86.1F, -86.1F, 88.7F, 88.8F, -100, -104, -1e30F});
  check_unusual<double>({INFINITY, -INFINITY, NAN, 700, -700, 700.1, 709.7, 710, -745, -746});
}

}  // namespace
}  // namespace hypatia
