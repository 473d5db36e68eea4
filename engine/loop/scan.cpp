#include "engine/loop/scan.h"

#include <algorithm>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/expr/watch.h"
#include "engine/graph/default_update.h"
#include "engine/loop/scan_close.h"
#include "engine/ops/layouts.h"
#include "engine/ops/math.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"

namespace hypatia {

namespace {

/// A row of a sequence as the loop reads it, and how many rows there are.
struct ReadSequence {
  Vars rows;  // one a tap: row t is what step t sees
  Variable length;
};

class Builder {
 public:
  Builder(const ScanOptions& options, Origin at) : options_(options), at_(at) {}

  ScanResult run(ScanFunction step) {
    read_sequences();
    find_steps();
    read_starts();
    for (const Variable& v : options_.non_sequences) {
      add_argument(v, v.type().with_place(host), v.name());
      copy_test_value(v);
    }
    ScanStep made;
    if (!step(arguments_, &made)) {
      throw Error(
          Error::Kind::graph,
          "the step of scan does not take " + std::to_string(arguments_.size()) + " arguments",
          "a step gets each sequence's taps, each output's taps, and the non_sequences, in this "
          "order; or all as one Vars");
    }
    take(std::move(made));
    return finish();
  }

 private:
  Error error(Error::Kind kind, std::string summary, std::string help = "") const {
    return Error(kind, std::move(summary), std::move(help));
  }

  void add_argument(const Variable& outer, const Type& type, const std::string& name) {
    arguments_.push_back(input(type, name, outer.node().origin()));
  }

  /// A row of `rows`; its test value is that of row `t`.
  void add_row(const Variable& rows, int t, const std::string& name) {
    add_argument(rows, row_type(rows.type()), name);
    if (config().compute_test_value() != "off") copy_test_value(rows[t]);
  }

  void copy_test_value(const Variable& of) {
    arguments_.back().tag().test_value = stand_in(of).tag().test_value;
  }

  ReadSequence read(const Tapped& sequence, std::size_t s) const {
    const Variable& x = sequence.variable;
    if (!x || x.ndim() == 0) {
      Error wrong = error(
          Error::Kind::shape,
          "sequence " + std::to_string(s) + " of scan has no axis to step along",
          "pass single values as non_sequences");
      if (x) wrong.with(describe(x, x.type(), "sequence"));
      throw wrong.at(sequence.at);
    }
    std::vector<int> steps = sequence.taps;
    if (steps.empty()) steps.push_back(0);
    // The first step is the one that has all taps; a single tap ahead starts at its own row.
    const int least = *std::min_element(steps.begin(), steps.end());
    const int base = steps.size() == 1 && least > 0 ? 0 : least;
    const int most = *std::max_element(steps.begin(), steps.end()) - base;
    ReadSequence result;
    result.length = shape_i({x, sequence.at}, 0);
    if (most > 0) result.length = maximum(result.length - most, 0);
    for (int tap : steps) {
      const int from = tap - base;
      Variable rows = x;
      if (options_.go_backwards && from < most) {
        rows = rows[slice(from, from - most)];
      } else if (from > 0) {
        rows = rows[slice(from, none)];
      }
      if (options_.go_backwards) rows = rows[slice(none, none, -1)];
      result.rows.push_back(rows);
    }
    return result;
  }

  void read_sequences() {
    for (std::size_t s = 0; s < options_.sequences.size(); ++s) {
      const Tapped& sequence = options_.sequences[s];
      const ReadSequence all = read(sequence, s);
      for (std::size_t k = 0; k < all.rows.size(); ++k) {
        const int tap = sequence.taps.empty() ? 0 : sequence.taps[k];
        add_row(all.rows[k], 0, row_name(sequence.variable.name(), tap));
        sequences_.push_back(all.rows[k]);
      }
      shortest_ = shortest_ ? minimum(shortest_, all.length) : all.length;
    }
  }

  static std::string row_name(const std::string& name, int tap) {
    if (name.empty()) return "";
    return name + (tap == 0  ? "[t]"
                   : tap < 0 ? "[t" + std::to_string(tap) + "]"
                             : "[t+" + std::to_string(tap) + "]");
  }

