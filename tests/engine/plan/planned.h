#pragma once
// Plans as a GPU would get them, without one.
#include <deque>
#include <unordered_map>
#include <vector>

#include "engine/graph/concrete.h"
#include "engine/plan/plan.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

/// The plan of a function whose results stay on the GPU.
inline Plan planned(
    const Vars& inputs,
    const Vars& outputs,
    const std::vector<Dims>& sizes,
    const PlanOptions& options = {},
    const std::vector<Update>& updates = {}) {
  Vars there;
  for (const Variable& v : outputs)
    there.push_back(transfer(v, Place{0}));
  // Nodes live as long as a graph that holds them, and plans look at them.
  static std::deque<Graph> all;
  Graph& graph = all.emplace_back(inputs, there, updates);
  for (const Pass& pass : pipeline())
    graph = run_pass(pass, graph, PassContext{Place{0}});
  std::unordered_map<Variable, Type, VariableHash> types;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Variable& v = graph.inputs()[i];
    types.emplace(v, v.type().with_dims(sizes[i]));
  }
  return make_plan(graph, Concrete(graph, types), options);
}

/// Its loop nests, launch by launch.
inline std::vector<const KernelWork*> kernels(const Plan& plan) {
  std::vector<const KernelWork*> found;
  for (const Step& step : plan.steps) {
    if (const auto* work = std::get_if<KernelWork>(&step.work)) found.push_back(work);
  }
  return found;
}

}  // namespace hypatia
