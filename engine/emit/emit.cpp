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
    const std::vector<BodyNode>& nodes,
    const std::string& name,
    Dialect dialect) {
  Helpers unused;
  const NestText text(work, dialect, &unused);
  std::string lines = "/* " + name + ", over " + to_text(work.nest.extents) + ":\n";
  for (const StepShare& share : step.shares) {
    lines += " * " + print_name(*nodes[share.node].node) + "\n";
  }
  return lines + (work.own ? "" : text.formulas()) + " */\n";
}

}  // namespace

KernelText emit_kernel(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers) {
  if (work.own) return emit_own(work, name, dialect, helpers);
  if (work.nest.recurrence) return emit_recurrence(work, name, dialect, helpers);
  return dialect == Dialect::host_c ? emit_host(work, name, helpers)
                                    : emit_cuda(work, name, helpers);
}

EmittedModule emit_module(
    const Plan& plan, const Graph& graph, Dialect dialect, const std::string& name) {
  EmittedModule module;
  module.source.dialect = dialect;
  module.source.name = name;
  module.kernels.resize(plan.steps.size());
  Helpers helpers;
  const std::vector<BodyNode> nodes = nodes_with_bodies(graph);
  std::string text;
  int number = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    if (!runs_in(step, dialect)) continue;
    const auto& work = std::get<KernelWork>(step.work);
    const std::string kernel_name = "k" + std::to_string(number++);
    KernelText kernel = emit_kernel(work, kernel_name, dialect, &helpers);
    text += comment(step, work, nodes, kernel_name, dialect) + kernel.text;
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
