// scan_push: what steps compute without each other's results is computed outside the loop, for all
// steps at once. Products of sequences' rows become one product before the loop; products that only
// results need, and sums of products over the steps, one after it.
#include <algorithm>
#include <unordered_set>

#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/loop/vectorize.h"
#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"
#include "engine/rewrite/pass.h"
#include "engine/rewrite/scan_parts.h"
#include "engine/rewrite/scan_rows.h"

namespace hypatia {

namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;

/// Scalar work of a step that is worth an array of its own, so that it can be done in vectors.
constexpr double worth_pushing = 8;

/// One loop, in parts: what stays inside, what comes before it, and what comes after.
class Pusher {
 public:
  Pusher(const Apply& node, const Apply& old, const RowReaders& readers, const Graph& body)
      : node_(node),
        old_(old),
        attrs_(node.attrs().as<ScanAttrs>()),
        body_(body),
        readers_(readers) {}

  /// A variable for each output of the loop; none if all stays as it is.
  Vars run() {
    if (attrs_.until) return {};
    find_sums();
    classify();
    choose();
    push_rows();
    if (!any_) return {};
    build();
    finish();
    return outputs_;
  }

  /// Values inside and what stands for them outside, for the story.
  const Pairs& moved() const { return moved_; }

 private:
  enum class Kind : std::uint8_t { fixed, by_step, carried };

  /// What becomes of an output.
  struct Output {
    enum class Way : std::uint8_t { stays, after, sum, gone };

    Way way = Way::stays;
    Variable value;         // of a step; of a sum, what it adds
    bool negative = false;  // what is added is subtracted
    int number = -1;        // among the new loop's outputs
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Vars& inside() const { return body_.inputs(); }

  std::int64_t wanted(int i) const {
    const Variable v(Ref<const Apply>(&old_), static_cast<std::uint32_t>(i));
    return readers_.wanted(v, attrs_.rows_before(i));
  }

  bool unread(int i) const {
    return readers_.unread(Variable(Ref<const Apply>(&old_), static_cast<std::uint32_t>(i)));
  }

  /// Carries that only add up, of which only the last is read.
  void find_sums() {
    for (int i = 0; i < attrs_.rows(); ++i) {
      Output output;
      output.value = body_.outputs()[at(i)];
      const bool state = i >= attrs_.carries() - attrs_.states && i < attrs_.carries();
      if (i < attrs_.carries() && !state) find_sum(i, &output);
      if (i >= attrs_.carries() && unread(i)) output.way = Output::Way::gone;
      outcome_.push_back(output);
    }
  }

  void find_sum(int c, Output* output) const {
    const Apply& next = output->value.node();
    const bool adds = &next.op() == &add_op, subtracts = &next.op() == &sub_op;
    if ((!adds && !subtracts) || attrs_.taps[at(c)] != std::vector<int>{-1}) return;
    const Variable& before = inside()[at(attrs_.first_tap(c))];
    if (!is_float(before.dtype()) || body_.uses(before) != 1) return;
    if (body_.uses(output->value) != 1) return;
    const bool first = next.input(0) == before;
    if (!first && (subtracts || next.input(1) != before)) return;
    const std::int64_t rows = wanted(c);
    if (rows < 0 || rows > 1) return;
    if (next.input(first ? 1 : 0).type().broadcastable() != before.type().broadcastable()) return;
    output->way = unread(c) ? Output::Way::gone : Output::Way::sum;
    output->value = next.input(first ? 1 : 0);
    output->negative = subtracts;
  }

  Kind kind(const Variable& v) const {
    const auto found = kinds_.find(v);
    return found == kinds_.end() ? Kind::fixed : found->second;
  }

