#include "engine/grad/grad.h"

#include <utility>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/origin_scope.h"
#include "engine/grad/reverse.h"
#include "engine/ops/math.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

void check_word(
    std::string_view option, const std::string& word, std::initializer_list<std::string_view> all) {
  std::string list;
  for (std::string_view allowed : all) {
    if (word == allowed) return;
    list += (list.empty() ? "'" : ", '") + std::string(allowed) + "'";
  }
  throw Error(
      Error::Kind::value,
      std::string(option) + " of grad can't be '" + word + "'",
      "it is one of " + list);
}

void check_options(const GradOptions& options) {
  check_word("disconnected_inputs", options.disconnected_inputs, {"raise", "warn", "ignore"});
  check_word("return_disconnected", options.return_disconnected, {"zero", "none"});
  check_word("null_gradients", options.null_gradients, {"raise", "return"});
}

ReverseSweep::Seeds seeds_of(const Variable& cost, const GradOptions& options) {
  ReverseSweep::Seeds seeds = options.known_grads;
  for (const auto& [v, gradient] : seeds) {
    const bool fits = v && gradient && gradient.ndim() == v.ndim() && is_float(gradient.dtype());
    if (fits) continue;
    throw Error(
        Error::Kind::graph,
        "a known gradient must be a float of as many axes as its variable",
        "give pairs of a variable and its gradient")
        .with(v ? describe(v, v.type(), "variable") : Error::Operand{"variable", "none", "", {}})
        .with(
            gradient ? describe(gradient, gradient.type(), "gradient")
                     : Error::Operand{"gradient", "none", "", {}});
  }
  if (!cost) {
    if (!seeds.empty()) return seeds;
    throw Error(
        Error::Kind::graph,
        "grad needs a cost, or known_grads",
        "pass the 0-d variable to minimise");
  }
  if (cost.ndim() != 0) {
    throw Error(
        Error::Kind::shape,
        "the cost must be a scalar, and it has " + std::to_string(cost.ndim()) + " axes",
        "reduce it first, as cost.mean() or cost.sum(); jacobian differentiates vectors")
        .with(describe(cost, cost.type(), "cost"));
  }
  const OriginScope scope(cost.node().origin());
  const DType dtype = is_float(cost.dtype()) ? cost.dtype() : config().float_x();
  seeds.emplace_back(cost, fill(cost, Array(1.0).astype(dtype)));
  return seeds;
}

Variable float_zeros(const Variable& wrt) {
  const DType dtype = is_float(wrt.dtype()) ? wrt.dtype() : config().float_x();
  return fill(wrt, Array(0.0).astype(dtype));
}

std::string named(const Variable& v) {
  return v.name().empty() ? std::string("an unnamed variable") : "'" + v.name() + "'";
}

Variable undefined(const Variable& wrt, const Apply& culprit, const GradOptions& options) {
  if (options.null_gradients == "return") return {};
  throw Error(
      Error::Kind::graph,
      "the gradient by " + named(wrt) + " is undefined: " + print_name(culprit) +
          " has no derivative",
      "list the expression in consider_constant, or set null_gradients to 'return'")
      .with(describe(wrt, wrt.type(), "wrt"))
      .with({"undefined at", brief(culprit.type(0)), culprit.name(0), culprit.origin()});
}

Variable disconnected(const Variable& wrt, const GradOptions& options) {
  const std::string text = "the cost does not depend on " + named(wrt) +
                           ", or only through ops without a gradient, as sizes and integers";
  if (options.disconnected_inputs == "raise") {
    throw Error(
        Error::Kind::graph,
        text,
        "leave it out of wrt, or set disconnected_inputs to 'ignore' for a gradient of zeros")
        .with(describe(wrt, wrt.type(), "wrt"));
  }
  if (options.disconnected_inputs == "warn") warn("grad: " + text);
  return options.return_disconnected == "none" ? Variable() : float_zeros(wrt);
}

Variable result(const Bar& bar, const Variable& cost, const Variable& wrt, const GradOptions& o) {
  const OriginScope scope(wrt.node().origin());
  switch (bar.state) {
    case Bar::State::none:
      return disconnected(wrt, o);
    case Bar::State::undefined:
      return undefined(wrt, *bar.culprit, o);
    case Bar::State::zero:
      return float_zeros(wrt);
    case Bar::State::value:
      break;
  }
  if (cost && !cost.name().empty() && !wrt.name().empty() && bar.value.name().empty() &&
      bar.value.owner()) {
    bar.value.set_name("(d" + cost.name() + "/d" + wrt.name() + ")");
  }
  return bar.value;
}

thread_local std::int64_t nanoseconds_in_grad = 0;

/// Adds the time from construction to destruction.
class Timing {
 public:
  Timing() = default;

  ~Timing() { nanoseconds_in_grad += now() - begin_; }

  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

 private:
  const std::int64_t begin_ = now();
};

}  // namespace

double take_seconds_in_grad() {
  return static_cast<double>(std::exchange(nanoseconds_in_grad, 0)) * 1e-9;
}

Vars grad(const Variable& cost, const Vars& wrt, const GradOptions& options, Origin at) {
  const Timing timing;
  try {
    check_options(options);
    for (const Variable& v : wrt) {
      if (!v) throw Error(Error::Kind::graph, "grad by no variable", "pass what to derive by");
    }
    const ReverseSweep sweep(seeds_of(cost, options), wrt, options.consider_constant);
    Vars gradients;
    for (const Variable& v : wrt)
      gradients.push_back(result(sweep.bar(v), cost, v, options));
    return gradients;
  } catch (Error& error) {
    error.at(at);
    throw;
  }
}

Variable grad(const Variable& cost, const Variable& wrt, const GradOptions& options, Origin at) {
  return grad(cost, Vars{wrt}, options, at)[0];
}

}  // namespace hypatia
