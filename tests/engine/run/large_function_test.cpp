// Large functions: the time to make one grows with its nodes and not faster, and its kernels are
// compiled in several parts.
#include <chrono>
#include <gtest/gtest.h>
#include <hypatia/hypatia.h>

namespace hypatia {
namespace {

/// About `nodes` nodes, elementwise work with a sum now and then.
Variable deep(const Variable& x, int nodes) {
  Variable y = x;
  for (int made = 0; made < nodes;) {
    y = tanh(y * 1.5 + x) - sigmoid(y);
    made += 5;
    if (made % 100 != 0) continue;
    y = y / (1 + sum(y));
    made += 4;
  }
  return sum(y);
}

Array compute(int nodes, const char* linker, std::string* source = nullptr) {
  const Variable x = vector("x", DType::float64);
  const Function f = function({x}, deep(x, nodes), {.name = "deep", .mode = {.linker = linker}});
  const Array result = f(RandomState(3).rand({50}));
  if (source) *source = f.source();
  return result;
}

double seconds_for(int nodes) {
  const auto start = std::chrono::steady_clock::now();
  compute(nodes, "vm");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(LargeFunction, TakesTimeInProportionToItsNodes) {
  seconds_for(1000);
  double ratio = 1e9;
  // The least of several: a busy machine makes single times longer, not shorter.
  for (int round = 0; round < 3; ++round)
    ratio = std::min(ratio, seconds_for(20'000) / seconds_for(2000));
  EXPECT_LT(ratio, 25) << "ten times the nodes";
}

TEST(LargeFunction, IsCompiledInParts) {
  const ChangeFlags flags({{"compile.background", "False"}});
  std::string source;
  const Array compiled = compute(2500, "cvm", &source);
  EXPECT_NE(source.find("part 1 of "), std::string::npos);
  EXPECT_NE(source.find("part 2 of "), std::string::npos);
  EXPECT_TRUE(all_close(compiled, compute(2500, "vm"), 1e-10, 1e-10));
}

}  // namespace
}  // namespace hypatia
