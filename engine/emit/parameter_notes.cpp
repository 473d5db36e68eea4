#include "engine/emit/parameter_notes.h"

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

/// "y", "the result of CGemv{no_inplace}", "the new value of w", or nothing to tell.
std::string meaning(const Plan& plan, const Graph& graph, int number) {
  const Buffer* buffer = &plan.buffers[static_cast<std::size_t>(number)];
  while (buffer->base >= 0)
    buffer = &plan.buffers[static_cast<std::size_t>(buffer->base)];
  const auto which = static_cast<std::size_t>(buffer->number);
  if (buffer->kind == BufferKind::input) return graph.inputs()[which].name();
  if (buffer->kind == BufferKind::shared) return graph.shared()[which].name();
  if (buffer->kind == BufferKind::update) {
    const std::string& name = graph.updates()[which].target.name();
    return name.empty() ? "" : "the new value of " + name;
  }
  if (buffer->kind == BufferKind::output) return "output " + std::to_string(which);
  if (!buffer->maker) return "";
  const std::string& label = buffer->maker->name(0);
  return label.empty() ? "the result of " + print_name(*buffer->maker) : label;
}

}  // namespace

std::string parameter_notes(
    const Plan& plan, const Graph& graph, const KernelWork& work, Dialect dialect) {
  Helpers unused;
  const NestText text(work, dialect, &unused);
  const std::vector<int> buffers = parameters(work);
  std::string notes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string known = meaning(plan, graph, buffers[i]);
    if (known.empty() || buffers[i] == work.scratch) continue;
    // Names that hold the end of a comment would end this one.
    if (known.find("*/") != std::string::npos) continue;
    notes += (notes.empty() ? "" : ", ") + text.parameter_names()[i] + " is " + known;
  }
  return notes.empty() ? "" : "/* " + notes + ". */\n";
}

}  // namespace hypatia
