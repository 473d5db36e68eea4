// The exp test, 230,400 numbers: each way to run it and to get its result.
#include <cstring>

#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

namespace {

constexpr int n = 230'400;
constexpr unsigned blocks = n / 256;
constexpr unsigned quad_blocks = n / 4 / 256;

/// The arguments of one launch, kept for as long as the program.
struct ExpWork {
  Raw& raw;
  CUfunction kernel;
  CUdeviceptr y, x;
  int count = n;
  unsigned grid = blocks;

  void launch() {
    std::array<void*, 3> args{&y, &x, &count};
    raw.launch(kernel, grid, 256, 1, args.data());
  }
};

CUdeviceptr as_device(void* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

void add_resident(Raw& raw, std::vector<Case>& cases, CUdeviceptr y, CUdeviceptr x) {
  auto* work = new ExpWork{raw, raw.function("exp_float"), y, x};
  cases.push_back({
      "exp f32, one launch a call",
      1000,
      [work, &raw](int repeats) {
        for (int i = 0; i < repeats; ++i)
          work->launch();
        raw.synchronize();
      },
      0,
      3.33,
  });
  for (const int length : {1, 100}) {
    CUgraphExec graph = raw.graph([&] {
      for (int i = 0; i < length; ++i)
        work->launch();
    });
    cases.push_back({
        "exp f32, graph of " + std::to_string(length),
        1000,
        [graph, length, &raw](int repeats) {
          for (int i = 0; i < repeats; i += length)
            require(raw.driver->launch_graph(graph, raw.stream), "graph");
          raw.synchronize();
        },
        0,
        length == 1 ? 2.43 : 1.39,
    });
  }
}

void add_double(Raw& raw, std::vector<Case>& cases) {
  const CUdeviceptr x = raw.device_doubles(n), y = raw.device_memory(n * sizeof(double));
  auto* work = new ExpWork{raw, raw.function("exp_double"), y, x};
  cases.push_back({
      "exp f64, one launch a call",
      1000,
      [work, &raw](int repeats) {
        for (int i = 0; i < repeats; ++i)
          work->launch();
        raw.synchronize();
      },
      0,
      3.03,
  });
}

void add_written_by_kernel(Raw& raw, std::vector<Case>& cases, CUdeviceptr x, void* pinned) {
  auto* one = new ExpWork{raw, raw.function("exp_float"), as_device(pinned), x};
  auto* four = new ExpWork{
      raw,
      raw.function("exp_float4"),
      as_device(pinned),
      x,
      n / 4,
      quad_blocks,
  };
  for (ExpWork* work : {one, four}) {
    cases.push_back({
        work == one ? "exp f32 to host, kernel writes pinned memory"
                    : "exp f32 to host, kernel writes pinned memory by float4",
        200,
        [work, &raw](int repeats) {
          for (int i = 0; i < repeats; ++i) {
            work->launch();
            raw.synchronize();
          }
        },
        0,
        26.6,
    });
  }
}

void add_copied(Raw& raw, std::vector<Case>& cases, ExpWork* work, void* pinned, float* pageable) {
  const auto run = [work, &raw](int repeats, void* to, float* then) {
    for (int i = 0; i < repeats; ++i) {
      work->launch();
      require(raw.driver->copy_out(to, work->y, n * sizeof(float), raw.stream), "copy");
      raw.synchronize();
      if (then) std::memcpy(then, to, n * sizeof(float));
    }
  };
  cases.push_back({
      "exp f32 to host, copy to pinned memory",
      200,
      [=](int repeats) { run(repeats, pinned, nullptr); },
      0,
      34.9,
  });
  cases.push_back({
      "exp f32 to host, copy to pinned, then to pageable memory",
      200,
      [=](int repeats) { run(repeats, pinned, pageable); },
      0,
      95,
  });
  cases.push_back({
      "exp f32 to host, copy to pageable memory",
      200,
      [=](int repeats) { run(repeats, pageable, nullptr); },
      0,
      115,
  });
}

}  // namespace

void add_exp_cases(Raw& raw, std::vector<Case>& cases) {
  const CUdeviceptr x = raw.device_floats(n), y = raw.device_memory(n * sizeof(float));
  void* pinned = raw.pinned_memory(n * sizeof(float));
  auto* pageable = new float[n]();
  add_resident(raw, cases, y, x);
  add_double(raw, cases);
  add_written_by_kernel(raw, cases, x, pinned);
  add_copied(raw, cases, new ExpWork{raw, raw.function("exp_float"), y, x}, pinned, pageable);
}

}  // namespace hypatia::limits