  void classify() {
    for (int s = 0; s < attrs_.sequences; ++s)
      kinds_[inside()[at(s)]] = Kind::by_step;
    for (int v = attrs_.sequences; v < attrs_.body_constant(); ++v)
      kinds_[inside()[at(v)]] = Kind::carried;
    for (const Apply* node : body_.order()) {
      Kind most = Kind::fixed;
      for (const Variable& v : node->inputs())
        most = std::max(most, kind(v));
      for (int i = 0; i < node->outputs(); ++i)
        kinds_[Variable(Ref<const Apply>(node), static_cast<std::uint32_t>(i))] = most;
    }
  }

  /// Marks what carries need of earlier steps.
  void need(const Variable& v) {
    Vars stack{v};
    while (!stack.empty()) {
      const Variable top = stack.back();
      stack.pop_back();
      if (kind(top) != Kind::carried || !needed_.insert(top).second) continue;
      stack.insert(stack.end(), top.node().inputs().begin(), top.node().inputs().end());
    }
  }

  /// Work between a value and what the loop needs anyway; `sound` is false where it can't be done
  /// for all steps at once.
  struct Work {
    bool heavy = false, sound = true;
    double flops = 0;
  };

  Work work_of(const Variable& v) const {
    Work work;
    std::unordered_set<Variable, VariableHash> seen;
    Vars stack{v};
    while (!stack.empty()) {
      const Variable top = stack.back();
      stack.pop_back();
      if (is_leaf(top.node()) || kind(top) == Kind::fixed || needed_.contains(top)) continue;
      if (!seen.insert(top).second) continue;
      const Apply& node = top.node();
      work.heavy |= is_heavy(node);
      if (node.op().is_scalar()) work.flops += node.op().scalar().flops;
      work.sound &= !many_products(node) || &top.node() == &v.node();
      stack.insert(stack.end(), node.inputs().begin(), node.inputs().end());
    }
    return work;
  }

  /// A product of two values of each step, at least one of them a matrix.
  bool many_products(const Apply& node) const {
    return is_product(node) && kind(node.input(0)) != Kind::fixed &&
           kind(node.input(1)) != Kind::fixed && node.input(0).ndim() + node.input(1).ndim() > 2;
  }

  /// True if the expression has a form with a further first axis.
  bool has_form(const Vars& values) const { return !all_steps(values, stand_in).empty(); }

  static Variable stand_in(const Variable& v) {
    Type type = stacked(v.type());
    return input(type);
  }

  static Type stacked(const Type& row) {
    Type type(row.dtype(), 0);
    type.push_axis(unknown_dim, false);
    for (int axis = 0; axis < row.rank(); ++axis)
      type.push_axis(row.dims()[axis], row.broadcastable(axis));
    return type;
  }

  /// Decides for each output where it is made.
  void choose() {
    bool carries = false;
    for (int c = 0; c < attrs_.carries(); ++c)
      carries |= outcome_[at(c)].way == Output::Way::stays;
    for (int c = 0; c < attrs_.carries(); ++c) {
      if (outcome_[at(c)].way == Output::Way::stays) need(outcome_[at(c)].value);
    }
    const bool all_rows = carries || follows_sequences();
    for (int i = 0; i < attrs_.rows(); ++i) {
      Output& output = outcome_[at(i)];
      any_ |= output.way == Output::Way::gone;
      if (output.way == Output::Way::gone) continue;
      if (output.way == Output::Way::stays && i < attrs_.carries()) continue;
      const bool is_sum = output.way == Output::Way::sum;
      const Variable value = output.value;
      const Work work = work_of(value);
      const bool alone = !is_sum && !carries && kind(value) == Kind::by_step;
      const bool wants = kind(value) != Kind::fixed && (work.heavy || alone) && all_rows;
      const bool whole = is_sum || !many_products(value.node());
      if (wants && work.sound && whole && has_form(parts_of(output))) {
        if (!is_sum) output.way = Output::Way::after;
        any_ = true;
      } else {
        if (is_sum) restore(i);
        need(outcome_[at(i)].value);
      }
    }
  }