  void find_steps() {
    const Variable& given = options_.n_steps.variable;
    if (!given && !shortest_) {
      throw error(
          Error::Kind::value,
          "scan has no sequences, and n_steps was not given: nothing says when to stop",
          "give n_steps; with `until` it is the most steps that may be needed");
    }
    n_steps_ = given ? as_size(given, at_) : as_size(shortest_, at_);
    double steps = 0;
    if (!given || !constant_number(given, &steps)) return;
    if (steps < 0) {
      throw error(
          Error::Kind::value,
          "scan can't run " + std::to_string(static_cast<std::int64_t>(steps)) + " steps",
          "n_steps is 0 or more; go_backwards reads sequences from their end");
    }
    single_ = steps == 1;
  }

  void read_starts() {
    for (std::size_t i = 0; i < options_.outputs_info.size(); ++i) {
      const Tapped& info = options_.outputs_info[i];
      if (!info.variable) continue;
      std::vector<int> steps = info.taps;
      if (steps.empty()) steps.push_back(-1);
      check_taps(info, steps, i);
      // With the one tap -1 the start is a value; else it has a row for each step back.
      const bool plain = steps == std::vector<int>{-1};
      Variable rows = info.variable;
      if (plain) rows = expand_dims({rows, info.at}, 0);
      if (rows.ndim() == 0) {
        throw error(
            Error::Kind::shape,
            "the start of output " + std::to_string(i) +
                " needs a first axis, with a row for each step back")
            .with(describe(rows, rows.type(), "start"))
            .at(info.at);
      }
      rows = unbroadcast_first(rows, info.at);
      starts_.push_back(rows);
      taps_.push_back(steps);
      const int depth = -*std::min_element(steps.begin(), steps.end());
      for (int tap : steps)
        add_row(rows, depth + tap, row_name(info.variable.name(), tap));
    }
  }

  static Variable unbroadcast_first(const Variable& rows, Origin at) {
    return rows.type().broadcastable(0) ? unbroadcast({rows, at}, {0}) : rows;
  }

  void check_taps(const Tapped& info, const std::vector<int>& steps, std::size_t i) const {
    const std::string which = "output " + std::to_string(i);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (steps[k] >= 0) {
        throw error(
            Error::Kind::value,
            "Can not use future taps of outputs: " + which + " has tap " + std::to_string(steps[k]),
            "a step sees earlier results only: taps of outputs are -1 or less")
            .at(info.at);
      }
      if (std::find(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(k), steps[k]) !=
          steps.begin() + static_cast<std::ptrdiff_t>(k)) {
        throw error(Error::Kind::value, which + " lists tap " + std::to_string(steps[k]) + " twice")
            .at(info.at);
      }
    }
  }

  /// Checks what the step made, and gives each output that comes back the type of its start.
  void take(ScanStep made) {
    const std::size_t count = made.outputs.size(), told = options_.outputs_info.size();
    if (told != 0 && told != count) {
      throw error(
          Error::Kind::graph,
          "the step of scan returned " + std::to_string(count) + " outputs, and outputs_info has " +
              std::to_string(told),
          "give an entry for every output, `none` for those that do not come back, or none at all");
    }
    std::size_t c = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool carried = told != 0 && options_.outputs_info[i].variable;
      carried_.push_back(carried);
      if (carried) {
        next_.push_back(fitted(made.outputs[i], row_type(starts_[c].type()), i));
        ++c;
      } else {
        maps_.push_back(made.outputs[i]);
      }
    }
    if (made.until) {
      if (made.until.ndim() != 0 || made.until.dtype() != DType::boolean) {
        throw error(Error::Kind::dtype, "the condition of until is a 0-d bool", "as until = x > 10")
            .with(describe(made.until, made.until.type(), "until"));
      }
      until_ = made.until;
    }
    take_updates(std::move(made.updates));
  }

