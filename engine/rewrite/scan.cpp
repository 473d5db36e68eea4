// scan: bodies of loops are optimised as programs of their own, and loops keep only the rows that
// are read.
#include "engine/loop/scan_op.h"
#include "engine/rewrite/pass.h"
#include "engine/rewrite/scan_rows.h"

namespace hypatia {

namespace {

/// The body after the passes that know nothing of where it runs. Kernels merge when it is planned.
Graph optimised(const Graph& body, const PassContext& context) {
  static constexpr Pass passes[] = {
      {"merge", "", merge},
      {"fold", "", fold},
      {"scan_push", "", scan_push},
      {"canonicalize", "", canonicalize},
      {"stabilize", "", stabilize},
      {"fold", "", fold},
      {"blas", "", blas},
      {"specialize", "", specialize},
      {"fold", "", fold},
      {"merge", "", merge},
      {"scan", "", scan_bodies},
  };
  Graph graph = body;
  const PassContext inside{host, context.log, nullptr, context.selection};
  for (const Pass& pass : passes)
    graph = pass.run(graph, inside);
  return graph;
}

}  // namespace

Graph scan_bodies(const Graph& graph, const PassContext& context) {
  const RowReaders readers(graph);
  return graph.rebuild([&](const Apply& node, const Apply& old) -> Replacement {
    if (&node.op() != &scan_op) return {};
    ScanAttrs attrs = node.attrs().as<ScanAttrs>();
    attrs.body = Ref<const ScanBody>(new ScanBody(optimised(attrs.body->graph, context)));
    for (int i = 0; i < attrs.rows(); ++i) {
      const Variable v(Ref<const Apply>(&old), static_cast<std::uint32_t>(i));
      // Where a loop stops by itself nobody knows beforehand which row is the last.
      if (attrs.until && !readers.unread(v)) continue;
      attrs.kept[static_cast<std::size_t>(i)] = readers.wanted(v, attrs.rows_before(i));
    }
    const Ref<const Apply> smaller = Apply::make(node.op(), node.inputs(), attrs, node.origin());
    Replacement outputs;
    for (int i = 0; i < smaller->outputs(); ++i)
      outputs.emplace_back(smaller, static_cast<std::uint32_t>(i));
    return outputs;
  });
}

}  // namespace hypatia