  /// A sum that stays in the loop.
  void restore(int c) {
    Output& output = outcome_[at(c)];
    output.way = Output::Way::stays;
    output.value = body_.outputs()[at(c)];
    output.negative = false;
  }

  /// True if all sequences have as many rows as there are steps, by how the steps were counted.
  bool follows_sequences() const {
    Vars counted;
    if (attrs_.sequences == 0 || !counts_rows(node_.input(0), &counted)) return false;
    for (int s = 0; s < attrs_.sequences; ++s) {
      const Variable& whole = whole_of(node_.input(1 + s));
      const bool found = std::any_of(
          counted.begin(), counted.end(), [&](const Variable& v) { return whole_of(v) == whole; });
      if (!found) return false;
    }
    return true;
  }

  /// The operands of a sum of products, or the value itself.
  Vars parts_of(const Output& output) const {
    const Apply& node = output.value.node();
    if (output.way != Output::Way::sum) return {output.value};
    const bool both = is_product(node) && kind(node.input(0)) != Kind::fixed &&
                      kind(node.input(1)) != Kind::fixed;
    if (both) return {node.input(0), node.input(1)};
    const Vars vectors = vectors_of_outer(output.value);
    const bool vary =
        vectors.size() == 2 && kind(vectors[0]) != Kind::fixed && kind(vectors[1]) != Kind::fixed;
    if (vary) return vectors;
    return {output.value};
  }

  /// Values of each step that the loop's remainder reads and that are worth an array outside.
  void push_rows() {
    bool single = true;  // numbers only: nothing in the loop can run in vectors
    for (const Variable& v : needed_)
      single &= v.ndim() == 0;
    std::unordered_set<Variable, VariableHash> seen;
    const auto visit = [&](const Variable& v) {
      if (kind(v) != Kind::by_step || is_leaf(v.node()) || !seen.insert(v).second) return;
      const Work work = work_of(v);
      const bool worth = work.heavy || (single && work.flops >= worth_pushing);
      if (!worth || !work.sound || many_products(v.node()) || !has_form({v})) return;
      pushed_.emplace_back(v, input(v.type().with_place(host)));
      any_ = true;
    };
    for (const Variable& v : needed_) {
      for (const Variable& in : v.node().inputs())
        visit(in);
    }
  }

  /// The rows of a sequence that the loop reads.
  Variable rows_of(int s) const {
    const Variable& all = node_.input(1 + s);
    Vars counted;
    const bool exact = counts_rows(node_.input(0), &counted) && counted.size() == 1 &&
                       counted[0] == all && &node_.input(0).node().op() == &shape_i_op;
    return exact ? all : all[slice(0, node_.input(0))];
  }

  /// Values for all steps; `taken` gives those of what the loop made and of sequences.
  template <class F>
  Vars all_steps(const Vars& values, const F& taken) const {
    Pairs many;
    std::unordered_set<Variable, VariableHash> seen;
    Vars stack = values;
    while (!stack.empty()) {
      const Variable top = stack.back();
      stack.pop_back();
      if (kind(top) == Kind::fixed || !seen.insert(top).second) continue;
      if (is_leaf(top.node()) || needed_.contains(top)) {
        many.emplace_back(top, taken(top));
        continue;
      }
      stack.insert(stack.end(), top.node().inputs().begin(), top.node().inputs().end());
    }
    // What lies below a value that is taken is not looked at.
    Pairs cut, batched;
    for (const auto& [v, rows] : many) {
      const Variable free = input(v.type().with_place(host));
      cut.emplace_back(v, free);
      batched.emplace_back(free, rows);
    }
    return vectorize(substitute(values, cut), batched);
  }

  /// The same for expressions outside: the loop's constants are what they stand for.
  Vars outside(const Vars& values) const {
    Vars all = all_steps(values, [&](const Variable& v) { return rows_made(v); });
    Pairs constants;
    for (int k = attrs_.first_constant(); k < static_cast<int>(node_.inputs().size()); ++k) {
      constants.emplace_back(
          inside()[at(attrs_.body_constant() + k - attrs_.first_constant())], node_.input(k));
    }
    return substitute(all, constants);
  }

