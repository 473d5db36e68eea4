// The exp test: e to the power of 230,400 numbers, a thousand times. The same program runs on the
// CPU and on a GPU; HYPATIA_FLAGS=device=... says where, floatX=float32 in which precision.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

constexpr int vector_length = 10 * 30 * 768;
constexpr int iterations = 1000;

// Returns a compiled function without inputs whose result is exp of x's value.
Function compile_exp(const Shared& x) {
  return function({}, exp(x), {.name = "exp"});
}

int main() {
  RandomState rng(22);
  auto x = shared(rng.rand({vector_length}).astype(config().float_x()), "");
  auto f = compile_exp(x);
  std::printf("%s\n", to_text(f.toposort()).c_str());

  Array r = f();
  const double begin = seconds();
  for (int i = 0; i < iterations; ++i)
    r = f();
  r.sync();  // a GPU's result comes back before it is computed
  const double end = seconds();

  std::printf("Looping %d times took %f seconds\n", iterations, end - begin);
  std::printf("Result is %s\n", to_text(r).c_str());
  std::printf("Used the %s\n", f.uses_gpu() ? "gpu" : "cpu");
  return 0;
}