  Variable fitted(const Variable& output, const Type& start, std::size_t i) const {
    const std::string which = "output " + std::to_string(i) + " of scan";
    const auto drifts = [&](std::string how, std::string help) {
      return error(
                 how == "dtype" ? Error::Kind::dtype : Error::Kind::shape,
                 which + " changes its " + how + " between steps",
                 std::move(help))
          .with({"start", brief(start), "", options_.outputs_info[i].at})
          .with(describe(output, output.type(), "after a step"));
    };
    if (promote(output.dtype(), start.dtype()) != start.dtype()) {
      throw drifts(
          "dtype",
          "start with " + std::string(name(output.dtype())) + ", as x0.astype(DType::" +
              std::string(name(output.dtype())) + "), or cast the step's result");
    }
    if (output.ndim() != start.rank()) {
      throw drifts("number of axes", "start with the shape that the step gives");
    }
    Variable fits = cast(output, start.dtype());
    if (fits.type().broadcastable() == start.broadcastable()) return fits;
    for (int axis = 0; axis < start.rank(); ++axis) {
      if (start.broadcastable(axis) && !fits.type().broadcastable(axis)) {
        throw drifts("size", "start with the shape that the step gives, or unbroadcast the start");
      }
    }
    return patternbroadcast(fits, start.broadcastable());
  }

  /// A shared variable that a step changes comes back to it as an output of one step ago.
  void take_updates(std::vector<Update> updates) {
    Vars roots = all_roots();
    for (const Update& u : updates)
      roots.push_back(u.value);
    for (const Variable& leaf : leaves_of(roots)) {
      const bool updated = std::any_of(
          updates.begin(), updates.end(), [&](const Update& u) { return u.target == leaf; });
      if (!is_shared(leaf) || updated) continue;
      const Variable value = default_update(leaf);
      if (value) updates.push_back({leaf, value});
    }
    std::vector<std::pair<Variable, Variable>> states;
    for (const Update& u : updates) {
      if (!u.target || !is_shared(u.target)) {
        throw error(Error::Kind::graph, "a step of scan can update shared variables only");
      }
      const Type type = u.target.type().with_place(host);
      const Variable value =
          u.value.dtype() == type.dtype() ? u.value : cast(u.value, type.dtype());
      if (!value.type().with_place(host).same(type)) {
        throw error(Error::Kind::shape, "an update must have the type of its shared variable")
            .with(describe(u.target, type, "shared"))
            .with(describe(u.value, u.value.type(), "new value"));
      }
      const Variable state = input(type, u.target.name(), u.target.node().origin());
      states.emplace_back(u.target, state);
      starts_.push_back(unbroadcast_first(expand_dims(Operand(u.target, at_), 0), at_));
      taps_.push_back({-1});
      next_.push_back(value);
      targets_.push_back(u.target);
      states_.push_back(state);
    }
    if (states.empty()) return;
    const Unwatched engine;  // the step's own nodes were looked at when they were made
    Vars replaced = substitute(all_roots(), states);
    const auto part = [&](Vars* list) {
      for (Variable& v : *list) {
        v = replaced.front();
        replaced.erase(replaced.begin());
      }
    };
    part(&next_);
    part(&maps_);
    if (until_) until_ = replaced.front();
  }

  Vars all_roots() const {
    Vars roots = next_;
    roots.insert(roots.end(), maps_.begin(), maps_.end());
    if (until_) roots.push_back(until_);
    return roots;
  }

