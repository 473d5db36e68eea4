// Calls a function of so many nodes so often, and says what a call took: hypatia-hooks CALLS NODES
// [RECORDING]. With a recording's name, every call is recorded.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <hypatia/hypatia.h>
#include <memory>

#include "profiler/record/recorder.h"

using namespace hypatia;

namespace {

double processor_nanoseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace

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
  // The time of this thread's processor: what others do meanwhile doesn't count.
  const double start = processor_nanoseconds();
  for (int i = 0; i < calls; ++i)
    f(value);
  std::printf("%.1f\n", (processor_nanoseconds() - start) / calls);
  if (recorder) recorder->finish();
  return 0;
}
