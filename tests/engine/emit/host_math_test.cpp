// Every function of host C, compiled as kernels are, against long double: errors, special values,
// and that the table of them in docs/ is current.
#include "engine/emit/host_math.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

#include "engine/core/error.h"
#include "engine/device/cpu/compiler.h"
#include "engine/device/cpu/module.h"

#include "tests/checkout.h"

namespace hypatia {
namespace {

using Long = long double;
using Reference = std::function<Long(Long, Long)>;

Long erf_inverse(Long a, Long b) {
  if (!(a >= 0 && b >= 0)) return std::nanl("");
  if (b == 0) return HUGE_VALL;
  if (a == 0) return 0;
  // Bisection on the side where the target is not rounded away.
  Long low = 0, high = 28;
  for (int step = 0; step < 140; ++step) {
    const Long middle = (low + high) / 2;
    const bool below = a < 0.5L ? erfl(middle) < a : erfcl(middle) > b;
    (below ? low : high) = middle;
  }
  return a < 1e-10L ? a * 0.88622692545275801364908374167057259L : low;
}

Long digamma(Long x) {
  const Long pi = 3.14159265358979323846264338327950288L;
  if (x <= 0 && x == floorl(x)) return std::nanl("");
  if (x < 0) return digamma(1 - x) - pi / tanl(pi * (x - rintl(x)));
  Long result = 0;
  for (; x < 40; x += 1)
    result -= 1 / x;
  const Long z = 1 / (x * x);
  return result + logl(x) - 0.5L / x -
         z * (1.0L / 12 - z * (1.0L / 120 - z * (1.0L / 252 - z * (1.0L / 240 - z / 132))));
}

Long erfcx(Long x) {
  if (x < 100) return expl(x * x) * erfcl(x);
  const Long t = 0.5L / (x * x);
  return 0.564189583547756286948079451560772586L / x *
         (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t)))));
}

