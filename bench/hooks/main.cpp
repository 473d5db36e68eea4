// Calls a function of so many nodes so often, and says what a call took: hypatia-hooks CALLS NODES
// [RECORDING]. With a recording's name, every call is recorded.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hypatia/hypatia.h>
#include <memory>

#include "profiler/record/recorder.h"

using namespace hypatia;

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s CALLS NODES [RECORDING]\n", argv[0]);
    return 2;
  }
  const int calls = std::atoi(argv[1]), nodes = std::atoi(argv[2]);
  config().set("threads", 1);
  config().set("compile.background", false);
  // Callgrind knows no instructions newer than this.
  config().set("gcc.cxxflags", "-mno-avx512f");
  std::unique_ptr<Recorder> recorder;
  FunctionOptions options;
  options.name = "chain";
  if (argc > 3) {
    recorder = std::make_unique<Recorder>(argv[3]);
    options.observer = recorder.get();
  }
  const Variable x = vector("x", DType::float64);
  Variable y = x;
  // Nodes that share no kernel, so that each is a step.
  for (int i = 0; i < nodes; ++i)
    y = i % 2 ? sort(y) : y + 1;
  const Function f = function({x}, y, options);
  const Array value = Array::ones(DType::float64, {8});
  f(value);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i)
    f(value);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  std::printf("%.1f\n", spent.count() / calls);
  if (recorder) recorder->finish();
  return 0;
}
