// Runs the solution that it is linked with, and times its kernels in loops; see README.md.
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <hypatia/hypatia.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/device/cuda/capture.h"

#include "bench/cuda_limits/report.h"
#include "bench/kernel_loops/catcher.h"
#include "bench/kernel_loops/loops.h"

// The solution's main, in the one form that it has.
[[gnu::weak]] int solution_main();
[[gnu::weak]] int solution_main(int count, char** words);

namespace {

using namespace hypatia;
using namespace hypatia::kernel_loops;

struct Options {
  bool traced = false;
  std::string json;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--traced") {
      options.traced = true;
    } else if (word == "--json" && i + 1 < count) {
      options.json = words[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--traced] [--json FILE]; got %s\n", words[0], word.c_str());
      std::exit(2);
    }
  }
  return options;
}

[[noreturn]] void stop(int code, const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(code);
}

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : name;
  std::free(text);
  return result;
}

nlohmann::json json_of(const LoopResult& result) {
  nlohmann::json out{{"period_ns", result.period}};
  if (result.stamps.kernels == 0) return out;
  out["duration_ns"] = result.stamps.duration;
  out["mean_duration_ns"] = result.stamps.mean_duration;
  out["gap_ns"] = result.stamps.gap;
  out["stamped_period_ns"] = result.stamps.period;
  out["stamps"] = result.stamps.kernels;
  return out;
}

/// Times every kernel of the steps that it is shown.
class Timer {
 public:
  Timer(const Driver& driver, Stamps* stamps) : driver_(driver), stamps_(stamps) {}

  void operator()(const CaughtStep& step) {
    if (!loops_) loops_.emplace(driver_, step.device, stamps_);
    const CUgraph graph = static_cast<const CudaReplay&>(step.replay).graph();
    const std::vector<GraphKernel> kernels = loops_->kernels_of(graph);
    Snapshot snapshot(driver_);
    bool restored = true;
    for (const GraphKernel& kernel : kernels)
      restored &= snapshot.add(kernel, loops_->stream());
    for (const GraphKernel& kernel : kernels) {
      const auto& p = kernel.params;
      rows.push_back({
          {"function", step.function},
          {"plan", step.plan},
          {"step", step.step},
          {"step_name", step.name},
          {"kernel", demangled(kernel.name)},
          {"grid", {p.gridDimX, p.gridDimY, p.gridDimZ}},
          {"block", {p.blockDimX, p.blockDimY, p.blockDimZ}},
          {"shared_bytes", p.sharedMemBytes},
          {"registers", kernel.registers},
          {"restored", restored},
          {"loop", json_of(loops_->run(kernel, snapshot))},
          {"empty", json_of(loops_->run_empty_twin(kernel))},
      });
    }
  }

  nlohmann::json rows = nlohmann::json::array();

 private:
  const Driver& driver_;
  Stamps* stamps_;
  std::optional<Loops> loops_;
};

// What the factory hands out, and what it fills. Never destroyed: functions of static lifetime may
// report after main.
std::shared_ptr<Observer> the_catcher;

/// Products' library starts outside of any capture.
void start_library() {
  const Shared w = shared(Array::ones(DType::float32, {512, 512}), "w");
  const Function f = function({}, dot(w, w));
  f().sync();
}

int run_solution(char* name) {
  const auto with_words = static_cast<int (*)(int, char**)>(&solution_main);
  const auto plain = static_cast<int (*)()>(&solution_main);
  char* words[] = {name, nullptr};
  return with_words ? with_words(1, words) : plain();
}

}  // namespace

int main(int count, char** words) {
  const Options options = parse(count, words);
  const FoundDriver found = find_driver();
  CUdevice device = 0;
  if (!found.driver || found.driver->device(&device, 0) != CUDA_SUCCESS) {
    stop(3, "no CUDA device: " + found.reason);
  }
  std::string reason;
  const std::unique_ptr<Stamps> stamps = options.traced ? Stamps::open(reason) : nullptr;
  if (options.traced && !stamps) stop(3, reason);
  config().set("device", "cuda");
  config().set("force_device", true);
  config().float_x(DType::float32);
  start_library();
  config().set("profile", true);
  auto& timer = *new Timer(*found.driver, stamps.get());
  the_catcher = std::make_shared<Catcher>([&timer](const CaughtStep& step) { timer(step); });
  set_observer_factory([](const ProfileRequest&) { return the_catcher; });
  if (const int code = run_solution(words[0])) return code;
  nlohmann::json result = limits::head(*found.driver, device, "kernels in loops", Loops::rounds);
  result["traced"] = options.traced;
  result["rows"] = timer.rows;
  std::printf("%zu kernels were timed\n", timer.rows.size());
  if (options.json.empty() || limits::write_by_rename(options.json, result.dump(1))) return 0;
  stop(1, "can't write " + options.json);
}
