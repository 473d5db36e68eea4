#include "engine/emit/emit.h"

#include "engine/emit/nest_text.h"
#include "engine/emit/parameter_notes.h"

namespace hypatia {

namespace {

// How much one source holds, in steps of scalar programs: compilers need more than linear time for
// long texts, and several sources compile side by side.
constexpr std::size_t most_work_in_source = 1600;
// What a kernel costs the compiler beside its program, in the same unit.
constexpr std::size_t work_of_kernel = 20;

bool runs_in(const Step& step, Dialect dialect) {
  return kernel_of(step) && step.place.on_host() == (dialect == Dialect::host_c);
}

/// A text for a comment: users' names may hold a comment's end.
std::string inside_comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos; at += 3)
    text.insert(at + 1, " ");
  return text;
}

/// "/* k3: nodes and formulas of the kernel below. */"
std::string comment(
    const Step& step,
    const KernelWork& work,
    const std::vector<BodyNode>& nodes,
    const std::string& name,
    Dialect dialect) {
  Helpers unused;
  std::string over = to_text(work.nest.extents), formulas;
  if (work.beside.empty() && !work.own) {
    formulas = NestText(work, dialect, &unused).formulas();
  } else if (!work.own) {
    formulas = NestText(KernelWork{work.nest}, dialect, &unused).formulas();
  }
  for (const LoopNest& nest : work.beside) {
    over += " and " + to_text(nest.extents);
    formulas += " * beside it:\n" + NestText(KernelWork{nest}, dialect, &unused).formulas();
  }
  std::string lines = "/* " + name + ", over " + over + ":\n";
  for (const StepShare& share : step.shares) {
    lines += " * " + inside_comment(print_name(*nodes[share.node].node)) + "\n";
  }
  return lines + formulas + " */\n";
}

/// Collects kernels into sources.
class Emitter {
 public:
  Emitter(const Plan& plan, const Graph& graph, Dialect dialect, const std::string& name)
      : plan_(plan),
        graph_(graph),
        nodes_(nodes_with_bodies(graph)),
        dialect_(dialect),
        name_(name) {
    module_.kernels.resize(plan.steps.size());
  }

  EmittedModule run() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (runs_in(plan_.steps[s], dialect_)) add(s);
    }
    if (!text_.empty()) close();
    name_sources();
    return std::move(module_);
  }

 private:
  void add(std::size_t s) {
    const Step& step = plan_.steps[s];
    const KernelWork& work = *kernel_of(step);
    const std::size_t size = work.nest.program.steps.size() + work_of_kernel;
    if (!text_.empty() && size_ + size > most_work_in_source) close();
    size_ += size;
    const std::string name = "k" + std::to_string(number_++);
    KernelText kernel = emit_kernel(work, name, dialect_, &helpers_);
    text_ += comment(step, work, nodes_, name, dialect_);
    text_ += parameter_notes(plan_, graph_, work, dialect_) + kernel.text;
    for (const EmittedLaunch& l : kernel.launches) {
      entries_.push_back(l.entry);
      names_.push_back(step.name);
    }
    module_.kernels[s] = {module_.sources.size(), std::move(kernel.launches), parameters(work)};
  }

  void close() {
    KernelSource source;
    source.dialect = dialect_;
    source.name = name_;
    source.text = prelude(helpers_, dialect_) + "\n" + text_;
    source.entries = std::move(entries_);
    source.nodes = std::move(names_);
    module_.sources.push_back(std::move(source));
    text_.clear();
    entries_.clear();
    names_.clear();
    helpers_.clear();
    size_ = 0;
  }

  void name_sources() {
    const std::size_t count = module_.sources.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::string title =
          "/* " + inside_comment(name_) + ": made by Hypatia for the sizes of one call";
      if (count > 1) title += ", part " + std::to_string(i + 1) + " of " + std::to_string(count);
      module_.sources[i].text.insert(0, title + ". */\n\n");
    }
  }

  const Plan& plan_;
  const Graph& graph_;
  std::vector<BodyNode> nodes_;
  Dialect dialect_;
  const std::string& name_;
  EmittedModule module_;
  Helpers helpers_;
  std::string text_;
  std::vector<std::string> entries_, names_;
  std::size_t size_ = 0;
  int number_ = 0;
};

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
  return Emitter(plan, graph, dialect, name).run();
}

}  // namespace hypatia
