// place: which nodes run on a GPU, and the transfers where values cross. A node goes where its
// operands are: float work on arrays to the GPU, small integer and 0-d work stays. What users ask
// for by transfer() and target decides among several GPUs.
#include <map>
#include <unordered_map>

#include "engine/core/contexts.h"
#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/transfer.h"
#include "engine/rewrite/pass.h"
#include "engine/rewrite/reasons.h"

namespace hypatia {

namespace {

class Placer {
 public:
  Placer(const Graph& graph, Place gpu) : graph_(graph), gpu_(gpu) {}

  Graph run() {
    Graph placed =
        graph_.rebuild([&](const Apply& node, const Apply&) -> Replacement { return visit(node); });
    Vars outputs = placed.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Place asked_for = there_is(graph_.outputs()[i].type().place());
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
    const Place at = place_for(node);
    const bool on_gpu = !at.on_host();
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
      inputs.push_back(
          here ? moved(v, host, "input of " + print_name(node)) : brought_in(v, node, at));
    }
    Types types = node.types();
    for (Type& t : types)
      t = t.with_place(at);
    // How many steps a loop took decides sizes.
    if (&node.op() == &scan_op && node.attrs().as<ScanAttrs>().until)
      types.back() = types.back().with_place(host);
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
    const Place to = there_is(node.attrs().as<TransferAttrs>().to);
    return {moved(leaf(node.input(0)), to, "asked for by transfer()")};
  }

  /// There may be no default GPU to move to: a value asked for there stays on the host.
  Place there_is(Place asked_for) const {
    const bool missing = asked_for == Place{0} && gpu_.on_host() && device_of(asked_for) == "cpu";
    return missing ? host : asked_for;
  }

  /// The first operand on a GPU decides; values that a call brings in go to the default one.
  Place place_for(const Apply& node) {
    if (!has_gpu_lowering(node)) return host;
    int number = 0;
    Place place = host;
    for (const Variable& operand : node.inputs()) {
      if (node.op().decides_sizes(number++)) continue;
      const Variable v = leaf(operand);
      if (!v.type().place().on_host()) return v.type().place();
      if (came_from_gpu(v)) return v.node().input(0).type().place();
      if (moves_as_input(v)) place = gpu_;
    }
    return place;
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
  Variable brought_in(const Variable& v, const Apply& node, Place at) {
    if (is_constant(v) && v.type().known() && elements(v.type().dims()) == 1) return v;
    if (const Variable made = made_there(v, 0, at)) return made;
    return moved(v, at, std::string(name(v.dtype())) + " input of Gpu" + print_name(node));
  }

  /// Coordinates and constants, looked at and combined, are made where they are wanted: no
  /// transfer.
  Variable made_there(const Variable& v, int depth, Place at) {
    constexpr int deepest = 8;
    const Op& op = v.node().op();
    const bool cheap = op.is_coordinate() || op.is_view() || op.is_scalar();
    if (depth > deepest || !v.owner() || !cheap || v.type().place() == at) return {};
    auto& made = made_[at.context];
    if (const auto known = made.find(v); known != made.end()) return known->second;
    Vars inputs;
    int number = 0;
    for (const Variable& operand : v.node().inputs()) {
      const bool size = op.decides_sizes(number++);
      const bool number_or_size = size || (is_constant(operand) && operand.ndim() == 0);
      inputs.push_back(number_or_size ? operand : made_there(operand, depth + 1, at));
      if (!inputs.back()) return {};
    }
    const Types types{v.type().with_place(at)};
    const Variable there(
        Apply::make_typed(op, std::move(inputs), v.node().attrs(), types, v.node().origin()), 0);
    made.emplace(v, there);
    return there;
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
  std::unordered_map<Variable, Variable, VariableHash> leaves_;
  // By context: what is made there from coordinates and constants.
  std::map<std::int8_t, std::unordered_map<Variable, Variable, VariableHash>> made_;
  std::unordered_map<Variable, std::vector<std::pair<std::int8_t, Variable>>, VariableHash> moves_;
};

}  // namespace

Graph place(const Graph& graph, const PassContext& context) {
  return Placer(graph, context.place).run();
}

}  // namespace hypatia
