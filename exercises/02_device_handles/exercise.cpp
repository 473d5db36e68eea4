// Handles: the exp test once more, with its result left where it was computed. The program looks at
// three things: what the handle saves, when a call has done its work, and who owns a value.
#include <cstdio>
#include <hypatia/hypatia.h>

using namespace hypatia;

constexpr int vector_length = 10 * 30 * 768;
constexpr int iterations = 1000;

// Returns a compiled function whose result is exp of x's value, and stays on the function's device.
Function compile_exp(const Shared& x) {
  // >>> edit between these marks
  // On a GPU the graph has two nodes, and the second one takes most of the time.
  return function({}, exp(x), {.name = "exp"});
  // <<< edit between these marks
}

// Returns how many seconds `calls` calls of f take, from the first to the end of their work.
double time_of(const Function& f, int calls) {
  // >>> edit between these marks
  // Is the work of the last call done when it has come back?
  Array r = f();
  const double begin = seconds();
  for (int i = 0; i < calls; ++i)
    r = f();
  return seconds() - begin;
  // <<< edit between these marks
}

// Returns the value of x where it lies, on the GPU or on the host, without a copy.
Array value_of(const Shared& x) {
  // >>> edit between these marks
  // This is a copy on the host, wherever x lies.
  return x.get_value();
  // <<< edit between these marks
}

// Returns seconds until the last of `calls` calls has come back, whatever they left undone.
double time_to_submit(const Function& f, int calls) {
  const double begin = seconds();
  for (int i = 0; i < calls; ++i)
    f();
  return seconds() - begin;
}

int main() {
  RandomState rng(22);
  const Array numbers = rng.rand({vector_length}).astype(config().float_x());
  const Shared x = shared(numbers, "");
  const Function f = compile_exp(x);
  std::printf("%s\n", to_text(f.toposort()).c_str());
  std::printf("Looping %d times took %f seconds\n", iterations, time_of(f, iterations));
  const Array r = f();
  std::printf("Result lies on the %s\n", r.on_host() ? "host" : "gpu");
  std::printf("Numpy result is %s\n", to_text(asarray(r)).c_str());
  std::printf("Used the %s\n\n", f.uses_gpu() ? "gpu" : "cpu");

  const Function to_host = function({}, exp(x), {.name = "exp to the host"});
  std::printf("seconds for %d calls\n", iterations);
  std::printf("  result to the host              %f\n", time_of(to_host, iterations));
  std::printf("  result stays                    %f\n", time_of(f, iterations));
  // More work a call, and fewer calls than a queue holds, so that none has to wait for room.
  const Array many = rng.rand({1 << 22}).astype(config().float_x());
  const Function g = compile_exp(shared(many, "many"));
  g().sync();
  std::printf("seconds for 20 calls of exp of 4,194,304 numbers\n");
  std::printf("  until they have come back       %f\n", time_to_submit(g, 20));
  g().sync();
  std::printf("  until their work is done        %f\n\n", time_of(g, 20));

  // Who owns a value: the same two numbers, shared in three ways, and then changed.
  const Array two = Array::ones(DType::float64, {2});
  const Shared s_default = shared(two, "s_default");
  const Shared s_false = shared(two, "s_false", {.borrow = false});
  const Shared s_true = shared(two, "s_true", {.borrow = true});
  for (double& number : two.span<double>())
    number += 1;
  for (const Shared& s : {s_default, s_false, s_true}) {
    std::printf("%-10s %s\n", s.name().c_str(), to_text(s.get_value()).c_str());
  }
  const Array there = value_of(x);
  std::printf("x lies on the %s\n", there.on_host() ? "host" : "gpu");
  return 0;
}
