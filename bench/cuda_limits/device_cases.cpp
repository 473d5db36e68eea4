// The exp test through the engine's device layer, beside its raw forms.
#include <cstdio>
#include <cstdlib>

#include "engine/device/cuda/cuda.h"

#include "bench/cuda_limits/kernels.h"
#include "bench/cuda_limits/raw.h"

namespace hypatia::limits {

namespace {

constexpr int n = 230'400;
constexpr std::size_t bytes = n * sizeof(float);

/// One call of exp on the device layer: memory for the result, then the launch.
struct Layer {
  Device& device;
  Ref<Module> module;
  const Kernel& kernel;
  Ref<Storage> x;
  Launch launch;

  explicit Layer(Device& on)
      : device(on), module(on.compile(kernels())), kernel(module->find("exp_float")) {
    x = device.allocate(bytes);
    device.fill(*x, 0, 0x3f, bytes, nullptr);
    launch.grid = {n / 256, 1, 1};
    launch.block = {256, 1, 1};
  }

  void run(const Storage& to) const {
    void *y = to.data(), *from = x->data();
    int count = n;
    std::array<void*, 3> args{&y, &from, &count};
    device.launch(kernel, launch, args.data(), nullptr);
  }
};

void add_resident(Layer& layer, std::vector<Case>& cases) {
  cases.push_back({
      "device layer: exp f32, one launch a call, fresh memory each time",
      1000,
      [&layer](int repeats) {
        Ref<Storage> result;
        for (int i = 0; i < repeats; ++i) {
          result = layer.device.allocate(bytes);
          layer.run(*result);
        }
        layer.device.synchronize();
      },
      0,
      3.33,
  });
  auto* held = new Ref<Storage>(layer.device.allocate(bytes));
  layer.device.begin_capture(nullptr);
  layer.run(**held);
  auto* replay = new Ref<Replay>(layer.device.end_capture(nullptr));
  cases.push_back({
      "device layer: exp f32, replay, arguments updated where they changed",
      1000,
      [&layer, held, replay](int repeats) {
        void* before = (*held)->data();
        Ref<Storage> result;
        for (int i = 0; i < repeats; ++i) {
          result = layer.device.allocate(bytes);
          void *y = result->data(), *from = layer.x->data();
          int count = n;
          std::array<void*, 3> args{&y, &from, &count};
          if (y != before) (*replay)->set_launch(0, layer.launch, args.data());
          before = y;
          layer.device.submit(**replay, nullptr);
        }
        layer.device.synchronize();
      },
      0,
      2.43,
  });
}

void add_to_host(Layer& layer, std::vector<Case>& cases) {
  cases.push_back({
      "device layer: exp f32 to host, kernel writes pinned memory",
      200,
      [&layer](int repeats) {
        for (int i = 0; i < repeats; ++i) {
          const Ref<Storage> result = layer.device.allocate_pinned(bytes);
          layer.run(*result);
          layer.device.mark_written(*result, nullptr);
          result->wait();
        }
      },
      0,
      26.6,
  });
  cases.push_back({
      "device layer: exp f32 to host, copy to pinned memory",
      200,
      [&layer](int repeats) {
        for (int i = 0; i < repeats; ++i) {
          const Ref<Storage> y = layer.device.allocate(bytes);
          layer.run(*y);
          const Ref<Storage> result = layer.device.allocate_pinned(bytes);
          layer.device.copy_out(*result, 0, *y, 0, bytes, nullptr);
          result->wait();
        }
      },
      0,
      34.9,
  });
}

}  // namespace

void add_device_cases(Raw&, std::vector<Case>& cases) {
  static Opened opened = open_cuda("cuda0", Place{0});
  if (!opened.device) {
    std::fprintf(stderr, "no CUDA device: %s\n", opened.reason.c_str());
    std::exit(3);
  }
  static Layer layer(*opened.device);
  add_resident(layer, cases);
  add_to_host(layer, cases);
}

}  // namespace hypatia::limits
