// scan: bodies of loops are optimised as programs of their own, and loops keep only the rows that
// are read.
#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

/// The body after the passes that know nothing of where it runs. Kernels merge when it is planned.
Graph optimised(const Graph& body, const PassContext& context) {
  static constexpr Pass passes[] = {
      {"merge", "", merge},
      {"fold", "", fold},
      {"canonicalize", "", canonicalize},
      {"stabilize", "", stabilize},
      {"fold", "", fold},
      {"blas", "", blas},
      {"specialize", "", specialize},
      {"fold", "", fold},
      {"merge", "", merge},
  };
  Graph graph = body;
  const PassContext inside{host, context.log, nullptr, context.selection};
  for (const Pass& pass : passes)
    graph = pass.run(graph, inside);
  return graph;
}

constexpr std::int64_t all = -1;

/// How many last rows a reader wants of a value whose first `before` rows come before the loop's.
class Readers {
 public:
  explicit Readers(const Graph& graph) {
    for (const Apply* node : graph.order()) {
      for (const Variable& v : node->inputs())
        users_[v].push_back(node);
    }
    for (const Variable& v : graph.outputs())
      whole_.push_back(v);
    for (const Update& u : graph.updates())
      whole_.push_back(u.value);
  }

  std::int64_t wanted(const Variable& v, std::int64_t before) const {
    if (std::find(whole_.begin(), whole_.end(), v) != whole_.end()) return all;
    const auto users = users_.find(v);
    if (users == users_.end()) return 0;
    std::int64_t most = 0;
    for (const Apply* user : users->second) {
      const std::int64_t rows = wanted_by(*user, before);
      if (rows == all) return all;
      most = std::max(most, rows);
    }
    return most;
  }

 private:
  static constexpr int is_slice = 1, has_start = 2, has_stop = 4;

  std::int64_t wanted_by(const Apply& user, std::int64_t before) const {
    if (&user.op() == &shape_i_op) return user.attrs().as<AxisAttrs>().axis == 0 ? all : 0;
    if (&user.op() != &subtensor_op) return all;
    const auto& attrs = user.attrs().as<SubtensorAttrs>();
    const int kind = attrs.kinds.empty() ? 0 : attrs.kinds[0];
    const bool open = kind == (is_slice | has_start) && attrs.steps[0] == 1;
    double index = 0;
    const bool bounded = kind == 0 || open;
    if (attrs.kinds.empty() || !bounded || !constant_number(user.input(1), &index)) return all;
    const auto first = static_cast<std::int64_t>(index);
    if (first < 0) return -first;
    // The rows of the loop itself: what is read of them, and those before, so that the slice
    // still cuts what it should. Where there are fewer steps nothing changes.
    if (!open || first != before || before == 0 || attrs.kinds.size() > 1) return all;
    const std::int64_t rows = wanted(Variable(Ref<const Apply>(&user), 0), 0);
    return rows == all ? all : rows + before;
  }

  std::unordered_map<Variable, std::vector<const Apply*>, VariableHash> users_;
  Vars whole_;
};

}  // namespace

Graph scan_bodies(const Graph& graph, const PassContext& context) {
  const Readers readers(graph);
  return graph.rebuild([&](const Apply& node, const Apply& old) -> Replacement {
    if (&node.op() != &scan_op) return {};
    ScanAttrs attrs = node.attrs().as<ScanAttrs>();
    attrs.body = Ref<const ScanBody>(new ScanBody(optimised(attrs.body->graph, context)));
    for (int i = 0; i < attrs.rows() && !attrs.until; ++i) {
      const Variable v(Ref<const Apply>(&old), static_cast<std::uint32_t>(i));
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
