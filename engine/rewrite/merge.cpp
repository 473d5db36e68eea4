// merge: nodes with equal op, attributes and operands become one; so do equal constants.
#include <unordered_map>

#include "engine/expr/leaves.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

struct Key {
  const Apply* node;

  bool operator==(const Key& other) const {
    return &node->op() == &other.node->op() && node->inputs() == other.node->inputs() &&
           node->attrs() == other.node->attrs() && node->type(0).same(other.node->type(0));
  }
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t hash = reinterpret_cast<std::size_t>(&key.node->op()) / 16U;
    hash = hash * 1000003U + key.node->attrs().hash();
    for (const Variable& v : key.node->inputs())
      hash = hash * 1000003U + VariableHash()(v);
    return hash;
  }
};

using Table = std::unordered_map<Key, Ref<const Apply>, KeyHash>;

/// The first node seen that equals this one.
Ref<const Apply> interned(Table* table, const Ref<const Apply>& node) {
  return table->emplace(Key{node.get()}, node).first->second;
}

}  // namespace

Graph merge(const Graph& graph, const PassContext&) {
  Table table;
  return graph.rebuild([&](const Apply& node, const Apply&) -> Replacement {
    Vars inputs;
    for (const Variable& v : node.inputs()) {
      inputs.push_back(is_constant(v) ? Variable(interned(&table, v.ref()), 0) : v);
    }
    const Ref<const Apply> rebuilt = with_inputs(node, std::move(inputs));
    const Ref<const Apply> first = interned(&table, rebuilt);
    Replacement outputs;
    for (int i = 0; i < first->outputs(); ++i) {
      outputs.emplace_back(first, static_cast<std::uint32_t>(i));
    }
    return outputs;
  });
}

}  // namespace hypatia
