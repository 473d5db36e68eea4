#include "engine/loop/scan_grad.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/expr/watch.h"
#include "engine/grad/products.h"
#include "engine/grad/reverse.h"
#include "engine/loop/scan_close.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

Variable zeros_as(const Variable& v) {
  return zeros_like(v);
}

/// a + b in the body, where nothing is known of values.
Variable sum_inside(const Variable& a, const Variable& b) {
  const Unwatched engine;
  return a && b ? a + b : a ? a : b;
}

bool only_zeros(const Variable& v) {
  Variable x = v;
  for (;;) {
    if (const Array* value = constant_value(x)) return value->elements() == 1 && value->item() == 0;
    const Op& op = x.node().op();
    const bool stretches = &op == &cast_op || &op == &rebroadcast_op || &op == &broadcast_to_op ||
                           &op == &dimshuffle_op;
    if (!stretches && &op != &fill_op) return false;
    x = x.node().input(&op == &fill_op ? 1 : 0);
  }
}

/// What the last row is worth where no other row of a loop's output is worth anything; else no
/// variable. The first `before` rows are those before the loop's.
Variable worth_of_last(const Variable& bar, int before) {
  const Apply& node = bar.node();
  if (&node.op() != &set_subtensor_op) return {};
  const auto& attrs = node.attrs().as<SubtensorAttrs>();
  double index = 0;
  if (!attrs.add || attrs.kinds.size() != 1 || !only_zeros(node.input(0))) return {};
  if (node.inputs().size() != 3 || !constant_number(node.input(2), &index)) return {};
  if (attrs.kinds[0] == 0) return index == -1 ? node.input(1) : Variable();
  const bool cut = attrs.kinds[0] == 3 && attrs.steps[0] == 1 && index == before && before > 0;
  return cut ? worth_of_last(node.input(1), 0) : Variable();
}

/// Builds the loop over the same steps in reverse. What each step's results are worth comes in as
/// sequences (from outside) and carries (from later steps).
class Backwards {
 public:
  explicit Backwards(const Adjoint& a)
      : a_(a), attrs_(a.node.attrs().as<ScanAttrs>()), graph_(attrs_.body->graph) {}

