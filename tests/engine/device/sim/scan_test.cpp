#include "engine/device/sim/scan.h"

#include <gtest/gtest.h>

namespace hypatia::sim {
namespace {

TEST(SimScan, FindsKernelsAndTheirParameters) {
  const Scan scan = scan_kernels(
      "// __global__ void comment(int a) {}\n"
      "template <class T> __device__ T twice(T x) { return x + x; }\n"
      "extern \"C\" {\n"
      "__global__ void declared(int);\n"
      "__global__ void __launch_bounds__(256, 2) add(const float* __restrict__ left,\n"
      "    float *right /* (, */, const struct pair p, int n) { right[n] = left[n]; }\n"
      "}\n"
      "namespace other { __global__ void hidden() {} }\n"
      "template <int N> __global__ void many(int* y) { y[0] = N; }\n"
      "__global__ void none() {}\n");
  ASSERT_EQ(scan.kernels.size(), 2U);
  EXPECT_EQ(scan.kernels[0].name, "add");
  EXPECT_EQ(scan.kernels[0].parameters, (std::vector<std::string>{"left", "right", "p", "n"}));
  EXPECT_TRUE(scan.kernels[0].indexes);
  EXPECT_FALSE(scan.kernels[0].cooperates);
  EXPECT_FALSE(scan.kernels[0].doubles);
  EXPECT_EQ(scan.kernels[1].name, "none");
  EXPECT_FALSE(scan.kernels[1].indexes);
}

TEST(SimScan, FollowsCallsToBarriers) {
  const Scan scan = scan_kernels(
      "__device__ void deep() { if (true) { __syncwarp(); } }\n"
      "__device__ void middle() { deep(); }\n"
      "__global__ void uses() { middle(); }\n"
      "__global__ void doesnt(double x) { const char* s = \"__syncthreads()\"; }\n");
  ASSERT_EQ(scan.kernels.size(), 2U);
  EXPECT_TRUE(scan.kernels[0].cooperates);
  EXPECT_FALSE(scan.kernels[1].cooperates);
  EXPECT_TRUE(scan.kernels[1].doubles);
}

TEST(SimScan, TakesABarrierInAMacroForOneAnywhere) {
  const Scan scan =
      scan_kernels("#define SYNC \\\n  __syncthreads()\n__global__ void k() { SYNC; }\n");
  ASSERT_EQ(scan.kernels.size(), 1U);
  EXPECT_TRUE(scan.kernels[0].cooperates);
}

TEST(SimScan, NamesDynamicSharedArraysOnce) {
  const Scan scan = scan_kernels(
      "extern __shared__ float a[];\n"
      "__global__ void k() { extern __shared__ float a[]; extern\n"
      "  __shared__ __align__(16) char bytes[]; __shared__ int fixed[3]; }\n");
  EXPECT_EQ(scan.dynamic_shared, (std::vector<std::string>{"a", "bytes"}));
}

TEST(SimScan, SurvivesTextsThatAreCutOff) {
  const std::string text = "__global__ void k(int a) { if (a) { \"x\" /* ";
  for (std::size_t i = 0; i <= text.size(); ++i)
    EXPECT_LE(scan_kernels(text.substr(0, i)).kernels.size(), 1U);
}

}  // namespace
}  // namespace hypatia::sim