  /// All steps' rows of a sequence, of an earlier result, or of a value that the loop gives out.
  Variable rows_made(const Variable& v) const {
    for (int s = 0; s < attrs_.sequences; ++s) {
      if (inside()[at(s)] == v) return rows_of(s);
    }
    for (int c = 0; c < attrs_.carries(); ++c) {
      const Output& output = outcome_[at(c)];
      if (output.way != Output::Way::stays) continue;
      const Variable all = loop_[at(output.number)];
      if (output.value == v) return all[slice(attrs_.depth(c), none)];
      for (std::size_t k = 0; k < attrs_.taps[at(c)].size(); ++k) {
        if (!(inside()[at(attrs_.first_tap(c)) + k] == v)) continue;
        const int tap = attrs_.taps[at(c)][k];
        return all[slice(attrs_.depth(c) + tap, tap)];
      }
    }
    const auto found = std::find(given_out_.begin(), given_out_.end(), v);
    return loop_[at(first_given_) + static_cast<std::size_t>(found - given_out_.begin())];
  }

  /// Values of the loop that what comes after it reads, and that are no results of it yet.
  void give_out(const Vars& values) {
    all_steps(values, [&](const Variable& v) {
      const bool sequence = kind(v) == Kind::by_step, known = is_leaf(v.node());
      bool result = false;
      for (int c = 0; c < attrs_.carries(); ++c)
        result |= outcome_[at(c)].way == Output::Way::stays && outcome_[at(c)].value == v;
      const bool had = std::find(given_out_.begin(), given_out_.end(), v) != given_out_.end();
      if (!sequence && !known && !result && !had) given_out_.push_back(v);
      return stand_in(v);
    });
  }

  /// The loop that is left.
  void build() {
    for (const Output& output : outcome_) {
      if (output.way == Output::Way::after || output.way == Output::Way::sum)
        give_out(parts_of(output));
    }
    Vars roots;
    ScanAttrs attrs = attrs_;
    attrs.taps.clear();
    attrs.maps = 0;
    Vars taps, starts;
    for (int i = 0; i < attrs_.rows(); ++i) {
      Output& output = outcome_[at(i)];
      if (output.way != Output::Way::stays) continue;
      output.number = static_cast<int>(roots.size());
      roots.push_back(output.value);
      if (i >= attrs_.carries()) {
        ++attrs.maps;
        continue;
      }
      attrs.taps.push_back(attrs_.taps[at(i)]);
      starts.push_back(node_.input(attrs_.first_start() + i));
      for (std::size_t k = 0; k < attrs_.taps[at(i)].size(); ++k)
        taps.push_back(inside()[at(attrs_.first_tap(i)) + k]);
    }
    first_given_ = static_cast<int>(roots.size());
    roots.insert(roots.end(), given_out_.begin(), given_out_.end());
    attrs.maps += static_cast<int>(given_out_.size());
    if (!roots.empty()) apply_loop(attrs, substitute(roots, pushed_), taps, starts);
  }

  void apply_loop(ScanAttrs attrs, const Vars& roots, const Vars& taps, const Vars& starts) {
    const Vars leaves = leaves_of(roots);
    const auto used = [&](const Variable& v) {
      return std::find(leaves.begin(), leaves.end(), v) != leaves.end();
    };
    Vars inner, outer{node_.input(0)};
    for (int s = 0; s < attrs_.sequences; ++s) {
      if (!used(inside()[at(s)])) continue;
      inner.push_back(inside()[at(s)]);
      outer.push_back(node_.input(1 + s));
    }
    for (const auto& [value, row] : pushed_) {
      if (!used(row)) continue;
      inner.push_back(row);
      outer.push_back(outside({value})[0]);
      moved_.emplace_back(value, outer.back());
    }
    attrs.sequences = static_cast<int>(inner.size());
    inner.insert(inner.end(), taps.begin(), taps.end());
    outer.insert(outer.end(), starts.begin(), starts.end());
    for (int k = attrs_.first_constant(); k < static_cast<int>(node_.inputs().size()); ++k) {
      const Variable& v = inside()[at(attrs_.body_constant() + k - attrs_.first_constant())];
      if (!used(v)) continue;
      inner.push_back(v);
      outer.push_back(node_.input(k));
    }
    attrs.kept.assign(roots.size(), -1);
    attrs.body = Ref<const ScanBody>(new ScanBody(Graph(inner, roots)));
    loop_ = apply_all(scan_op, std::move(outer), attrs, node_.origin());
  }