  ScanResult finish() {
    // The body's inputs: rows, taps of outputs, states of shared variables, constants.
    const std::size_t constants = arguments_.size() - options_.non_sequences.size();
    const auto middle = arguments_.begin() + static_cast<std::ptrdiff_t>(constants);
    Vars varying(arguments_.begin(), middle);
    varying.insert(varying.end(), states_.begin(), states_.end());
    Closed closed = close_body(
        all_roots(),
        varying,
        Vars(middle, arguments_.end()),
        options_.non_sequences,
        options_.strict);
    const ScanAttrs attrs{
        .body = Ref<const ScanBody>(new ScanBody(closed.graph)),
        .sequences = static_cast<int>(sequences_.size()),
        .taps = taps_,
        .states = static_cast<int>(targets_.size()),
        .maps = static_cast<int>(maps_.size()),
        .until = static_cast<bool>(until_),
        .kept = std::vector<std::int64_t>(next_.size() + maps_.size(), -1),
        .truncate_gradient = options_.truncate_gradient,
        .name = options_.name.empty() ? "scan_fn" : options_.name,
    };
    Vars inputs{n_steps_};
    inputs.insert(inputs.end(), sequences_.begin(), sequences_.end());
    inputs.insert(inputs.end(), starts_.begin(), starts_.end());
    inputs.insert(inputs.end(), closed.constants.begin(), closed.constants.end());
    if (single_) return results(inlined_step(attrs, inputs), attrs);
    return results(apply_all(scan_op, std::move(inputs), attrs, at_), attrs);
  }

  /// What the user sees of the op's outputs: the rows that steps made.
  ScanResult results(const Vars& all, const ScanAttrs& attrs) const {
    ScanResult result;
    const Variable taken = attrs.until ? all.back() : Variable();
    const auto rows = [&](int i) {
      const int before = attrs.rows_before(i);
      const Variable& v = all[static_cast<std::size_t>(i)];
      if (taken) return v[slice(before, taken + before)];
      return before > 0 ? v[slice(before, none)] : v;
    };
    int carry = 0, map = attrs.carries();
    for (bool carried : carried_)
      result.outputs.push_back(rows(carried ? carry++ : map++));
    for (const Variable& target : targets_) {
      const Variable& states = all[static_cast<std::size_t>(carry++)];
      const Variable last = taken ? states[Index(taken)] : states[-1];
      result.updates.push_back({target, last});
    }
    return result;
  }

  const ScanOptions& options_;
  Origin at_;
  Vars arguments_;           // of the step
  Vars sequences_, starts_;  // inputs of the op
  std::vector<std::vector<int>> taps_;
  Variable shortest_, n_steps_;
  bool single_ = false;
  Vars next_, maps_, states_, targets_;
  Variable until_;
  std::vector<bool> carried_;  // by output of the step
};

}  // namespace

Tapped::Tapped(double value, Origin origin)
    : Tapped(constant(Array(value).astype(config().float_x()), origin), origin) {}

Tapped taps(Operand x, std::vector<int> steps) {
  return {x, std::move(steps)};
}

ScanResult::operator Variable() const {
  if (outputs.size() == 1) return outputs[0];
  throw Error(
      Error::Kind::value,
      "a loop with " + std::to_string(outputs.size()) + " outputs was taken for one variable",
      "take them by number: result[0]");
}

const Variable& ScanResult::updated(const Variable& shared) const {
  for (const Update& u : updates) {
    if (u.target == shared) return u.value;
  }
  throw Error(Error::Kind::value, "the loop does not change '" + shared.name() + "'");
}

ScanResult scan(ScanFunction step, const ScanOptions& options, Origin at) {
  try {
    return Builder(options, at).run(step);
  } catch (Error& error) {
    error.at(at);
    throw;
  }
}

ScanResult scan_map(
    ScanFunction step, const std::vector<Tapped>& sequences, const Vars& non_sequences, Origin at) {
  return scan(step, {.sequences = sequences, .non_sequences = non_sequences}, at);
}

ScanResult scan_reduce(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences,
    bool go_backwards,
    Origin at) {
  ScanResult result = scan(
      step,
      {
          .sequences = sequences,
          .outputs_info = outputs_info,
          .non_sequences = non_sequences,
          .go_backwards = go_backwards,
      },
      at);
  for (Variable& v : result.outputs)
    v = v[-1];
  return result;
}

ScanResult foldl(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences,
    Origin at) {
  return scan_reduce(step, sequences, outputs_info, non_sequences, false, at);
}

ScanResult foldr(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences,
    Origin at) {
  return scan_reduce(step, sequences, outputs_info, non_sequences, true, at);
}

}  // namespace hypatia
