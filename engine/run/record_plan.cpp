// What a recording is told of a plan.
#include <algorithm>

#include "engine/plan/accesses.h"
#include "engine/run/specialised.h"

namespace hypatia {

namespace {

std::string sizes_text(const Plan& plan, const Graph& graph) {
  std::string text;
  for (const Buffer& b : plan.buffers) {
    if (b.kind != BufferKind::input && b.kind != BufferKind::shared) continue;
    const Vars& leaves = b.kind == BufferKind::input ? graph.inputs() : graph.shared();
    const std::string& name = leaves[static_cast<std::size_t>(b.number)].name();
    const char* kind = b.kind == BufferKind::input ? "an input" : "a shared variable";
    text += (text.empty() ? "" : ", ") + (name.empty() ? kind : name) + ": " +
            std::to_string(b.bytes) + " bytes";
  }
  return text;
}

/// By step, the position of the loop that it belongs to; -1 outside of loops.
std::vector<int> loops_of_steps(const Plan& plan, const Graph& graph) {
  std::vector<int> loops(plan.steps.size(), -1);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const auto* loop = std::get_if<LoopWork>(&plan.steps[s].work);
    if (!loop) continue;
    const auto first = loops.begin() + static_cast<std::ptrdiff_t>(s);
    std::fill(first, first + 1 + loop->steps, graph.position(loop->node));
    s += static_cast<std::size_t>(loop->steps);
  }
  return loops;
}

std::string layout_text(const Located& at) {
  return to_text(at.layout.dims);
}

/// "(400, 784) (784, 1) -> (400, 1)" of what a step reads and writes.
std::string shapes_text(const Step& step) {
  std::string in, out;
  if (const auto* loop = std::get_if<LoopWork>(&step.work)) {
    return std::to_string(loop->trips) + " trips";
  }
  for_each_access(step, [&](const Located& at, bool writes) {
    if (writes) {
      out += " " + layout_text(at);
    } else {
      in += layout_text(at) + " ";
    }
  });
  return in + "->" + out;
}

/// The step that computes a node; the first one for views, which nothing computes.
int step_of(const Plan& plan, std::uint32_t node) {
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    for (const StepShare& share : plan.steps[s].shares) {
      if (share.node == node) return static_cast<int>(s);
    }
  }
  return 0;
}

}  // namespace

std::uint32_t record_plan(
    const FunctionContext& context, const Plan& plan, const std::string& source, bool captures) {
  PlanRecord record;
  record.function = context.function_id;
  record.dims = sizes_text(plan, context.graph);
  if (!source.empty()) record.sources.push_back(source);
  for (const Step& step : plan.steps) {
    const bool has_source = kernel_of(step) && !source.empty();
    record.steps.push_back({
        step.name,
        step.side,
        step.shares,
        step.flops,
        step.bytes,
        has_source ? 0 : -1,
        shapes_text(step),
    });
  }
  if (captures) {
    for (const char* submission : {"replay", "replay of several calls"})
      record.steps.push_back({submission, Side::gpu, {}, 0, 0, -1, ""});
  }
  const std::vector<int> loops = loops_of_steps(plan, context.graph);
  for (const Buffer& b : plan.buffers) {
    int node = b.maker ? context.graph.position(b.maker) : -1;
    // What a loop's steps make is the loop's.
    const bool inside = node < 0 && b.maker && b.kind == BufferKind::temporary && b.first_step >= 0;
    if (inside) node = loops[static_cast<std::size_t>(b.first_step)];
    if (node < 0) continue;
    record.buffers.push_back({
        static_cast<std::uint32_t>(node),
        b.bytes,
        b.first_step,
        b.last_step,
        static_cast<std::int32_t>(b.arena_offset),
        'c',
        !b.place.on_host(),
    });
  }
  for (const Alias& alias : plan.aliases) {
    const int node = context.graph.position(alias.node);
    const int step = step_of(plan, static_cast<std::uint32_t>(node));
    if (node < 0) continue;
    record.buffers.push_back({
        static_cast<std::uint32_t>(node),
        alias.bytes,
        step,
        static_cast<std::int32_t>(plan.steps.size()) - 1,
        -1,
        alias.in_place ? 'i' : 'v',
        !alias.node->type(0).place().on_host(),
    });
  }
  return context.observer->add_plan(record);
}

}  // namespace hypatia