  /// What stands for each output of the loop as it was.
  void finish() {
    for (int i = 0; i < attrs_.rows(); ++i) {
      const Output& output = outcome_[at(i)];
      switch (output.way) {
        case Output::Way::stays:
          outputs_.push_back(loop_[at(output.number)]);
          break;
        case Output::Way::gone:
          outputs_.push_back(node_.input(0));
          break;  // nobody reads it
        case Output::Way::after:
          outputs_.push_back(outside({output.value})[0]);
          break;
        case Output::Way::sum:
          outputs_.push_back(summed(i, output));
          break;
      }
      const bool moved = output.way == Output::Way::after || output.way == Output::Way::sum;
      if (moved) moved_.emplace_back(output.value, outputs_.back());
    }
  }

  /// The start and all that is added to it, as the one row that is read.
  Variable summed(int c, const Output& output) const {
    const Variable& start = node_.input(attrs_.first_start() + c);
    const Vars parts = parts_of(output), all = outside(parts);
    Variable total;
    if (parts.size() == 1) {
      total = sum(all[0], Axes{0});
    } else if (is_product(output.value.node()) && parts[0].ndim() + parts[1].ndim() == 2) {
      total = sum(all[0] * all[1]);
    } else if (is_product(output.value.node())) {
      total = summed_dots(all[0], all[1]);
    } else {
      total = dot(transpose(all[0]), all[1]);
    }
    const Variable row = expand_dims(cast(total, start.dtype()), 0);
    return output.negative ? start - row : start + row;
  }

  const Apply &node_, &old_;
  const ScanAttrs& attrs_;
  const Graph& body_;
  const RowReaders& readers_;
  std::vector<Output> outcome_;
  std::unordered_map<Variable, Kind, VariableHash> kinds_;
  std::unordered_set<Variable, VariableHash> needed_;
  Pairs pushed_;    // values of each step, and the rows that come in for them
  Vars given_out_;  // values of the loop that what follows it reads
  int first_given_ = 0;
  Vars loop_, outputs_;
  Pairs moved_;
  bool any_ = false;
};

Graph cleaned(const Graph& body, const PassContext& context) {
  const PassContext quiet{host, nullptr, nullptr, context.selection};
  return merge(canonicalize(fold(merge(body, quiet), quiet), quiet), quiet);
}

}  // namespace

Graph scan_push(const Graph& graph, const PassContext& context) {
  const RowReaders readers(graph);
  return graph.rebuild([&](const Apply& node, const Apply& old) -> Replacement {
    if (&node.op() != &scan_op) return {};
    const Ref<const Apply> loop = with_constants_inside(node);
    const Graph body = cleaned(loop->attrs().as<ScanAttrs>().body->graph, context);
    Pusher pusher(*loop, old, readers, body);
    Replacement outputs = pusher.run();
    for (int i = 0; outputs.size() < static_cast<std::size_t>(loop->outputs()); ++i)
      outputs.emplace_back(loop, static_cast<std::uint32_t>(i));
    if (context.log) {
      for (const auto& [before, after] : pusher.moved())
        context.log->rewrites.push_back({"scan_push", before, after, node.origin()});
    }
    return outputs;
  });
}

}  // namespace hypatia
