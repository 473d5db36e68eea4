// Expressions: what they are before anything is computed, and what the engine makes of them.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

// Returns a compiled function of two vectors a and b whose result is a^2 + b^2 + 2ab.
Function square_of_sum() {
  auto a = vector("a");
  auto b = vector("b");
  return function({a, b}, pow(a, 2) + pow(b, 2) + 2 * a * b, {.name = "square_of_sum"});
}

Array numbers(std::initializer_list<double> values) {
  return Array(values).astype(config().float_x());
}

int main() {
  auto a = vector("a");
  auto b = a + pow(a, 10);
  std::printf("The expression as it was built:\n%s\n", debugprint(b).c_str());
  auto f = function({a}, b, {.name = "a + a**10"});
  std::printf("The graph that runs:\n%s\n", debugprint(f).c_str());
  std::printf("f([0, 1, 2]) = %s\n\n", to_text(Array(f(numbers({0, 1, 2})))).c_str());

  auto g = square_of_sum();
  std::printf(
      "g([1, 2], [4, 5]) = %s\n", to_text(Array(g(numbers({1, 2}), numbers({4, 5})))).c_str());
  return 0;
}
