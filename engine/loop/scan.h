#pragma once
// scan: a loop inside a graph. A step is written once, with symbols for this step's part of the
// sequences and for what earlier steps made; the engine runs it n_steps times.
//
//   auto [powers, updates] = scan(
//       [](Variable before, Variable a) { return before * a; },
//       {.outputs_info = {ones_like(a)}, .non_sequences = {a}, .n_steps = k});
//   Function power = function({a, k}, powers[0][-1], {.updates = updates});

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/expr/index.h"
#include "engine/expr/op.h"
#include "engine/expr/operand.h"
#include "engine/graph/update.h"

namespace hypatia {

/// What one step gives. Steps that only compute may return a Variable or Vars instead.
struct ScanStep {
  Vars outputs = {};
  /// New values of shared variables, made by every step.
  std::vector<Update> updates = {};
  /// A 0-d bool: the step in which it holds is the last.
  Variable until = {};
};

/// A sequence, or the start of an output, with the steps that are looked at: taps(x, {-2, 0, 3})
/// gives a step x[t - 2], x[t] and x[t + 3]; taps(x0, {-2, -1}) gives it its results of two steps
/// and one step ago, x0 having two rows, the oldest first. `none` in outputs_info stands for an
/// output that does not come back to the step.
struct Tapped {
  Variable variable;
  std::vector<int> taps;  // empty: 0 for a sequence, -1 for an output
  Origin at;

  // NOLINTBEGIN(google-explicit-constructor): a plain variable is what most loops take
  Tapped(None, Origin origin = Origin::here()) : at(origin) {}

  Tapped(const Variable& v, Origin origin = Origin::here()) : variable(v), at(origin) {}

  Tapped(const Array& value, Origin origin = Origin::here())
      : variable(Operand(value, origin).variable), at(origin) {}

  /// A number of floatX; integers have the smallest dtype that holds them, as everywhere.
  Tapped(double value, Origin origin = Origin::here());

  Tapped(int value, Origin origin = Origin::here())
      : variable(Operand(value, origin).variable), at(origin) {}

  // NOLINTEND(google-explicit-constructor)

  Tapped(const Operand& operand, std::vector<int> t)
      : variable(operand.variable), taps(std::move(t)), at(operand.at) {}
};

Tapped taps(Operand x, std::vector<int> steps);

/// How a loop runs; every field may be left out.
struct ScanOptions {
  /// Looked at row by row along their first axis.
  std::vector<Tapped> sequences = {};
  /// Where each output starts, in the order in which the step returns them: all or none.
  std::vector<Tapped> outputs_info = {};
  /// Values that every step gets whole.
  Vars non_sequences = {};
  /// How many steps: by default as many as the shortest sequence has rows. With `until` the most.
  Bound n_steps = none;
  /// Sequences are read from their last row to their first.
  bool go_backwards = false;
  /// Gradients go back through that many last steps; -1: through all.
  int truncate_gradient = -1;
  /// Refuses steps that use variables which are not among the non_sequences.
  bool strict = false;
  std::string name = {};
};

/// What a loop gives: each output with one row a step, and the shared variables' values after it,
/// to be passed to function() as updates.
struct ScanResult {
  Vars outputs;
  std::vector<Update> updates;

  /// The only output; throws Error if there are none or several.
  operator Variable() const;  // NOLINT(google-explicit-constructor)

  const Variable& operator[](std::size_t i) const { return outputs[i]; }

  /// What a shared variable becomes; throws Error if the loop does not change it.
  const Variable& updated(const Variable& shared) const;
};

/// A step: any callable of Variables, one an argument, or of one Vars. Arguments come in the order
/// of the options: each sequence's taps as listed, each output's taps as listed, non_sequences.
class ScanFunction {
 public:
  template <class F>

  requires(!std::is_same_v<std::remove_cvref_t<F>, ScanFunction>)
      ScanFunction(F&& f)  // NOLINT: made for implicit conversion
      : object_(const_cast<void*>(static_cast<const volatile void*>(&f))),
        call_([](void* object, const Vars& v, ScanStep* out) {
          return call<0>(*static_cast<std::remove_reference_t<F>*>(object), v, out);
        }) {}

  /// False if it does not take that many arguments.
  bool operator()(const Vars& arguments, ScanStep* out) const {
    return call_(object_, arguments, out);
  }

 private:
  static constexpr std::size_t most = 12;

  template <std::size_t>
  using Argument = const Variable&;

  static ScanStep step(const Variable& output) { return {.outputs = {output}}; }

  static ScanStep step(Vars outputs) { return {.outputs = std::move(outputs)}; }

  static ScanStep step(std::vector<Update> updates) { return {.updates = std::move(updates)}; }

  static ScanStep step(ScanStep all) { return all; }

  template <class F, std::size_t... i>
  static bool spread(F& f, const Vars& v, ScanStep* out, std::index_sequence<i...>) {
    if constexpr (std::is_invocable_v<F&, Argument<i>...>) {
      if (v.size() == sizeof...(i)) {
        *out = step(f(v[i]...));
        return true;
      }
    }
    return false;
  }

  template <std::size_t n, class F>
  static bool call(F& f, const Vars& v, ScanStep* out) {
    if constexpr (std::is_invocable_v<F&, const Vars&>) {
      *out = step(f(v));
      return true;
    } else if constexpr (n <= most) {
      return spread(f, v, out, std::make_index_sequence<n>()) || call<n + 1>(f, v, out);
    } else {
      return false;
    }
  }

  void* object_;
  bool (*call_)(void*, const Vars&, ScanStep*);
};

/// Runs `step` again and again. It is called once, with symbols. Throws Error on taps that name
/// future results, on starts whose dtype or rank the step changes, on steps without an end, and on
/// a negative n_steps; calls throw where a sequence is shorter than n_steps.
ScanResult scan(ScanFunction step, const ScanOptions& options = {}, Origin at = Origin::here());

/// A loop whose gradient keeps the states of every `save_every`-th step only and computes those
/// between once more: memory for n/save_every + save_every steps instead of n. The outputs hold
/// every save_every-th row; all have a start and are looked at one step back. n_steps is a multiple
/// of save_every. Throws Error on other taps, on updates and on `until`.
ScanResult scan_checkpoints(
    ScanFunction step, const ScanOptions& options, int save_every = 10, Origin at = Origin::here());

/// The step of every row, none depending on another.
ScanResult scan_map(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const Vars& non_sequences = {},
    Origin at = Origin::here());
/// The last result of a loop over rows; foldr reads them from the last to the first.
ScanResult scan_reduce(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences = {},
    bool go_backwards = false,
    Origin at = Origin::here());
ScanResult foldl(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences = {},
    Origin at = Origin::here());
ScanResult foldr(
    ScanFunction step,
    const std::vector<Tapped>& sequences,
    const std::vector<Tapped>& outputs_info,
    const Vars& non_sequences = {},
    Origin at = Origin::here());

}  // namespace hypatia
