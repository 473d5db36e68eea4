#include "engine/emit/emit.h"

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

bool runs_in(const Step& step, Dialect dialect) {
  return std::holds_alternative<KernelWork>(step.work) &&
         step.place.on_host() == (dialect == Dialect::host_c);
}

/// "/* k3: nodes and formulas of the kernel below. */"
std::string comment(
    const Step& step,
    const KernelWork& work,
    const Graph& graph,
    const std::string& name,
    Dialect dialect) {
  Helpers unused;
  std::string over = to_text(work.nest.extents), formulas;
  if (work.beside.empty()) {
    formulas = NestText(work, dialect, &unused).formulas();
  } else {
    formulas = NestText(KernelWork{work.nest}, dialect, &unused).formulas();
  }
  for (const LoopNest& nest : work.beside) {
    over += " and " + to_text(nest.extents);
    formulas += " * beside it:\n" + NestText(KernelWork{nest}, dialect, &unused).formulas();
  }
  std::string lines = "/* " + name + ", over " + over + ":\n";
  for (const StepShare& share : step.shares) {
    lines += " * " + print_name(*graph.order()[share.node]) + "\n";
  }
  return lines + formulas + " */\n";
}

}  // namespace

EmittedModule emit_module(
    const Plan& plan, const Graph& graph, Dialect dialect, const std::string& name) {
  EmittedModule module;
  module.source.dialect = dialect;
  module.source.name = name;
  module.kernels.resize(plan.steps.size());
  Helpers helpers;
  std::string text;
  int number = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    if (!runs_in(step, dialect)) continue;
    const auto& work = std::get<KernelWork>(step.work);
    const std::string kernel_name = "k" + std::to_string(number++);
    KernelText kernel = dialect == Dialect::host_c ? emit_host(work, kernel_name, &helpers)
                                                   : emit_cuda(work, kernel_name, &helpers);
    text += comment(step, work, graph, kernel_name, dialect) + kernel.text;
    for (const EmittedLaunch& l : kernel.launches)
      module.source.entries.push_back(l.entry);
    module.kernels[s] = {std::move(kernel.launches), parameters(work)};
  }
  if (number == 0) return module;
  module.source.text = "/* " + name + ": made by Hypatia for the sizes of one call. */\n\n" +
                       prelude(helpers, dialect) + "\n" + text;
  return module;
}

}  // namespace hypatia