Long sigmoid(Long x) {
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

Long softplus(Long x) {
  return std::isnan(x) ? x : fmaxl(x, 0) + log1pl(expl(-fabsl(x)));
}

Reference one(Long (*f)(Long)) {
  return [f](Long x, Long) { return f(x); };
}

Reference two(Long (*f)(Long, Long)) {
  return f;
}

const std::map<std::string_view, Reference>& references() {
  static const std::map<std::string_view, Reference> all{
      {"exp", one(expl)},
      {"exp2", one(exp2l)},
      {"expm1", one(expm1l)},
      {"log", one(logl)},
      {"log1p", one(log1pl)},
      {"log2", one(log2l)},
      {"log10", one(log10l)},
      {"sqrt", one(sqrtl)},
      {"tanh", one(tanhl)},
      {"sinh", one(sinhl)},
      {"cosh", one(coshl)},
      {"sin", one(sinl)},
      {"cos", one(cosl)},
      {"tan", one(tanl)},
      {"asin", one(asinl)},
      {"acos", one(acosl)},
      {"atan", one(atanl)},
      {"asinh", one(asinhl)},
      {"acosh", one(acoshl)},
      {"atanh", one(atanhl)},
      {"cbrt", one(cbrtl)},
      {"erf", one(erfl)},
      {"erfc", one(erfcl)},
      {"erfcx", one(erfcx)},
      {"sigmoid", one(sigmoid)},
      {"softplus", one(softplus)},
      {"lgamma", one(lgammal)},
      {"tgamma", one(tgammal)},
      {"digamma", one(digamma)},
      {"floor", one(floorl)},
      {"ceil", one(ceill)},
      {"rint", one(rintl)},
      {"trunc", one(truncl)},
      {"round", one(roundl)},
      {"fabs", one(fabsl)},
      {"pow", two(powl)},
      {"atan2", two(atan2l)},
      {"hypot", two(hypotl)},
      {"fmod", two(fmodl)},
      {"copysign", two(copysignl)},
      {"erfinv", [](Long x, Long) { return copysignl(erf_inverse(fabsl(x), 1 - fabsl(x)), x); }},
      {"erfcinv",
       [](Long x, Long) { return x < 1 ? erf_inverse(1 - x, x) : -erf_inverse(x - 1, 2 - x); }},
  };
  return all;
}

/// A kernel for each function: out[i] = f(x[i], y[i]).
const Ref<Module>& kernels() {
  static const Ref<Module> module = [] {
    std::vector<std::string_view> used;
    KernelSource source;
    source.name = "host_math";
    std::string loops;
    for (const HostMath& math : host_math()) {
      used.push_back(math.identifier);
      const std::string type = math.dtype == DType::float32 ? "float" : "double";
      const std::string entry = "loop_" + std::string(math.identifier);
      source.entries.push_back(entry);
      loops += "void " + entry + "(void* const* args, long first, long last) {\n  const " + type +
               " *restrict x = *(" + type + "* const*)args[0], *restrict y = *(" + type +
               "* const*)args[1];\n  " + type + "* restrict out = *(" + type +
               "* const*)args[2];\n  for (long i = first; i < last; i++) out[i] = " +
               std::string(math.identifier) +
               (math.arity == 2 ? "(x[i], y[i]);\n}\n" : "(x[i]);\n}\n");
    }
    source.text = host_prelude(used) + loops;
    CompilerOptions options;
    options.compiledir = ::testing::TempDir() + "hypatia-math";
    static Compiler compiler(options);
    return compiler.compile(source);
  }();
  return module;
}

template <class T>
std::vector<T> compute(const HostMath& math, const std::vector<T>& x, const std::vector<T>& y) {
  const Kernel& kernel = kernels()->find("loop_" + std::string(math.identifier));
  std::vector<T> out(x.size());
  const T* x_data = x.data();
  const T* y_data = y.data();
  T* out_data = out.data();
  const void* args[] = {&x_data, &y_data, &out_data};
  static_cast<const HostKernel&>(kernel).entry()(
      const_cast<void* const*>(args), 0, static_cast<long>(x.size()));
  return out;
}

/// Distance of `got` from `want` in units of the last place of T at `want`; huge where one is NaN
/// or infinite and the other isn't.
template <class T>
double ulps(T got, Long want) {
  constexpr double wrong = 1e9;
  if (std::isnan(want)) return std::isnan(got) ? 0 : wrong;
  if (std::isnan(got)) return wrong;
  const T rounded = static_cast<T>(want);
  if (std::isinf(rounded) || std::isinf(got)) {
    // Just at the border, rounding either way is within a unit.
    const Long largest = std::numeric_limits<T>::max();
    const bool border = std::fabs(static_cast<Long>(got)) >= largest && fabsl(want) >= largest;
    return rounded == got || border ? 0 : wrong;
  }
  int exponent = 0;
  frexpl(want, &exponent);
  const int least = std::numeric_limits<T>::min_exponent;
  const Long unit = ldexpl(1, std::max(exponent, least) - std::numeric_limits<T>::digits);
  return static_cast<double>(fabsl(static_cast<Long>(got) - want) / unit);
}

/// Bit patterns of every kind, and values of the sizes that programs have.
template <class T>
std::vector<T> samples(std::uint64_t seed, int count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<T> values;
  for (int i = 0; i < count; ++i) {
    const T any = std::bit_cast<T>(static_cast<Bits>(random()));
    values.push_back(std::isnan(any) ? T{1} : any);
    values.push_back(static_cast<T>(unit(random)));
    values.push_back(static_cast<T>(4 * unit(random)));
    values.push_back(static_cast<T>((sizeof(T) == 4 ? 110 : 750) * unit(random)));
    values.push_back(
        static_cast<T>(std::ldexp(unit(random), static_cast<int>(random() % 60) - 40)));
    values.push_back(
        static_cast<T>(1 + std::ldexp(unit(random), -static_cast<int>(random() % 20))));
  }
  return values;
}

/// erfc loses digits where it is near subnormal itself, and its inverse with it.
bool beyond_erfc(double x) {
  return x > 0 && x < 1e-290;
}

template <class T>
void check_errors(const HostMath& math, int count) {
  const Reference& reference = references().at(math.function);
  std::vector<T> x = samples<T>(1, count), y = samples<T>(2, count);
  // Near its zeros on the left half the absolute error counts, which no test of ulps can see.
  const bool gamma =
      math.function == "lgamma" || math.function == "tgamma" || math.function == "digamma";
  double worst = 0;
  T worst_x{}, worst_y{}, worst_got{};
  const std::vector<T> got = compute(math, x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Long want = reference(x[i], y[i]);
    if (gamma && (x[i] <= 0 || std::fabs(want) < 1)) continue;
    if (math.function == "erfcinv" && beyond_erfc(x[i])) continue;
    const double error = ulps(got[i], want);
    if (error <= worst) continue;
    worst = error;
    worst_x = x[i], worst_y = y[i], worst_got = got[i];
  }
  EXPECT_LE(worst, math.ulp == 0 ? 0.0 : math.ulp + 1e-9)
      << math.identifier << " at " << std::hexfloat << worst_x << " (" << std::defaultfloat
      << worst_x << "), " << worst_y << ": " << worst_got;
  ::testing::Test::RecordProperty(std::string(math.identifier), std::to_string(worst));
  if (std::getenv("HYPATIA_PRINT"))
    std::printf("%-14s %.4f\n", std::string(math.identifier).c_str(), worst);
}

TEST(HostMath, StaysWithinItsErrors) {
  const char* asked = std::getenv("HYPATIA_SAMPLES");
  const int count = asked ? std::atoi(asked) : 20'000;
  for (const HostMath& math : host_math()) {
    if (math.dtype == DType::float32) check_errors<float>(math, count);
    if (math.dtype == DType::float64) check_errors<double>(math, count);
  }
}

template <class T>
void check_special(const HostMath& math) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
  const std::vector<T> values{0, -T{0}, 1, -1, inf, -inf, nan, tiny, -tiny, huge, -huge, 2, -2};
  std::vector<T> x, y;
  // Each value often enough to go through the vector loop, and all of them once more in its tail.
  for (const T a : values) {
    for (const T b : values) {
      x.insert(x.end(), 17, a);
      y.insert(y.end(), 17, b);
    }
  }
  const std::vector<T> got = compute(math, x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Long want = references().at(math.function)(x[i], y[i]);
    if (math.function == "erfcinv" && beyond_erfc(x[i])) continue;
    EXPECT_LE(ulps(got[i], want), math.ulp + 1e-9)
        << math.identifier << "(" << x[i] << ", " << y[i] << ") is " << got[i] << ", not "
        << static_cast<double>(want);
    if (want == 0 && math.function != "lgamma") {
      EXPECT_EQ(std::signbit(got[i]), std::signbit(want)) << math.identifier << "(" << x[i] << ")";
    }
  }
}

