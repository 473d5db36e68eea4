// Loops inside graphs: powers, a polynomial, and a loop that stops by itself. A step is written
// once, with symbols; scan runs it as often as is wanted, on the device, and knows its gradient.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

// Returns a compiled function of a vector A and a number of steps k whose result is A**k, element
// by element, made by k multiplications.
Function power() {
  auto a = vector("A");
  auto k = iscalar("k");
  auto [powers, updates] = scan(
      [](Variable before, Variable x) { return before * x; },
      {.outputs_info = {ones_like(a)}, .non_sequences = {a}, .n_steps = k});
  return function({a, k}, powers[0][-1], {.updates = updates, .name = "power"});
}

// Returns a compiled function of a vector of coefficients and a number x. Its results are the
// polynomial's value, summed up inside the loop, and the slope: the value's gradient by x.
Function polynomial() {
  auto coefficients = vector("coefficients");
  auto x = scalar("x");
  auto start = constant(Array(0.0).astype(config().float_x()));
  auto [sums, updates] = scan(
      [](Variable coefficient, Variable power, Variable before, Variable free) {
        return before + coefficient * pow(free, cast(power, free.dtype()));
      },
      {
          .sequences = {coefficients, arange(10000)},
          .outputs_info = {start},
          .non_sequences = {x},
      });
  auto value = sums[0][-1];
  return function({coefficients, x}, {value, grad(value, x)}, {.name = "polynomial"});
}

// Returns a compiled function of a number: the powers of two 2, 4, 8, … up to the first that is
// larger. It never takes more than 1024 steps.
Function doubled() {
  auto most = scalar("most");
  auto start = constant(Array(1.0).astype(config().float_x()));
  auto [powers, updates] = scan(
      [&](Variable before) {
        auto next = before * 2;
        return ScanStep{.outputs = {next}, .until = next > most};
      },
      {.outputs_info = {start}, .n_steps = 1024});
  return function({most}, powers[0], {.name = "doubled"});
}

int main() {
  const Function f = power();
  Array numbers = Array::arange(10).astype(config().float_x());
  std::printf("A**2 = %s\n", to_text(Array(f(numbers, 2))).c_str());
  std::printf("A**4 = %s\n\n", to_text(Array(f(numbers, 4))).c_str());

  const Function p = polynomial();
  const Array coefficients = Array({1, 0, 2}).astype(config().float_x());
  const Results r = p(coefficients, Array(3.0).astype(config().float_x()));
  std::printf("1 + 2x**2 at x = 3 is %s\n", to_text(r[0]).c_str());
  std::printf("its slope there is %s\n\n", to_text(r[1]).c_str());

  const Function d = doubled();
  const Array most = Array(45.0).astype(config().float_x());
  std::printf("powers of two up to the first above 45: %s\n", to_text(Array(d(most))).c_str());
  return 0;
}