  Vars run() {
    find_steps();
    stand_in_inputs();
    stand_in_worth();
    pull();
    return results(loop());
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  bool carries_value(int c) const { return is_float(graph_.outputs()[at(c)].dtype()); }

  /// Steps to go back through, and how many there were.
  void find_steps() {
    taken_ = attrs_.until ? a_.out.back() : a_.in[0];
    steps_ = taken_;
    if (attrs_.truncate_gradient >= 0) {
      steps_ = cast(minimum(taken_, attrs_.truncate_gradient), DType::int64);
    }
  }

  /// Rows 0 … taken - 1 of a sequence, last one first.
  Variable reversed(const Variable& rows) const {
    return rows[slice(0, taken_)][slice(none, none, -1)];
  }

  /// As many rows of output i, or of its worth, from row `first` on. Where gradients go back
  /// through the last steps only, no earlier rows are read.
  Variable reversed(const Variable& rows, int i, int first) const {
    const int after = first - attrs_.rows_before(i), steps = attrs_.truncate_gradient;
    const Variable used = steps < 0 || attrs_.until
                              ? rows[slice(first, taken_ + first)]
                              : rows[slice(after - steps, after < 0 ? Bound(after) : Bound(none))];
    return used[slice(none, none, -1)];
  }

  /// The inputs of the forward step: rows and earlier results as sequences, constants as they are.
  void stand_in_inputs() {
    const Vars& inner = graph_.inputs();
    int next = 0;
    for (int s = 0; s < attrs_.sequences; ++s)
      add_sequence(inner[at(next++)], reversed(a_.in[at(1 + s)]));
    for (int c = 0; c < attrs_.carries(); ++c) {
      for (int tap : attrs_.taps[at(c)])
        add_sequence(inner[at(next++)], reversed(a_.out[at(c)], c, attrs_.depth(c) + tap));
    }
    for (std::size_t k = at(attrs_.first_constant()); k < a_.in.size(); ++k) {
      constants_inside_.push_back(inner[at(next++)]);
      constants_.push_back(a_.in[k]);
    }
  }

  void add_sequence(const Variable& inside, const Variable& rows) {
    rows_inside_.push_back(inside);
    rows_.push_back(rows);
  }

  /// A symbol for the worth of each float output's row, and the parts it is summed from.
  void stand_in_worth() {
    last_.resize(at(attrs_.rows()));
    for (int i = 0; i < attrs_.rows(); ++i) {
      const Variable& output = graph_.outputs()[at(i)];
      Variable worth;
      if (is_float(output.dtype())) {
        const Variable& bar = a_.out_bar[at(i)];
        if (bar && i < attrs_.carries()) last_[at(i)] = worth_of_last(bar, attrs_.rows_before(i));
        if (bar && !last_[at(i)]) {
          worth = input(output.type().with_place(host));
          const Variable all = cast(bar, output.dtype());
          add_sequence(worth, reversed(all, i, attrs_.rows_before(i)));
        }
        if (i < attrs_.carries()) {
          later_.emplace_back();
          for (int back = 1; back <= attrs_.depth(i); ++back)
            later_.back().push_back(input(output.type().with_place(host)));
          worth = sum_inside(worth, later_.back()[0]);
        }
      } else if (i < attrs_.carries()) {
        later_.emplace_back();
      }
      worth_.push_back(worth);
    }
  }

  /// The step's pullback: what its inputs are worth.
  void pull() {
    const Unwatched engine;
    ReverseSweep::Seeds seeds;
    for (int i = 0; i < attrs_.rows(); ++i) {
      if (worth_[at(i)]) seeds.emplace_back(graph_.outputs()[at(i)], worth_[at(i)]);
    }
    // One output twice, or one that is an input, would hide its other worth: each gets a node.
    ReverseSweep::Seeds own;
    for (std::size_t s = 0; s < seeds.size(); ++s)
      own.emplace_back(identity(seeds[s].first), seeds[s].second);
    const ReverseSweep sweep(own, graph_.inputs(), {});
    for (const Variable& v : graph_.inputs()) {
      const Bar bar = sweep.bar(v);
      if (bar.state == Bar::State::undefined) {
        throw Error(
            Error::Kind::graph,
            "no gradient goes through scan: " + print_name(*bar.culprit) + " has no derivative",
            "list the expression in consider_constant, or cut it out with disconnected_grad")
            .at(bar.culprit->origin());
      }
      bars_.push_back(bar.state == Bar::State::value ? bar.value : Variable());
    }
  }

  /// The loop's inputs and outputs, in the op's order.
  Vars loop() {
    Vars varying = rows_inside_, starts, next, maps;
    std::vector<std::vector<int>> taps;
    const auto carry = [&](const Variable& inside, const Variable& start, const Variable& value) {
      varying.push_back(inside);
      starts.push_back(unbroadcast_first(start));
      next.push_back(value);
      taps.push_back({-1});
    };
    int number = attrs_.sequences;
    for (int c = 0; c < attrs_.carries(); ++c) {
      const std::vector<int>& of_carry = attrs_.taps[at(c)];
      const Variable row = a_.in[at(attrs_.first_start() + c)][slice(0, 1)];
      for (std::size_t back = 1; back <= later_[at(c)].size(); ++back) {
        Variable value = back < later_[at(c)].size() ? later_[at(c)][back] : Variable();
        const auto tap = std::find(of_carry.begin(), of_carry.end(), -static_cast<int>(back));
        if (tap != of_carry.end()) {
          const Variable& bar = bars_[at(number + static_cast<int>(tap - of_carry.begin()))];
          value = sum_inside(value, bar);
        }
        const Variable start =
            back == 1 && last_[at(c)] ? start_at(last_[at(c)], row) : zeros_as(row);
        carry(
            later_[at(c)][back - 1], start, value ? value : zeros_inside(later_[at(c)][back - 1]));
      }
      number += static_cast<int>(of_carry.size());
    }
    for (std::size_t k = 0; k < constants_.size(); ++k) {
      const Variable& bar = bars_[at(attrs_.body_constant()) + k];
      if (!bar) continue;
      const Variable sum = input(constants_inside_[k].type().with_place(host));
      carry(sum, zeros_as(expand_dims(constants_[k], 0)), sum_inside(sum, bar));
    }
    for (int s = 0; s < attrs_.sequences; ++s) {
      if (bars_[at(s)]) maps.push_back(bars_[at(s)]);
    }
    return applied(varying, starts, taps, next, maps);
  }

  /// A worth as the one row from which a carry starts.
  static Variable start_at(const Variable& worth, const Variable& row) {
    const Variable start = expand_dims(cast(worth, row.dtype()), 0);
    std::vector<bool> pattern = row.type().broadcastable();
    pattern[0] = true;
    return patternbroadcast(start, pattern);
  }

  static Variable zeros_inside(const Variable& v) {
    const Unwatched engine;
    return zeros_as(v);
  }

  static Variable unbroadcast_first(const Variable& v) {
    return v.type().broadcastable(0) ? unbroadcast(v, {0}) : v;
  }

  /// What the steps made and kept is read, instead of computed once more.
  Vars with_results(Vars* roots, Vars varying) {
    const auto sequences = static_cast<std::ptrdiff_t>(rows_.size());
    Vars more;
    for (int c = 0; c < attrs_.carries(); ++c) {
      const Variable& made = graph_.outputs()[at(c)];
      if (is_leaf(made.node()) || !is_float(made.dtype())) continue;
      const Variable row = input(made.type().with_place(host));
      const Unwatched engine;
      Vars replaced = substitute(*roots, std::vector<std::pair<Variable, Variable>>{{made, row}});
      const Vars leaves = leaves_of(replaced);
      if (std::find(leaves.begin(), leaves.end(), row) == leaves.end()) continue;
      *roots = std::move(replaced);
      more.push_back(row);
      rows_.push_back(reversed(a_.out[at(c)], c, attrs_.depth(c)));
    }
    varying.insert(varying.begin() + sequences, more.begin(), more.end());
    return varying;
  }

  Vars applied(
      Vars varying,
      const Vars& starts,
      const std::vector<std::vector<int>>& taps,
      const Vars& next,
      const Vars& maps) {
    Vars roots = next;
    roots.insert(roots.end(), maps.begin(), maps.end());
    if (roots.empty()) return {};
    varying = with_results(&roots, std::move(varying));
    const Closed closed = close_body(roots, varying, constants_inside_, constants_, false);
    const ScanAttrs attrs{
        .body = Ref<const ScanBody>(new ScanBody(closed.graph)),
        .sequences = static_cast<int>(rows_.size()),
        .taps = taps,
        .maps = static_cast<int>(maps.size()),
        .kept = std::vector<std::int64_t>(roots.size(), -1),
        .name = "grad_of_" + attrs_.name,
    };
    Vars inputs{steps_};
    inputs.insert(inputs.end(), rows_.begin(), rows_.end());
    inputs.insert(inputs.end(), starts.begin(), starts.end());
    inputs.insert(inputs.end(), closed.constants.begin(), closed.constants.end());
    return apply_all(scan_op, std::move(inputs), attrs, a_.node.origin());
  }

  /// What the node's inputs are worth, from the loop's outputs.
  Vars results(const Vars& all) {
    Vars result(a_.in.size());
    int next = 0;
    for (int c = 0; c < attrs_.carries(); ++c) {
      const auto depth = static_cast<int>(later_[at(c)].size());
      if (depth == 0) continue;
      // Row r of the start is depth - r steps back from the first step.
      Operands rows;
      for (int r = 0; r < depth; ++r)
        rows.emplace_back(all[at(next + depth - 1 - r)][slice(-1, none)]);
      next += depth;
      Variable worth = depth == 1 ? rows[0].variable : concatenate(rows);
      const Variable& bar = a_.out_bar[at(c)];
      if (bar && !last_[at(c)]) worth = worth + bar[slice(0, depth)];
      result[at(attrs_.first_start() + c)] = worth;
    }
    for (std::size_t k = 0; k < constants_.size(); ++k) {
      if (!bars_[at(attrs_.body_constant()) + k]) continue;
      result[at(attrs_.first_constant()) + k] = all[at(next++)][-1];
    }
    for (int s = 0; s < attrs_.sequences; ++s) {
      if (!bars_[at(s)]) continue;
      const Variable& x = a_.in[at(1 + s)];
      const Variable rows = all[at(next++)][slice(none, none, -1)];
      const Variable zero = zeros_as(x);
      result[at(1 + s)] = set_subtensor(zero[slice(taken_ - steps_, taken_)], rows);
    }
    return result;
  }

  const Adjoint& a_;
  const ScanAttrs& attrs_;
  const Graph& graph_;
  Variable taken_, steps_;
  Vars rows_inside_, rows_;            // sequences of the new loop
  Vars constants_inside_, constants_;  // constants of both loops
  Vars worth_;                         // of each output's row, in the body
  std::vector<Vars> later_;            // of each carry, by steps back: worth from later steps
  Vars last_;                          // of each carry: worth of its last row, if of no other
  Vars bars_;                          // of the body's inputs
};

/// The body with tangents: inputs that move have one beside them.
class Forwards {
 public:
  explicit Forwards(const Tangent& t)
      : t_(t), attrs_(t.node.attrs().as<ScanAttrs>()), graph_(attrs_.body->graph) {}

