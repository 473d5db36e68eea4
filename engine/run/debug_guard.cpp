#include "engine/run/debug_guard.h"

#include <algorithm>
#include <cmath>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/text.h"
#include "engine/expr/leaves.h"
#include "engine/run/nan_guard.h"

namespace hypatia {

namespace {

/// The few first elements where they differ, for the message.
std::string difference_text(const Array& expected, const Array& came) {
  if (!(expected.dims() == came.dims())) {
    return "expected sizes " + to_text(expected.dims()) + ", got " + to_text(came.dims());
  }
  const std::vector<double> e = expected.to_vector(), c = came.to_vector();
  double largest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double by = e[i] == c[i] ? 0 : std::abs(e[i] - c[i]);
    if (by <= largest && !std::isnan(by)) continue;
    largest = by;
    at = i;
    if (std::isnan(by)) break;
  }
  return "element " + std::to_string(at) + ": expected " + number_text(e[at]) + ", got " +
         number_text(c[at]);
}

Error mistake(
    const std::string& what, const Variable& v, const Array& expected, const Array& came) {
  Error error(Error::Kind::internal, what, "please report it with the program that found it");
  error.at(v.node().origin());
  error.note(difference_text(expected, came));
  error.note("in this expression:").note(tree_note(v));
  return error;
}

/// Leaves of two graphs that stand for the same thing: inputs themselves, shared variables by box.
Values leaves_for(const Graph& graph, const Graph& like, const Values& values) {
  Values leaves = values;
  for (const Variable& v : graph.shared()) {
    for (const Variable& same : like.shared()) {
      if (&shared_box(v) == &shared_box(same)) leaves[v] = values.at(same);
    }
  }
  return leaves;
}

Vars results_of(const Graph& graph) {
  Vars roots = graph.outputs();
  for (const Update& u : graph.updates())
    roots.push_back(u.value);
  return roots;
}

/// `came`, but where `expected` is NaN or infinite as that: rewrites that stabilise make such
/// values finite, and are meant to.
Array forgiven(const Array& came, const Array& expected) {
  if (!is_float(came.dtype()) || !(came.dims() == expected.dims())) return came;
  Array result = came.copy();
  const Array wide = expected.astype(DType::float64);
  visit(result.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<T> to = result.span<T>();
    const std::span<double> from = wide.span<double>();
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!std::isfinite(from[i])) to[i] = static_cast<T>(from[i]);
    }
  });
  return result;
}

const Array& value_in(const Values& values, const Variable& v) {
  const Array* constant = constant_value(v);
  return constant ? *constant : values.at(v);
}

}  // namespace

bool nearly_equal(const Array& a, const Array& b) {
  if (!(a.dims() == b.dims()) || a.dtype() != b.dtype()) return false;
  if (!is_float(a.dtype())) return same_elements(a, b);
  double scale = 0;
  for (double x : b.to_vector())
    scale = std::isfinite(x) ? std::max(scale, std::abs(x)) : scale;
  const double tolerance = a.dtype() == DType::float32 ? 1e-4 : 1e-8;
  return all_close(a, b, tolerance, tolerance * scale);
}

DebugGuard::DebugGuard(const Graph& graph, const Graph& source, std::string function)
    : graph_(graph),
      source_(source),
      function_(std::move(function)),
      finite_(config().boolean("DebugMode.check_finite")) {}

void DebugGuard::begin(std::span<const Array* const> inputs, std::span<const Array* const> shared) {
  Values leaves;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    leaves[graph_.inputs()[i]] = asarray(*inputs[i]).copy();
  for (std::size_t i = 0; i < shared.size(); ++i)
    leaves[graph_.shared()[i]] = asarray(*shared[i]).copy();
  expected_ = reference_values(graph_, leaves);
  compare_programs(leaves);
}

void DebugGuard::compare_programs(const Values& leaves) const {
  const Values wanted = reference_values(source_, leaves_for(source_, graph_, leaves));
  const Vars before = results_of(source_), after = results_of(graph_);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Array &expected = value_in(wanted, before[i]), &came = value_in(expected_, after[i]);
    if (nearly_equal(forgiven(came, expected), expected)) continue;
    throw mistake(
        "DebugMode: rewrites changed result " + std::to_string(i) + " of '" + function_ + "'",
        before[i],
        expected,
        came)
        .note("leave rewrites out by the flag optimizer_excluding to find the one that is wrong");
  }
}

void DebugGuard::made(const Apply& node, int output, const Array& value) {
  const Variable v(Ref<const Apply>(&node), static_cast<std::uint32_t>(output));
  const auto found = expected_.find(v);
  if (found == expected_.end() || found->second.elements() != value.elements()) return;
  const Array& expected = found->second;
  const Array came = value.copy().reshape(expected.dims());
  const NumberChecks finite{.big = false};
  const std::string_view wrong = finite_ ? wrong_number(came, finite) : "";
  if (!wrong.empty()) {
    throw Error(
        Error::Kind::value,
        "DebugMode: " + std::string(wrong) + " in the output of " + print_name(node),
        "set DebugMode.check_finite=False to let it pass")
        .at(node.origin());
  }
  if (nearly_equal(came, expected)) return;
  throw mistake(
      "DebugMode: " + print_name(node) + " in '" + function_ + "' is not what its reference gives",
      v,
      expected,
      came);
}

}  // namespace hypatia
