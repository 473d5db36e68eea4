// The same work as programs write it: function() on the GPU, beside its limits in the same run.
#include "bench/cuda_limits/engine_cases.h"

#include <hypatia/hypatia.h>

#include "engine/device/device.h"

namespace hypatia::limits {

namespace {

Array ramp(const Dims& dims) {
  Array values(DType::float32, dims);
  float* to = values.data<float>();
  for (std::int64_t i = 0; i < values.elements(); ++i)
    to[i] = static_cast<float>(i * 7919 % 10007) / 10007.0F;
  return values;
}

/// Calls that are submitted together.
Case submitted(const std::string& name, int repeats, const Function& f, double reference) {
  return {
      "engine: " + name,
      repeats,
      [f](int count) {
        f.fn({.n_calls = count});
        synchronize_all();
      },
      0,
      reference,
  };
}

/// Each call's results are waited for on the host.
Case awaited(const std::string& name, int repeats, std::function<Results()> f, double reference) {
  return {
      "engine: " + name,
      repeats,
      [f](int count) {
        for (int i = 0; i < count; ++i)
          f().sync();
      },
      0,
      reference,
  };
}

void add_exp(std::vector<Case>& cases) {
  const Shared x = shared(ramp({230'400}), "x");
  const Function resident = function({}, transfer(exp(x), Place{0}));
  const Function to_host = function({}, exp(x));
  cases.push_back(looped("exp f32, result stays on the device", 1000, resident, 3.33));
  cases.push_back(submitted(
      "exp f32, result stays on the device, 1000 calls in one submission", 1000, resident, 1.39));
  cases.push_back(looped("exp f32, results on the host, the last one awaited", 500, to_host, 0));
  cases.push_back(awaited(
      "exp f32, result on the host each call", 200, [to_host] { return to_host(); }, 26.6));
}

void add_logistic(std::vector<Case>& cases) {
  const Shared x = shared(ramp({400, 784}), "x"), y = shared(ramp({400}), "y");
  const Shared w = shared(ramp({784}), "w"), b = shared(Array(0.0F), "b");
  const Variable p = sigmoid(dot(x, w) + b);
  const Variable cost = mean(-y * log(p) - (1.0F - y) * log(1.0F - p)) + 0.01F * sum(sqr(w));
  const Vars gradients = grad(cost, Vars{w, b});
  const Function train = function(
      {},
      Outputs{},
      {.updates = {{w, w - 0.1F * gradients[0]}, {b, b - 0.1F * gradients[1]}}, .name = "train"});
  cases.push_back(looped("logistic step f32, data resident", 500, train, 7.6));
  cases.push_back(
      submitted("logistic step f32, data resident, 640 steps in one submission", 640, train, 7.6));
}

void add_line(std::vector<Case>& cases) {
  const Variable m = matrix("m", DType::float32), x = matrix("x", DType::float32);
  const Variable b = matrix("b", DType::float32);
  const Function line = function({m, x, b}, dot(m, x) + b);
  const Array values = ramp({1000, 1000});
  cases.push_back(awaited(
      "y = m x + b, 1000x1000 f32, all from and to the host",
      10,
      [=] { return line(values, values, values); },
      0));
}

}  // namespace

Case looped(const std::string& name, int repeats, Function f, double reference) {
  return {
      "engine: " + name,
      repeats,
      [f](int count) {
        Results last;
        for (int i = 0; i < count; ++i)
          last = f();
        last.sync();
        synchronize_all();
      },
      0,
      reference,
  };
}

void add_engine_cases(Raw&, std::vector<Case>& cases) {
  config().set("device", "cuda");
  config().set("force_device", true);
  config().float_x(DType::float32);
  add_exp(cases);
  add_logistic(cases);
  add_line(cases);
}

}  // namespace hypatia::limits
