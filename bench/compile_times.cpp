#include "bench/compile_times.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <hypatia/hypatia.h>
#include <stdlib.h>
#include <vector>

#include "engine/device/cpu/toolchain.h"

namespace hypatia::bench {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// An expression of about `nodes` nodes: elementwise work with a sum every so often, as models and
/// their gradients have it.
Variable deep(const Variable& x, int nodes) {
  Variable y = x;
  for (int made = 0; made < nodes;) {
    y = tanh(y * 1.5 + x) - sigmoid(y);
    made += 5;
    if (made % 100 == 0) {
      y = y / (1 + sum(y));
      made += 4;
    }
  }
  return sum(y);
}

struct Spent {
  double build = 0, rewrite = 0, plan = 0, compile = 0;

  double total() const { return build + rewrite + plan + compile; }
};

Spent spent_on(int nodes) {
  Spent spent;
  const Array value = Array::ones(DType::float64, {100});
  const Variable x = vector("x", DType::float64);
  Clock::time_point start = Clock::now();
  const Variable y = deep(x, nodes);
  spent.build = since(start);
  start = Clock::now();
  const Function f = function({x}, y, {.name = "deep"});
  spent.rewrite = since(start);
  {
    const Function interpreted = function({x}, y, {.name = "deep", .mode = {.linker = "vm"}});
    start = Clock::now();
    interpreted(value);
    spent.plan = since(start);
  }
  start = Clock::now();
  f(value);
  spent.compile = std::max(0.0, since(start) - spent.plan);
  return spent;
}

Function logistic(const Array& x_values, const Array& y_values, const std::string& name) {
  const DType f32 = DType::float32;
  const Shared x = shared(x_values, "x"), y = shared(y_values, "y");
  const Shared w = shared(Array::zeros(f32, {784}), "w"), b = shared(Array::zeros(f32, {}), "b");
  const Variable p_1 = 1 / (1 + exp(-dot(x, w) - b));
  const Variable xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  const Variable cost = cast(xent.mean(), f32) + 0.01F * sum(sqr(w));
  const Vars g = grad(cost, {w, b});
  return function(
      {},
      {p_1 > 0.5, xent},
      {.updates = {{w, w - 0.1F * g[0]}, {b, b - 0.1F * g[1]}}, .name = name});
}

/// One run of the compiler's driver on the same text with the same flags.
double direct_run(const std::string& text, const fs::path& folder) {
  std::ofstream(folder / "direct.c") << text;
  std::string command = "cc";
  for (const std::string& flag : kernel_flags(false))
    command += " " + flag;
  command += " -shared -nostdlib -o " + (folder / "direct.so").string() + " " +
             (folder / "direct.c").string();
  const Clock::time_point start = Clock::now();
  const bool good = std::system(command.c_str()) == 0;
  return good ? since(start) : 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void first_answers(const fs::path& folder) {
  const Array x = RandomState(22).randn({400, 784}).astype(DType::float32);
  const Array y = Array::ones(DType::float32, {400});
  std::vector<double> interpreted, compiled, direct, loaded;
  const auto first_answer = [&](const std::string& name, bool wait, std::string* text) {
    config().set("compile.background", !wait);
    const Function f = logistic(x, y, name);
    const Clock::time_point start = Clock::now();
    f();
    const double seconds = since(start);
    if (text) *text = f.source();
    return seconds;
  };
  for (int round = 0; round < 9; ++round) {
    const std::string name = "train_" + std::to_string(round);
    std::string text;
    interpreted.push_back(first_answer(name + "_at_once", false, nullptr));
    compiled.push_back(first_answer(name, true, nullptr));
    loaded.push_back(first_answer(name, true, &text));
    direct.push_back(direct_run(text, folder));
  }
  std::printf(
      "\nlogistic regression, medians of 9 first answers: interpreted %.2f ms, compiled %.1f ms "
      "(one "
      "direct compiler run: %.1f ms, ratio %.2f), from the cache %.2f ms\n",
      median(interpreted) * 1e3,
      median(compiled) * 1e3,
      median(direct) * 1e3,
      median(compiled) / median(direct),
      median(loaded) * 1e3);
}

}  // namespace

int compile_times(int most) {
  std::string pattern = (fs::temp_directory_path() / "hypatia-times-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  config().set("base_compiledir", folder.string());
  config().set("compile.background", false);
  std::printf(
      "%8s %10s %10s %10s %10s %10s %12s\n",
      "nodes",
      "build s",
      "rewrite s",
      "plan s",
      "compile s",
      "total s",
      "us a node");
  for (const int nodes : {100, 200, 500, 1000, 2000, 5000, 10'000, 20'000, 50'000}) {
    if (nodes > most) break;
    const Spent spent = spent_on(nodes);
    std::printf(
        "%8d %10.4f %10.4f %10.4f %10.4f %10.4f %12.1f\n",
        nodes,
        spent.build,
        spent.rewrite,
        spent.plan,
        spent.compile,
        spent.total(),
        spent.total() / nodes * 1e6);
    std::fflush(stdout);
  }
  first_answers(folder);
  fs::remove_all(folder);
  return 0;
}

}  // namespace hypatia::bench
