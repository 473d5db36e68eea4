// CUDA's functions as the simulated GPU has them, each against what the C library or a plain loop
// says.
#include "engine/device/sim/prelude.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/device/device.h"

namespace hypatia {
namespace {

/// Runs `body` once for each of `threads` threads of one block, with `y` of that many T.
template <class T>
std::vector<T> run(const std::string& body, std::uint32_t threads, const char* type) {
  static Device& device = *open_device("sim", Place{0}).device.release();
  const std::string text = std::string("__global__ void k(") + type +
                           "* y) {\n  const int t = threadIdx.x;\n" + body + "\n}\n";
  const Ref<Module> module = device.compile({Dialect::cuda_c, "functions", text, {"k"}, {}});
  Ref<Storage> y = device.allocate(threads * sizeof(T));
  device.fill(*y, 0, 0, y->bytes(), nullptr);
  void* at = y->data();
  void* arguments[] = {&at};
  Launch launch;
  launch.block = {threads, 1, 1};
  device.launch(module->find("k"), launch, arguments, nullptr);
  std::vector<T> values(threads);
  y->read(0, values.data(), y->bytes());
  return values;
}

std::vector<int> ints(const std::string& body, std::uint32_t threads) {
  return run<int>(body, threads, "int");
}

TEST(SimPrelude, ComputesMathematicalFunctions) {
  const std::vector<double> y = run<double>(
      "const double v[] = {exp(1.5), log(2.5), pow(2.0, 3), rsqrt(4.0), erfinv(0.3),\n"
      "  erfinv(-0.99), erfcinv(1e-10), normcdf(1.0), sinpi(0.25), fma(2.0, 3.0, 1.0),\n"
      "  fmin(1.0, NAN), fmax(2.0, 3.0f), hypot(3.0, 4.0), tgamma(5.0), lgamma(10.0),\n"
      "  exp10(2.0), j0(1.0), erfcx(30.0), (double)max(2, 3u), abs(-2.5)};\n"
      "y[t] = v[t];",
      20,
      "double");
  const std::vector<double> expected{
      std::exp(1.5),
      std::log(2.5),
      8,
      0.5,
      0.27246271472675435,
      -1.8213863677184496,
      4.572824967389486,
      0.8413447460685429,
      std::sqrt(0.5),
      7,
      1,
      3,
      5,
      24,
      std::lgamma(10.0),
      100,
      j0(1.0),
      0.018795888861416751,
      3,
      2.5,
  };
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], expected[i], 4e-15 * std::fabs(expected[i])) << i;
}

TEST(SimPrelude, ExpIsWithinOneUlpAndKeepsItsEdges) {
  const std::vector<float> y = run<float>(
      "y[t] = expf(t == 0 ? NAN : t == 1 ? INFINITY : t == 2 ? -INFINITY : t == 3 ? 89.0f\n"
      "    : t == 4 ? -104.5f : t == 5 ? -100.0f : (t - 500) * 0.17f);",
      1000,
      "float");
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], INFINITY);
  EXPECT_EQ(y[2], 0.0F);
  EXPECT_EQ(y[3], INFINITY);
  EXPECT_EQ(y[4], 0.0F);
  EXPECT_FLOAT_EQ(y[5], static_cast<float>(std::exp(-100.0)));
  for (int i = 6; i < 1000; ++i) {
    const double x = static_cast<double>(static_cast<float>(i - 500) * 0.17F);
    const double exact = std::exp(x);
    const double ulp = std::ldexp(1.0, std::max(std::ilogb(exact), -126) - 23);
    EXPECT_LE(std::fabs(static_cast<double>(y[static_cast<std::size_t>(i)]) - exact), 0.6 * ulp);
  }
}

TEST(SimPrelude, MovesBits) {
  const std::vector<int> y = ints(
      "const int v[] = {__popc(0xf0f0u), __clz(1), __clz(0), __ffs(8), (int)__brev(1u),\n"
      "  __float_as_int(1.0f), (int)__byte_perm(0x03020100u, 0x07060504u, 0x7531u),\n"
      "  __mulhi(1 << 30, 8), (int)__umulhi(~0u, 16u), __double2hiint(1.0), __float2int_rn(2.5f),\n"
      "  __float2int_ru(2.1f), (int)__funnelshift_l(0x80000000u, 1u, 1u), __popcll(~0ull)};\n"
      "y[t] = v[t];",
      14);
  EXPECT_EQ(
      y,
      (std::vector<int>{
          8, 31, 32, 4, INT32_MIN, 0x3f800000, 0x07050301, 2, 15, 0x3ff00000, 2, 3, 3, 64}));
}

TEST(SimPrelude, HasVectorTypes) {
  EXPECT_EQ(
      ints("float4 v = make_float4(1, 2, 3, t); int2 w = {4, 5}; y[t] = v.w + w.y + sizeof(v);", 3),
      (std::vector<int>{21, 22, 23}));
}

