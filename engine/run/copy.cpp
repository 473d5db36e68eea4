// Function::copy: the optimised program again, with other shared variables or without updates.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/run/function_impl.h"
#include "engine/run/start_up.h"

namespace hypatia {

namespace {

/// The leaf of `like`'s place and type for another box.
Variable leaf_for(const Variable& like, const Shared& replacement) {
  const SharedBox& box = shared_box(replacement);
  if (!box.type.same(shared_box(like).type)) {
    throw Error(
        Error::Kind::dtype,
        "copy: a shared variable can only be swapped for one of the same type",
        "make the new one with the same dtype, rank and target")
        .with(describe(like, shared_box(like).type, "old"))
        .with(describe(replacement, box.type, "new"));
  }
  Variable leaf(
      Apply::make_typed(
          shared_op, {}, replacement.node().attrs(), {like.type()}, replacement.node().origin()),
      0);
  leaf.set_name(replacement.name());
  return leaf;
}

std::vector<std::pair<Variable, Variable>> swaps(const Graph& graph, const CopyOptions& options) {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (const auto& [from, to] : options.swap) {
    // Placing made a leaf of its own for the box, so that boxes are compared, not leaves.
    const auto found =
        std::find_if(graph.shared().begin(), graph.shared().end(), [&](const Variable& v) {
          return &shared_box(v) == &shared_box(from);
        });
    if (found == graph.shared().end()) {
      throw Error(
          Error::Kind::graph,
          "copy: the function does not use the shared variable that is to be swapped")
          .with(describe(from, from.type(), "shared"));
    }
    pairs.emplace_back(*found, leaf_for(*found, to));
  }
  return pairs;
}

Graph swapped(const Graph& graph, const CopyOptions& options) {
  const auto pairs = swaps(graph, options);
  Vars roots = graph.outputs();
  std::vector<Update> updates;
  if (!options.delete_updates) updates = graph.updates();
  for (const Update& u : updates)
    roots.push_back(u.value);
  roots = substitute(roots, pairs);
  const std::size_t outputs = graph.outputs().size();
  for (std::size_t i = 0; i < updates.size(); ++i) {
    updates[i].value = roots[outputs + i];
    for (const auto& [from, to] : pairs) {
      if (updates[i].target == from) updates[i].target = to;
    }
  }
  roots.resize(outputs);
  return Graph(graph.inputs(), std::move(roots), std::move(updates));
}

}  // namespace

FunctionImpl::FunctionImpl(const FunctionImpl& other, const CopyOptions& options)
    : name_(options.name.empty() ? other.name_ : options.name),
      origin_(other.origin_),
      asked_(other.asked_),
      mode_(other.mode_),
      graph_(swapped(other.graph_, options)),
      in_(other.in_),
      output_names_(other.output_names_),
      state_(other.state_),
      visible_outputs_(other.visible_outputs_),
      log_(other.log_),
      merge_kernels_(other.merge_kernels_),
      place_(other.place_),
      own_observer_(other.own_observer_),
      observer_(other.observer_) {
  const Graph source =
      swapped(Graph(graph_.inputs(), other.source_.outputs, other.source_.updates), options);
  source_ = {source.outputs(), source.updates()};
  find_shared();
  if (observer_) record_function(0);
}

}  // namespace hypatia