TEST(HostMath, TreatsSpecialValuesLikeTheLibrary) {
  for (const HostMath& math : host_math()) {
    if (math.function == "digamma") continue;  // its sign at the pole is a matter of taste
    if (math.dtype == DType::float32) check_special<float>(math);
    if (math.dtype == DType::float64) check_special<double>(math);
  }
}

TEST(HostMath, RefusesWhatIsNotThere) {
  EXPECT_THROW(host_spelling("exp", DType::int32), Error);
  EXPECT_THROW(host_spelling("zeta", DType::float32), Error);
  EXPECT_EQ(host_spelling("exp", DType::float32), "hy_expf");
}

TEST(HostMath, DefinesEachNameOnceAndBeforeItsUse) {
  const std::vector<std::string_view> used{"hy_softplusf", "hy_expf", "hy_sinf", "sin", "hy_sinf"};
  const std::string text = host_prelude(used);
  const auto count = [&](const std::string& word) {
    int times = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++times;
    return times;
  };
  EXPECT_EQ(count("INLINE float hy_expf("), 1);
  EXPECT_EQ(count("INLINE float hy_sinf("), 1);
  EXPECT_LT(text.find("hy_expf("), text.find("hy_softplusf("));
  EXPECT_EQ(text.find("#include"), std::string::npos);
  EXPECT_EQ(host_prelude(used, false).find("simd"), std::string::npos);
}

/// The page as the registry has it.
std::string accuracy_page() {
  const auto describe = [](MathSource source) {
    switch (source) {
      case MathSource::own:
        return "own";
      case MathSource::vector:
        return "libmvec";
      case MathSource::scalar:
        return "libm";
      case MathSource::hardware:
        break;
    }
    return "instruction";
  };
  std::ostringstream out;
  out << "# Errors of the mathematical functions on the cpu\n\n"
         "In units in the last place (ulp), rounded up, against long double: 1 means that the "
         "result is one of\n"
         "the two floats next to the exact value. `own` is plain C in the kernel's file, `libmvec` "
         "glibc's vector\n"
         "functions (float32 calls the float64 one and rounds), `libm` the C library one element "
         "at a time.\n"
         "The errors of lgamma, tgamma and digamma hold right of 0 and away from their zeros.\n\n"
         "| function | float32 | ulp | float64 | ulp |\n|---|---|---|---|---|\n";
  for (const HostMath& math : host_math()) {
    if (math.dtype == DType::float32) out << "| " << math.function;
    out << " | " << describe(math.source) << " | " << math.ulp;
    if (math.dtype == DType::float64) out << " |\n";
  }
  return out.str();
}

TEST(HostMath, HasACurrentTableInTheDocs) {
  const std::string path = tests::checkout() + "/docs/reference/math-accuracy.md";
  if (std::getenv("HYPATIA_UPDATE_DOCS")) std::ofstream(path) << accuracy_page();
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), accuracy_page()) << "run engine_tests with HYPATIA_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace hypatia
