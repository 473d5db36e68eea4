// The part of Specialised that has kernels compiled. Where it need not wait, the interpreter
// answers calls until they are ready.
#include <algorithm>
#include <mutex>
#include <set>

#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/run/specialised.h"
#include "engine/trace/span.h"

namespace hypatia {

namespace {

/// Says once why functions are interpreted.
void say_why_interpreted(const std::string& function, const Error& error) {
  static std::mutex mutex;
  static std::set<std::string>& said = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (!said.insert(error.summary()).second) return;
  warn(
      "'" + function + "' runs in the interpreter, which is slower: " + error.summary() +
      (error.help().empty() ? "" : "; " + error.help()));
}

/// Where the kernels of a module run, each place once.
std::vector<Place> places_of_kernels(const Plan& plan, const EmittedModule& emitted) {
  std::vector<Place> places;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Place place = plan.steps[s].place;
    const bool known = std::find(places.begin(), places.end(), place) != places.end();
    if (!emitted.kernels[s].launches.empty() && !known) places.push_back(place);
  }
  return places;
}

/// A loop's first call can be long: it waits for the compiler rather than being interpreted.
bool has_loops(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    const auto* kernel = std::get_if<KernelWork>(&step.work);
    return std::holds_alternative<LoopWork>(step.work) || (kernel && kernel->nest.recurrence);
  });
}

}  // namespace

void Specialised::compile(Dialect dialect) {
  EmittedModule emitted = emit_module(plan_, context_.graph, dialect, context_.name);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    if (!emitted.kernels[s].buffers.empty()) bound_[s].buffers = emitted.kernels[s].buffers;
  }
  if (emitted.sources.empty()) return;
  for (const KernelSource& source : emitted.sources)
    source_ += source.text;
  if (dialect == Dialect::host_c && context_.interpret_only) return;
  const Span span(context_.observer, EventKind::compile, "kernels of " + context_.name);
  start_compiling(dialect, emitted);
  take_compiled(dialect == Dialect::cuda_c || context_.wait_for_compiler || has_loops(plan_));
}

void Specialised::start_compiling(Dialect dialect, const EmittedModule& emitted) {
  const bool on_host = dialect == Dialect::host_c;
  for (const Place place : places_of_kernels(plan_, emitted)) {
    const std::size_t first = making_.size();
    for (const KernelSource& source : emitted.sources) {
      Making making;
      making.on_host = on_host;
      try {
        making.module = device_at(place).compile_later(source);
      } catch (const Error& error) {
        if (!on_host || error.kind() != Error::Kind::compile) throw;
        say_why_interpreted(context_.name, error);
      }
      making_.push_back(std::move(making));
    }
    for (std::size_t s = 0; s < bound_.size(); ++s) {
      const EmittedKernel& kernel = emitted.kernels[s];
      if (kernel.launches.empty() || !(plan_.steps[s].place == place)) continue;
      making_[first + kernel.source].launches.emplace_back(s, kernel.launches);
    }
  }
}

void Specialised::take_compiled(bool wait) {
  for (Making& making : making_) {
    if (making.module && (wait || making.module->ready())) bind_kernels(making);
  }
  making_.erase(
      std::remove_if(
          making_.begin(), making_.end(), [](const Making& making) { return !making.module; }),
      making_.end());
}

void Specialised::bind_kernels(Making& making) {
  const std::unique_ptr<PendingModule> pending = std::move(making.module);
  Ref<Module> module;
  try {
    module = pending->get();
  } catch (const Error& error) {
    // Without a compiler the interpreter runs the same loops.
    if (!making.on_host || error.kind() != Error::Kind::compile) throw;
    say_why_interpreted(context_.name, error);
    return;
  }
  for (const auto& [step, launches] : making.launches) {
    for (const EmittedLaunch& l : launches)
      bound_[step].launches.push_back({&module->find(l.entry), l.launch});
  }
  modules_.push_back(std::move(module));
}

}  // namespace hypatia
