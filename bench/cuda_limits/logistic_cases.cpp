// One step of logistic regression, 400 rows of 784 float32, as two fused kernels.
#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

namespace {

struct Step {
  Raw& raw;
  CUfunction forward, backward;
  unsigned forward_grid, backward_grid, backward_x, backward_y;
  CUdeviceptr x, y, w, b, d;
  int rows = 400, columns = 784, quads = 196;
  float rate = 0.01F, decay = 0.02F;

  void run() {
    std::array<void*, 7> first{&d, &x, &w, &b, &y, &rows, &quads};
    raw.launch(forward, forward_grid, 128, 1, first.data());
    std::array<void*, 8> second{&w, &b, &x, &d, &rows, &columns, &rate, &decay};
    raw.launch(backward, backward_grid, backward_x, backward_y, second.data());
  }
};

void add_step(Raw& raw, std::vector<Case>& cases, Step* step, const std::string& name) {
  cases.push_back({
      "logistic step f32, stream, " + name,
      500,
      [step, &raw](int repeats) {
        for (int i = 0; i < repeats; ++i)
          step->run();
        raw.synchronize();
      },
      0,
      8.3,
  });
  for (const int length : {1, 100}) {
    CUgraphExec graph = raw.graph([&] {
      for (int i = 0; i < length; ++i)
        step->run();
    });
    cases.push_back({
        "logistic step f32, graph of " + std::to_string(length) + ", " + name,
        500,
        [graph, length, &raw](int repeats) {
          for (int i = 0; i < repeats; i += length)
            require(raw.driver->launch_graph(graph, raw.stream), "graph");
          raw.synchronize();
        },
        0,
        length == 1 ? 7.6 : 0,
    });
  }
}

}  // namespace

void add_logistic_cases(Raw& raw, std::vector<Case>& cases) {
  const CUdeviceptr x = raw.device_floats(400 * 784), y = raw.device_floats(400);
  const CUdeviceptr w = raw.device_floats(784), b = raw.device_floats(1);
  const CUdeviceptr d = raw.device_memory(400 * sizeof(float));

  struct Half {
    const char* name;
    unsigned grid, x, y;
  };

  for (const Half& forward : {Half{"forward_warp", 100, 0, 0}, Half{"forward_block", 400, 0, 0}}) {
    for (const Half& backward :
         {Half{"backward_8x64", 98, 8, 64}, Half{"backward_16x32", 49, 16, 32}}) {
      auto* step = new Step{
          raw,
          raw.function(forward.name),
          raw.function(backward.name),
          forward.grid,
          backward.grid,
          backward.x,
          backward.y,
          x,
          y,
          w,
          b,
          d,
      };
      add_step(raw, cases, step, std::string(forward.name) + " and " + backward.name);
    }
  }
}

}  // namespace hypatia::limits