  Vars run() {
    ScanAttrs attrs = attrs_;
    attrs.states = 0;
    Vars inputs{t_.in[0]}, varying;
    const Vars& inner = graph_.inputs();
    int next = 0;
    for (int s = 0; s < attrs_.sequences; ++s, ++next) {
      inputs.push_back(t_.in[at(1 + s)]);
      varying.push_back(inner[at(next)]);
    }
    for (int s = 0; s < attrs_.sequences; ++s) {
      if (!t_.in_dot[at(1 + s)]) continue;
      inputs.push_back(t_.in_dot[at(1 + s)]);
      varying.push_back(tangent(inner[at(s)]));
      ++attrs.sequences;
    }
    for (int c = 0; c < attrs_.carries(); ++c) {
      inputs.push_back(t_.in[at(attrs_.first_start() + c)]);
      for (std::size_t k = 0; k < attrs_.taps[at(c)].size(); ++k)
        varying.push_back(inner[at(next++)]);
    }
    for (int c = 0; c < attrs_.carries(); ++c) {
      if (!moves(c)) continue;
      const Variable& start = t_.in[at(attrs_.first_start() + c)];
      const Variable& dot = t_.in_dot[at(attrs_.first_start() + c)];
      inputs.push_back(dot ? dot : zeros_as(start));
      attrs.taps.push_back(attrs_.taps[at(c)]);
      for (std::size_t k = 0; k < attrs_.taps[at(c)].size(); ++k)
        varying.push_back(tangent(inner[at(attrs_.first_tap(c)) + k]));
    }
    Vars inside, outside;
    for (std::size_t k = at(attrs_.first_constant()); k < t_.in.size(); ++k) {
      inside.push_back(inner[at(next)]);
      outside.push_back(t_.in[k]);
      if (t_.in_dot[k]) {
        inside.push_back(tangent(inner[at(next)]));
        outside.push_back(t_.in_dot[k]);
      }
      ++next;
    }
    return applied(attrs, std::move(inputs), varying, inside, outside);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  bool moves(int c) const { return is_float(graph_.outputs()[at(c)].dtype()); }

  Variable tangent(const Variable& inside) {
    wrt_.push_back(inside);
    points_.push_back(input(inside.type()));
    return points_.back();
  }

  /// The tangent of a body's output; zeros where it does not move.
  Variable dot_of(const Variable& output) const {
    const Unwatched engine;
    const Vars leaves = leaves_of(Vars{output});
    for (const Variable& leaf : leaves) {
      if (std::find(wrt_.begin(), wrt_.end(), leaf) == wrt_.end()) continue;
      const Variable y = identity(output);
      return Rop(Vars{y}, wrt_, points_, output.node().origin())[0];
    }
    return zeros_as(output);
  }

  Vars applied(
      ScanAttrs attrs, Vars inputs, const Vars& varying, const Vars& inside, const Vars& outside) {
    const Vars& outputs = graph_.outputs();
    Vars roots(outputs.begin(), outputs.begin() + attrs_.carries());
    std::vector<int> dot_at(outputs.size(), -1);
    for (int c = 0; c < attrs_.carries(); ++c) {
      if (!moves(c)) continue;
      dot_at[at(c)] = static_cast<int>(roots.size());
      roots.push_back(dot_of(outputs[at(c)]));
    }
    for (int m = attrs_.carries(); m < attrs_.rows(); ++m)
      roots.push_back(outputs[at(m)]);
    for (int m = attrs_.carries(); m < attrs_.rows(); ++m) {
      if (!is_float(outputs[at(m)].dtype())) continue;
      dot_at[at(m)] = static_cast<int>(roots.size());
      roots.push_back(dot_of(outputs[at(m)]));
      ++attrs.maps;
    }
    if (attrs_.until) roots.push_back(outputs.back());
    const Closed closed = close_body(roots, varying, inside, outside, false);
    attrs.body = Ref<const ScanBody>(new ScanBody(closed.graph));
    attrs.kept.assign(roots.size() - (attrs_.until ? 1 : 0), -1);
    attrs.name = "Rop_of_" + attrs_.name;
    inputs.insert(inputs.end(), closed.constants.begin(), closed.constants.end());
    const Vars all = apply_all(scan_op, std::move(inputs), attrs, t_.node.origin());
    Vars dots;
    for (std::size_t i = 0; i < t_.out.size(); ++i) {
      const int from = i < dot_at.size() ? dot_at[i] : -1;
      dots.push_back(from < 0 ? Variable() : all[at(from)]);
    }
    return dots;
  }

  const Tangent& t_;
  const ScanAttrs& attrs_;
  const Graph& graph_;
  Vars wrt_, points_;
};

}  // namespace

Vars scan_pullback(const Adjoint& adjoint) {
  return Backwards(adjoint).run();
}

Vars scan_pushforward(const Tangent& tangent) {
  return Forwards(tangent).run();
}

}  // namespace hypatia
