#pragma once
// A pass is Graph → Graph with a name; run_pass is the one place where passes run.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace hypatia {

class Observer;
class RewriteSelection;
struct Rule;

/// True for a result of a node of that op; false for leaves.
inline bool is_op(const Variable& v, const Op& op) {
  return &v.node().op() == &op;
}

/// One application of a rule: what stood there before and after, and the user's line.
struct Rewrite {
  std::string rule;
  Variable before, after;
  Origin origin;
};

/// What one pass did.
struct PassRecord {
  std::string name;
  double seconds = 0;
  int nodes_before = 0, nodes_after = 0;
  std::size_t rewrites_after = 0;  // how many rewrites the log held then
};

/// The story of a function's rewrites; story.h makes text of it.
struct RewriteLog {
  std::vector<PassRecord> passes;
  std::vector<Rewrite> rewrites;
};

/// What passes may ask.
struct PassContext {
  Place place;                // where the function is to run
  RewriteLog* log = nullptr;  // null: keep no story
  Observer* observer = nullptr;
  const RewriteSelection* selection = nullptr;  // null: all rules
};

/// One stage of the pipeline.
struct Pass {
  std::string_view name;
  std::string_view doc;
  Graph (*run)(const Graph& graph, const PassContext& context);
  int level = 1;  // the lowest optimizer level (o1 to o4) that runs it; 0: always
  const std::vector<Rule>& (*rules)() = nullptr;  // those that can be switched off by name
};

/// The stages in the order in which they run.
const std::vector<Pass>& pipeline();

/// Runs one pass: timed, recorded.
Graph run_pass(const Pass& pass, const Graph& graph, const PassContext& context);

// The passes, one a file.
/// Equal work on equal operands becomes one node; equal constants one constant.
Graph merge(const Graph& graph, const PassContext& context);
/// Nodes whose operands are all constant become constants.
Graph fold(const Graph& graph, const PassContext& context);
/// One spelling for each meaning: identities removed, views joined, shapes lifted.
Graph canonicalize(const Graph& graph, const PassContext& context);
/// The same value with fewer overflows and cancellations.
Graph stabilize(const Graph& graph, const PassContext& context);
/// Cheaper spellings.
Graph specialize(const Graph& graph, const PassContext& context);
/// Sums that hold matrix products become gemms, with numbers folded in.
Graph blas(const Graph& graph, const PassContext& context);
/// Marks gemms that may write a shared variable's new value over its old one.
Graph inplace(const Graph& graph, const PassContext& context);
/// Parts of loops' bodies that need no earlier results, moved outside for all steps at once.
Graph scan_push(const Graph& graph, const PassContext& context);
/// Bodies of loops optimised, and only those rows kept that are read.
Graph scan_bodies(const Graph& graph, const PassContext& context);
/// Nodes move to the function's GPU, with transfers where values cross.
Graph place(const Graph& graph, const PassContext& context);
/// Chains of elementwise nodes become composites.
Graph fuse(const Graph& graph, const PassContext& context);

}  // namespace hypatia
