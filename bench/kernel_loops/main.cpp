// Runs the solution that it is linked with, and times its kernels in loops; see README.md.
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <hypatia/hypatia.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/device/cuda/capture.h"

#include "bench/cuda_limits/raw.h"
#include "bench/cuda_limits/report.h"
#include "bench/kernel_loops/catcher.h"
#include "bench/kernel_loops/loops.h"

// The solution's main, in the one form that it has.
[[gnu::weak]] int solution_main();
[[gnu::weak]] int solution_main(int count, char** words);

namespace {

using namespace hypatia;
using namespace hypatia::kernel_loops;
using limits::require;

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

nlohmann::json sizes_json(const std::array<int, 3>& sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

/// Of a loop over one kernel.
nlohmann::json json_of(const LoopResult& result) {
  nlohmann::json out{{"period_ns", result.period}};
  if (result.stamps.stamps == 0) return out;
  out["duration_ns"] = result.stamps.durations[0];
  out["mean_duration_ns"] = result.stamps.running;
  out["gap_ns"] = result.stamps.gaps;
  out["stamped_period_ns"] = result.stamps.period;
  out["stamps"] = result.stamps.stamps;
  return out;
}

/// Times every kernel of the steps that it is shown, alone and in what runs together.
class Timer final : public Audience {
 public:
  Timer(const Driver& driver, Stamps* stamps) : driver_(driver), stamps_(stamps) {}

  void before(const CaughtStep& step) override {
    if (!loops_) loops_.emplace(driver_, *step.device, stamps_);
    if (!before_) before_ = std::make_unique<Snapshot>(driver_), restored_ = true;
    restored_ &= keep(*before_, step);
  }

  void after(const CaughtStep& step) override {
    Snapshot snapshot(driver_);
    const bool restored = keep(snapshot, step);
    for (const GraphKernel& kernel : loops_->kernels_of(graph_of(step))) {
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
      });
      put_back(snapshot);
    }
  }

  void after_all(std::span<const CaughtStep> steps) override {
    Snapshot now(driver_);
    std::vector<CUgraph> graphs;
    for (const CaughtStep& step : steps) {
      restored_ &= keep(now, step);
      if (loops_->works_in(graph_of(step)) != 0) graphs.push_back(graph_of(step));
    }
    if (!graphs.empty()) {
      const LoopResult result = loops_->run(graphs, *before_);
      std::vector<double> apart;
      if (result.stamps.stamps != 0) apart = loops_->durations_apart(graphs, *before_);
      add_together(steps, result, apart);
    }
    put_back(now);
    before_.reset();
  }

  nlohmann::json rows = nlohmann::json::array(), together = nlohmann::json::array();

 private:
  static CUgraph graph_of(const CaughtStep& step) {
    return static_cast<const CudaReplay&>(*step.replay).graph();
  }

  bool keep(Snapshot& snapshot, const CaughtStep& step) const {
    bool all = true;
    for (const GraphKernel& kernel : loops_->kernels_of(graph_of(step)))
      all &= snapshot.add(kernel, loops_->stream());
    require(driver_.synchronize_stream(loops_->stream()), "saving what kernels write");
    return all;
  }

  void put_back(const Snapshot& snapshot) const {
    snapshot.restore(loops_->stream());
    require(driver_.synchronize_stream(loops_->stream()), "putting memory back");
  }

  void add_together(
      std::span<const CaughtStep> steps,
      const LoopResult& result,
      const std::vector<double>& apart) {
    nlohmann::json row{
        {"function", steps.front().function},
        {"plan", steps.front().plan},
        {"steps", {steps.front().step, steps.back().step}},
        {"restored", restored_},
        {"period_ns", result.period},
    };
    if (result.stamps.stamps != 0) {
      row["running_ns"] = result.stamps.running;
      row["gaps_ns"] = result.stamps.gaps;
      row["works"] = works_json(steps, result, apart);
    }
    together.push_back(row);
  }

  /// Work is the steps' in their order.
  nlohmann::json works_json(
      std::span<const CaughtStep> steps,
      const LoopResult& result,
      const std::vector<double>& apart) const {
    nlohmann::json works = nlohmann::json::array();
    for (const CaughtStep& step : steps) {
      const std::size_t end = works.size() + loops_->works_in(graph_of(step));
      while (works.size() < end) {
        const SeenWork& seen = result.works[works.size()];
        works.push_back({
            {"step", step.step},
            {"kernel", demangled(seen.name)},
            {"grid", sizes_json(seen.grid)},
            {"block", sizes_json(seen.block)},
            {"registers", seen.registers},
            {"duration_ns", result.stamps.durations[works.size()]},
            {"apart_ns", apart[works.size()]},
        });
      }
    }
    return works;
  }

  const Driver& driver_;
  Stamps* stamps_;
  std::optional<Loops> loops_;
  std::unique_ptr<Snapshot> before_;  // of what now runs together
  bool restored_ = true;
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
  the_catcher = std::make_shared<Catcher>(timer);
  set_observer_factory([](const ProfileRequest&) { return the_catcher; });
  if (const int code = run_solution(words[0])) return code;
  nlohmann::json result = limits::head(*found.driver, device, "kernels in loops", Loops::rounds);
  result["traced"] = options.traced;
  result["rows"] = timer.rows;
  result["together"] = timer.together;
  std::printf(
      "%zu kernels were timed alone, and %zu functions' work on the GPU as a whole\n",
      timer.rows.size(),
      timer.together.size());
  if (options.json.empty() || limits::write_by_rename(options.json, result.dump(1))) return 0;
  stop(1, "can't write " + options.json);
}
