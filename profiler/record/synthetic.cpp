// The exp test as a recording, and recordings of any size.

#include "profiler/record/synthetic.h"

#include <algorithm>
#include <utility>

#include "profiler/record/synthesizer.h"

namespace hypatia {

namespace types = synthetic_types;

RecordingData synthetic_exp(const SyntheticOptions& options) {
  Synthesizer make(options);
  make.data.header.program = "exercise_01_exp_test";
  make.data.header.exercise = "01_exp_test";
  fill_header(make.data.header, options);
  const Origin at{make.file("exercises/01_exp_test/exercise.cpp"), "main", 18};
  FunctionRecord record = synthetic_function("exp_test", options, at);
  const std::string shapes = "(230400,) -> (230400,)";
  if (options.device == "cpu") {
    record.nodes = {synthetic_node(
        "Elemwise{exp,no_inplace}",
        "exp",
        Side::cpu,
        {{-1, "x", types::vector}},
        types::vector,
        at)};
    make.data.functions.push_back(record);
    make.plan(
        1,
        "",
        {{"exp", {{0, 1}}, 52'000, 0, EventKind::step, 2'304'000, 1'843'200, false, shapes}});
  } else {
    record.nodes = {
        synthetic_node(
            "GpuElemwise{exp,no_inplace}",
            "exp",
            Side::gpu,
            {{-1, "x", types::gpu_vector}},
            types::gpu_vector,
            at),
        synthetic_node(
            "HostFromGpu(gpuarray)",
            "from_gpu",
            Side::transfer,
            {{0, "", types::gpu_vector}},
            types::vector,
            at)};
    record.nodes[1].reason = "the result is returned to the host";
    make.data.functions.push_back(record);
    make.plan(
        1,
        "",
        {
            {"exp", {{0, 1}}, 4'400, 3'300, EventKind::kernel, 2'304'000, 1'843'200, false, shapes},
            {"HostFromGpu",
             {{1, 1}},
             4'100,
             17'000,
             EventKind::copy_out,
             0,
             1'843'200,
             true,
             "(230400,)"},
        });
  }
  make.compile(options.device == "cpu" ? 21'000'000 : 85'000'000, "compile exp_test");
  for (int i = 0; i < options.calls; ++i)
    make.call(0, 600);
  return std::move(make.data);
}

RecordingData synthetic_large(std::size_t events) {
  SyntheticOptions options;
  constexpr std::size_t events_a_call = 28;
  options.calls = static_cast<int>(std::max<std::size_t>(1, events / events_a_call));
  return synthetic_logistic(options);
}

}  // namespace hypatia
