// Convolutions as compiled functions on the GPU, each by the kernel of its op and by cuDNN. The
// same ones in PyTorch are in bench/peers/gpu.py.
#include <array>
#include <cstdio>
#include <hypatia/hypatia.h>

#include "engine/core/error.h"

#include "bench/cuda_limits/engine_cases.h"

namespace hypatia::limits {

namespace {

struct Shape {
  std::int64_t images, channels, side, filters, filter_side;
};

// From where a launch is all that it takes to where the multiply-adds are: 0.9 million to 6.9
// thousand million multiplications.
constexpr std::array<Shape, 12> shapes{{
    {20, 6, 10, 8, 5},
    {20, 1, 24, 6, 5},
    {16, 8, 20, 8, 3},
    {32, 8, 24, 16, 3},
    {16, 16, 28, 16, 3},
    {64, 16, 28, 32, 3},
    {32, 128, 28, 128, 1},
    {60, 6, 50, 16, 7},
    {60, 1, 256, 6, 7},
    {32, 256, 14, 256, 3},
    {8, 3, 224, 64, 7},
    {64, 64, 56, 64, 3},
}};

std::string text(const Shape& s) {
  const std::string side = std::to_string(s.side), filter = std::to_string(s.filter_side);
  return std::to_string(s.images) + "x" + std::to_string(s.channels) + "x" + side + "x" + side +
         ", " + std::to_string(s.filters) + " filters of " + filter + "x" + filter;
}

Shared drawn(const Dims& dims, std::uint32_t seed) {
  return shared(
      RandomState(seed).uniform(-1, 1, dims).astype(DType::float32),
      "",
      {.broadcastable = std::vector<bool>(4, false)});
}

/// The function, called once while `enabled` holds: its plan stays what that made it.
void add(
    std::vector<Case>& cases,
    const std::string& name,
    int repeats,
    const Variable& value,
    const char* enabled) {
  const ChangeFlags flags({{"dnn.enabled", enabled}});
  try {
    const Function f = function({}, transfer(value, Place{0}));
    f().sync();
    cases.push_back(looped(name, repeats, f));
  } catch (const Error& error) {
    std::printf("%s is left out: %s\n", name.c_str(), error.summary().c_str());
  }
}

}  // namespace

void add_convolution_cases(std::vector<Case>& cases) {
  config().set("device", "cuda");
  config().set("force_device", true);
  for (const Shape& s : shapes) {
    const std::int64_t out = s.side - s.filter_side + 1;
    const Shared x = drawn({s.images, s.channels, s.side, s.side}, 1);
    const Shared w = drawn({s.filters, s.channels, s.filter_side, s.filter_side}, 2);
    const Shared y = drawn({s.images, s.filters, out, out}, 3);
    const double multiplications = static_cast<double>(s.images * s.filters * out * out) *
                                   static_cast<double>(s.channels * s.filter_side * s.filter_side);
    const int repeats = multiplications > 3e8 ? 30 : 300;
    const Variable result = conv2d(x, w);
    // With the results' gradients given, the convolution is all that there is to run.
    const Vars slopes = grad(Variable(), Vars{x, w}, {.known_grads = {{result, y}}});
    const std::array<std::pair<const char*, Variable>, 3> works{{
        {"conv2d f32 ", result},
        {"conv2d by images f32 ", slopes[0]},
        {"conv2d by filters f32 ", slopes[1]},
    }};
    for (const auto& [work, value] : works) {
      add(cases, work + text(s) + ", kernel", repeats, value, "False");
      add(cases, work + text(s) + ", cuDNN", repeats, value, "True");
    }
  }
}

}  // namespace hypatia::limits
