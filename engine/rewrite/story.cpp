#include "engine/rewrite/story.h"

#include <cstdio>
#include <unordered_set>

#include "engine/expr/leaves.h"
#include "engine/ops/composite.h"
#include "engine/rewrite/text.h"

namespace hypatia {

namespace {

// Rewrites change a few nodes: what lies deeper is the same on both sides.
constexpr std::size_t most_nodes = 64;

using Nodes = std::vector<const Apply*>;
using NodeSet = std::unordered_set<const Apply*>;

/// Nodes that `v` needs, nearest first, but not beyond those in `border`.
Nodes nodes_under(const Variable& v, const NodeSet& border, NodeSet* met) {
  Nodes nodes;
  NodeSet seen;
  const auto visit = [&](const Apply* node) {
    if (border.contains(node)) {
      if (met) met->insert(node);
    } else if (!is_leaf(*node) && seen.insert(node).second && nodes.size() < most_nodes) {
      nodes.push_back(node);
    }
  };
  visit(&v.node());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Variable& operand : nodes[i]->inputs())
      visit(&operand.node());
  }
  return nodes;
}

Type assumed(const Type& type) {
  Dims dims = type.dims();
  for (std::int64_t& size : dims)
    size = size == unknown_dim ? assumed_size : size;
  return type.with_dims(dims);
}

Cost cost_of(const Apply& node) {
  Types in, out;
  for (const Variable& v : node.inputs())
    in.push_back(assumed(v.type()));
  for (const Type& type : node.types())
    out.push_back(assumed(type));
  if (node.op().cost) return node.op().cost(CostCall{node.op(), node.attrs(), in, out});
  if (node.op().is_view() || node.op().is_coordinate()) return {};
  const bool elementwise = node.op().is_scalar() || node.op().is_composite();
  const Type& space = node.op().is_reduction() || out.empty() ? in[0] : out[0];
  Cost cost;
  cost.flops = static_cast<double>(elements(space.dims())) *
               (elementwise ? flops_per_element(program_of(node)) : 1.0);
  for (const Types* types : {&in, &out}) {
    for (const Type& type : *types)
      cost.bytes += static_cast<double>(elements(type.dims())) * size_of(type.dtype());
  }
  return cost;
}

Cost cost_of(const Nodes& nodes) {
  Cost total;
  for (const Apply* node : nodes) {
    const Cost cost = cost_of(*node);
    total.flops += cost.flops;
    total.bytes += cost.bytes;
  }
  return total;
}

std::string line_of(const Origin& origin) {
  const std::string file = origin.file ? origin.file : "";
  if (file.empty()) return "";
  return "  at " + file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(origin.line);
}

std::string text_of(const Rewrite& rewrite) {
  const RewriteCost cost = cost_of(rewrite);
  char numbers[160];
  std::snprintf(
      numbers,
      sizeof numbers,
      "      flops %.6g -> %.6g, bytes %.6g -> %.6g",
      cost.before.flops,
      cost.after.flops,
      cost.before.bytes,
      cost.after.bytes);
  return "    " + rewrite.rule + ": " + short_text(rewrite.before) + " -> " +
         short_text(rewrite.after) + "\n" + numbers + line_of(rewrite.origin) + "\n";
}

}  // namespace

RewriteCost cost_of(const Rewrite& rewrite) {
  const Nodes old = nodes_under(rewrite.before, {}, nullptr);
  NodeSet kept;
  const Nodes made = nodes_under(rewrite.after, NodeSet(old.begin(), old.end()), &kept);
  // What the new expression reads of the old one stays.
  const Nodes gone = nodes_under(rewrite.before, kept, nullptr);
  return {cost_of(gone), cost_of(made)};
}

std::vector<PassStory> story_of(const RewriteLog& log, std::uint32_t function) {
  std::vector<PassStory> story;
  std::size_t next = 0;
  for (const PassRecord& pass : log.passes) {
    PassStory& told = story.emplace_back();
    told.function = function;
    told.name = pass.name;
    told.seconds = pass.seconds;
    told.nodes_before = pass.nodes_before;
    told.nodes_after = pass.nodes_after;
    told.rewrite_count = static_cast<std::int64_t>(pass.rewrites_after - next);
    for (; next < pass.rewrites_after; ++next) {
      if (next >= most_told) continue;
      const Rewrite& rewrite = log.rewrites[next];
      const auto [before, after] = cost_of(rewrite);
      told.rewrites.push_back(
          {rewrite.rule,
           short_text(rewrite.before),
           short_text(rewrite.after),
           before.flops,
           after.flops,
           before.bytes,
           after.bytes,
           rewrite.origin});
    }
  }
  return story;
}

std::string to_text(const RewriteLog& log, const std::string& function) {
  double seconds = 0;
  for (const PassRecord& pass : log.passes)
    seconds += pass.seconds;
  char line[200];
  std::snprintf(
      line,
      sizeof line,
      ": %zu passes, %zu rewrites, %.3f ms (costs of one run; unknown sizes count as %d)\n",
      log.passes.size(),
      log.rewrites.size(),
      seconds * 1e3,
      static_cast<int>(assumed_size));
  std::string text = "Rewrites of " + function + line;
  std::size_t next = 0;
  for (const PassRecord& pass : log.passes) {
    std::snprintf(
        line,
        sizeof line,
        "  %-14s %6d -> %6d nodes  %9.3f ms\n",
        pass.name.c_str(),
        pass.nodes_before,
        pass.nodes_after,
        pass.seconds * 1e3);
    text += line;
    for (; next < pass.rewrites_after; ++next)
      text += text_of(log.rewrites[next]);
  }
  return text;
}

}  // namespace hypatia
