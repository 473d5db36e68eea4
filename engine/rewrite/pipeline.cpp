// The list of passes, in order, and the one function through which each of them runs.
#include "engine/rewrite/pass.h"
#include "engine/rewrite/rule.h"
#include "engine/trace/clock.h"
#include "engine/trace/span.h"

namespace hypatia {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> passes{
      {"merge", "one node for equal work", merge, 1},
      {"fold", "constants evaluated", fold, 1},
      {"scan_push",
       "what steps of loops don't need each other for, for all steps at once",
       scan_push,
       1},
      {"canonicalize", "one spelling for each meaning", canonicalize, 1, canonical_rules},
      {"stabilize", "same value, fewer overflows", stabilize, 1, stability_rules},
      {"fold_numbers", "constants in the shape of their use", fold, 1},
      {"blas", "sums with matrix products become gemms", blas, 3},
      {"specialize", "cheaper spellings", specialize, 2, special_rules},
      {"fold_again", "constants that rules made", fold, 1},
      {"scan", "bodies of loops, and the rows that are read", scan_bodies, 1},
      {"place", "nodes move to the GPU, with transfers between", place, 0},
      {"merge_again", "one node for equal work", merge, 1},
      {"fuse", "chains of elementwise nodes become one", fuse, 2},
      {"inplace", "new values written over old ones", inplace, 4},
  };
  return passes;
}

Graph run_pass(const Pass& pass, const Graph& graph, const PassContext& context) {
  const Span span(context.observer, EventKind::pass, pass.name);
  const std::int64_t begin = now();
  Graph result = pass.run(graph, context);
  if (context.log) {
    context.log->passes.push_back({
        std::string(pass.name),
        static_cast<double>(now() - begin) * 1e-9,
        graph.size(),
        result.size(),
        context.log->rewrites.size(),
    });
  }
  return result;
}

}  // namespace hypatia
