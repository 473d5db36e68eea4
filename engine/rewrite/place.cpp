// place: which nodes run on the function's GPU, and the transfers where values cross. A node goes
// where its operands are: float work on arrays to the GPU, small integer and 0-d work stays.
#include <algorithm>
#include <unordered_map>

#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/transfer.h"
#include "engine/rewrite/pass.h"

namespace hypatia {

namespace {

bool has_gpu_lowering(const Op& op) {
  return op.is_scalar() || op.is_composite() || op.is_reduction() || op.is_view() ||
         op.is_assembly() || op.is_gather() || std::holds_alternative<ProductLowering>(op.lowering);
}

bool has_gpu_lowering(const Apply& node) {
  const auto* own = std::get_if<KernelLowering>(&node.op().lowering);
  if (own) return !own->cuda_c.empty();
  if (&node.op() != &scan_op) return has_gpu_lowering(node.op());
  const auto& attrs = node.attrs().as<ScanAttrs>();
  const std::vector<const Apply*>& body = attrs.body->graph.order();
  return !attrs.until && sizes_stay(*attrs.body) &&
         std::all_of(body.begin(), body.end(), [](const Apply* inner) {
           const Op& op = inner->op();
           return has_gpu_lowering(op) || op.is_coordinate() ||
                  std::holds_alternative<ShapeLowering>(op.lowering);
         });
}

class Placer {
 public:
  Placer(const Graph& graph, Place gpu) : graph_(graph), gpu_(gpu) {}

  Graph run() {
    Graph placed =
        graph_.rebuild([&](const Apply& node, const Apply&) -> Replacement { return visit(node); });
    Vars outputs = placed.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Place asked_for = graph_.outputs()[i].type().place();
      outputs[i] = moved(leaf(outputs[i]), asked_for, "the function's result");
    }
    std::vector<Update> updates = placed.updates();
    for (Update& u : updates) {
      u.target = leaf(u.target);
      u.value = moved(leaf(u.value), u.target.type().place(), "the new value of a shared variable");
    }
    return Graph(placed.inputs(), std::move(outputs), std::move(updates));
  }

 private:
  /// A shared variable's leaf with the place where its value lies.
  Variable leaf(const Variable& v) {
    if (!is_shared(v)) return v;
    const Type type = v.type().with_place(shared_box(v).type.place());
    if (type.same(v.type())) return v;
    Variable& placed = leaves_[v];
    if (!placed) {
      placed = Variable(
          Apply::make_typed(shared_op, {}, v.node().attrs(), {type}, v.node().origin()), 0);
      placed.set_name(v.name());
    }
    return placed;
  }

  Replacement visit(const Apply& node) {
    if (node.op().is_transfer()) return join_transfer(node);
    const bool on_gpu = wants_gpu(node);
    const bool sizes_only = std::holds_alternative<ShapeLowering>(node.op().lowering);
    Vars inputs;
    for (const Variable& operand : node.inputs()) {
      const Variable v = leaf(operand);
      if (sizes_only) {
        inputs.push_back(v);
        continue;
      }
      // What decides sizes is read by the host before the call's work begins.
      const bool here = !on_gpu || node.op().decides_sizes(static_cast<int>(inputs.size()));
      inputs.push_back(here ? moved(v, host, "input of " + print_name(node)) : brought_in(v, node));
    }
    Types types = node.types();
    for (Type& t : types)
      t = t.with_place(on_gpu ? gpu_ : host);
    return outputs_of(Apply::make_typed(
        node.op(), std::move(inputs), node.attrs(), std::move(types), node.origin()));
  }

  static Replacement outputs_of(const Ref<const Apply>& node) {
    Replacement outputs;
    for (int i = 0; i < node->outputs(); ++i) {
      outputs.emplace_back(node, static_cast<std::uint32_t>(i));
    }
    return outputs;
  }

  /// A transfer that the user asked for, joined with one that placing made.
  Replacement join_transfer(const Apply& node) {
    const Place to = node.attrs().as<TransferAttrs>().to;
    return {moved(leaf(node.input(0)), to, "asked for by transfer()")};
  }

  bool wants_gpu(const Apply& node) {
    if (!has_gpu_lowering(node)) return false;
    int number = 0;
    for (const Variable& operand : node.inputs()) {
      if (node.op().decides_sizes(number++)) continue;
      const Variable v = leaf(operand);
      if (!v.type().place().on_host()) return true;
      if (came_from_gpu(v)) return true;
      if (moves_as_input(v)) return true;
    }
    return false;
  }

  static bool came_from_gpu(const Variable& v) {
    return v.node().op().is_transfer() && !v.node().input(0).type().place().on_host();
  }

  /// Arrays that a call brings in go to the GPU, but for integers' sake alone nothing does.
  static bool moves_as_input(const Variable& v) {
    return is_input(v) && v.ndim() > 0 && is_float(v.dtype()) &&
           !v.node().attrs().as<InputAttrs>().keep_on_host;
  }

  /// An operand of a GPU node: 0-d host values and constants are passed by value.
  Variable brought_in(const Variable& v, const Apply& node) {
    if (is_constant(v) && v.type().known() && elements(v.type().dims()) == 1) return v;
    if (const Variable made = made_there(v, 0)) return made;
    return moved(v, gpu_, std::string(name(v.dtype())) + " input of Gpu" + print_name(node));
  }

  /// Coordinates and constants, looked at and combined, are made where they are wanted: no
  /// transfer.
  Variable made_there(const Variable& v, int depth) {
    constexpr int deepest = 8;
    const Op& op = v.node().op();
    const bool cheap = op.is_coordinate() || op.is_view() || op.is_scalar();
    if (depth > deepest || !v.owner() || !cheap || v.type().place() == gpu_) return {};
    Variable& made = made_[v];
    if (made) return made;
    Vars inputs;
    int number = 0;
    for (const Variable& operand : v.node().inputs()) {
      const bool size = op.decides_sizes(number++);
      const bool number_or_size = size || (is_constant(operand) && operand.ndim() == 0);
      inputs.push_back(number_or_size ? operand : made_there(operand, depth + 1));
      if (!inputs.back()) return {};
    }
    const Types types{v.type().with_place(gpu_)};
    made_[v] = Variable(
        Apply::make_typed(op, std::move(inputs), v.node().attrs(), types, v.node().origin()), 0);
    return made_[v];
  }

  Variable moved(const Variable& v, Place to, const std::string& reason) {
    if (v.type().place() == to) return v;
    if (came_from_gpu(v) && v.node().input(0).type().place() == to) return v.node().input(0);
    for (const auto& [known, copy] : moves_[v]) {
      if (known == to.context) return copy;
    }
    const Variable copy = transfer(Operand(v, v.node().origin()), to, reason);
    moves_[v].emplace_back(to.context, copy);
    return copy;
  }

  const Graph& graph_;
  Place gpu_;
  std::unordered_map<Variable, Variable, VariableHash> leaves_, made_;
  std::unordered_map<Variable, std::vector<std::pair<std::int8_t, Variable>>, VariableHash> moves_;
};

}  // namespace

Graph place(const Graph& graph, const PassContext& context) {
  if (context.place.on_host()) {
    // There is no GPU to move to: a value asked for there stays where it is.
    return graph.rebuild([](const Apply& node, const Apply&) -> Replacement {
      return node.op().is_transfer() ? Replacement{node.input(0)} : Replacement{};
    });
  }
  return Placer(graph, context.place).run();
}

}  // namespace hypatia