TEST(SimPrelude, ShufflesWithinWidths) {
  const std::vector<int> y = ints(
      "const unsigned all = 0xffffffffu;\n"
      "int a = __shfl_sync(all, t, 3, 8), b = __shfl_up_sync(all, t, 1, 4);\n"
      "int c = __shfl_down_sync(all, t, 2, 8), d = __shfl_xor_sync(all, t, 5);\n"
      "double e = __shfl_xor_sync(all, t + 0.5, 1);\n"
      "y[t] = a + 100 * b + 10000 * c + 1000000 * d + (e == (t ^ 1) + 0.5 ? 0 : 1000000000);",
      32);
  for (int t = 0; t < 32; ++t) {
    const int a = t / 8 * 8 + 3, b = t % 4 ? t - 1 : t, c = t % 8 < 6 ? t + 2 : t, d = t ^ 5;
    EXPECT_EQ(y[static_cast<std::size_t>(t)], a + 100 * b + 10000 * c + 1000000 * d) << t;
  }
}

TEST(SimPrelude, VotesMatchesAndReduces) {
  const std::vector<int> y = ints(
      "const unsigned all = 0xffffffffu;\n"
      "unsigned b = __ballot_sync(all, t % 2), m = __match_any_sync(all, t / 16);\n"
      "int every, sum = __reduce_add_sync(all, t), low = __reduce_min_sync(all, t - 5);\n"
      "unsigned same = __match_all_sync(all, 7, &every);\n"
      "unsigned half = t < 16 ? __ballot_sync(0xffffu, 1) : __ballot_sync(0xffff0000u, t > 20);\n"
      "y[t] = (b == 0xaaaaaaaau) + 2 * (m == (t < 16 ? 0xffffu : 0xffff0000u)) +\n"
      "  4 * (__any_sync(all, t == 3) && !__any_sync(all, t == 40)) +\n"
      "  8 * (__all_sync(all, t < 32) && !__all_sync(all, t < 31)) + 16 * (sum == 496) +\n"
      "  32 * (low == -5) + 64 * (same == all && every) +\n"
      "  128 * (half == (t < 16 ? 0xffffu : 0xffe00000u)) + 256 * (__activemask() == all);",
      32);
  EXPECT_EQ(y, std::vector<int>(32, 511));
}

TEST(SimPrelude, AWarpWithFewLanesAndExitedOnesGoesOn) {
  const std::vector<int> y = ints(
      "if (t >= 20) return;\n"
      "y[t] = __reduce_add_sync(0xffffffffu, 1);\n"
      "__syncwarp();",
      40);
  for (int t = 0; t < 40; ++t)
    EXPECT_EQ(y[static_cast<std::size_t>(t)], t < 20 ? 20 : 0) << t;
}

TEST(SimPrelude, CountsAtBarriers) {
  EXPECT_EQ(
      ints(
          "int c = __syncthreads_count(t % 3 == 0);\n"
          "y[t] = c + 1000 * __syncthreads_and(t < 100) + 10000 * __syncthreads_or(t == 99) +\n"
          "  100000 * __syncthreads_or(t == 100);",
          100),
      std::vector<int>(100, 11034));
}

TEST(SimPrelude, AtomicsReturnTheOldValueAndWrap) {
  const std::vector<int> y = ints(
      "__shared__ unsigned u; __shared__ int i; __shared__ float f; __shared__ double d;\n"
      "if (t == 0) { u = 0; i = 5; f = 0; d = 0; }\n"
      "__syncthreads();\n"
      "int order = atomicAdd(&i, 2);\n"
      "atomicInc(&u, 6u); atomicAdd(&f, 0.5f); atomicAdd(&d, 0.25);\n"
      "__syncthreads();\n"
      "y[t] = (order - 5) / 2 * 1000000 + i + 1000 * u + (f == 32.0f && d == 16.0 ? 0 : 1 << 30);",
      64);
  std::vector<bool> seen(64);
  for (const int v : y) {
    seen[static_cast<std::size_t>(v / 1000000)] = true;
    EXPECT_EQ(v % 1000000, 133 + 1000 * (64 % 7));
  }
  EXPECT_EQ(seen, std::vector<bool>(64, true));
}

TEST(SimPrelude, SpinLocksEnd) {
  EXPECT_EQ(
      ints(
          "__shared__ int lock, sum;\n"
          "if (t == 0) lock = sum = 0;\n"
          "__syncthreads();\n"
          "while (atomicCAS(&lock, 0, 1) != 0) {}\n"
          "sum += t; __threadfence_block();\n"
          "atomicExch(&lock, 0);\n"
          "__syncthreads();\n"
          "y[t] = sum;",
          64),
      std::vector<int>(64, 2016));
}

TEST(SimPrelude, AFailedAssertionNamesItsLine) {
  try {
    ints("\nassert(t != 3);", 8);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("assertion failed: t != 3"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace hypatia
