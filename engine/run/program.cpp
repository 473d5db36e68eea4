// checked_program: what the user gave function(), with every mistake told in the user's terms.
#include <algorithm>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/flags.h"
#include "engine/core/warning.h"
#include "engine/expr/infer.h"
#include "engine/graph/default_update.h"
#include "engine/loop/scan_op.h"
#include "engine/run/function_impl.h"

namespace hypatia {

namespace {

bool among(const Vars& list, const Variable& v) {
  return std::find(list.begin(), list.end(), v) != list.end();
}

Error about(const Variable& v, const std::string& role, std::string summary, std::string help) {
  Error error(Error::Kind::graph, std::move(summary), std::move(help));
  error.with(describe(v, v.type(), role));
  return error;
}

/// A variable may be empty only where there is nothing to give.
void check_there(const Variable& v, const std::string& what) {
  if (!v) no_variable(what.c_str());
}

bool same_type(const Variable& a, const Variable& b) {
  return a.type().with_place(host).same(b.type().with_place(host));
}

/// What makes `value` one of the type of `wanted`.
std::string how_to_fit(const Variable& value, const Variable& wanted) {
  if (value.dtype() != wanted.dtype()) return "convert the new value with cast";
  if (value.ndim() != wanted.ndim()) {
    return "the ranks differ: use reshape or dimshuffle";
  }
  return "the broadcastable axes differ: use unbroadcast(value, axes), or patternbroadcast with "
         "the pattern that is wanted";
}

Error misfit(
    const Variable& wanted,
    const std::string& role,
    const Variable& value,
    const std::string& value_role,
    const std::string& summary) {
  return Error(Error::Kind::dtype, summary, how_to_fit(value, wanted))
      .with(describe(wanted, wanted.type(), role))
      .with(describe(value, value.type(), value_role));
}

void check_updates(const std::vector<Update>& updates) {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Variable &target = updates[i].target, &value = updates[i].value;
    if (!target || !is_shared(target)) {
      throw Error(Error::Kind::graph, "only shared variables can be updated");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (updates[j].target == target) {
        throw about(target, "target", "a shared variable is updated twice", "");
      }
    }
    check_there(value, "the new value of a shared variable");
    if (same_type(value, target)) continue;
    throw misfit(
        target,
        "shared",
        value,
        "new value",
        "an update must have the same type as its shared variable");
  }
}

/// All are replaced at once, so that none can stand in the place of another.
void check_given_once(const FunctionOptions& options, const Variable& from, const Variable& to) {
  int times = 0;
  for (const auto& [other, ignored] : options.givens) {
    times += other == from ? 1 : 0;
    const Vars leaves = leaves_of({&to, 1});
    if (other == from || !among(leaves, other)) continue;
    throw about(
        other,
        "target",
        "a given's replacement reads the target of another",
        "write the replacement without it");
  }
  if (times > 1) throw about(from, "target", "a variable is replaced twice by givens", "");
}

void check_givens(const FunctionOptions& options, const Vars& inputs) {
  for (const auto& [from, to] : options.givens) {
    check_there(from, "the target of a given");
    check_there(to, "the replacement of a given");
  }
  for (const auto& [from, to] : options.givens) {
    check_given_once(options, from, to);
    if (among(inputs, from)) {
      throw about(
          from,
          "target",
          "a variable is both an input and the target of a given",
          "leave it out of one of them");
    }
    if (same_type(to, from)) continue;
    throw misfit(from, "replaced", to, "given", "a given must have the type of what it replaces");
  }
}

/// Private state: its new value takes the place of its default.
void check_state(const In& in, const std::string& number) {
  const Variable& update = in.options.update;
  if (!update) return;
  if (!in.options.value.given) {
    throw about(
        in.variable,
        "input",
        number + " has an update and no value to begin with",
        "declare it as In(x, {.value = …, .update = …})");
  }
  if (same_type(update, in.variable)) return;
  throw misfit(
      in.variable,
      "input",
      update,
      "new value",
      "the update of " + number + " must have the input's type");
}

void check_input(const Vars& inputs, std::size_t i) {
  const Variable& v = inputs[i];
  const std::string number = "input " + std::to_string(i);
  check_there(v, number);
  if (is_shared(v)) {
    throw about(
        v,
        "input",
        number + " is a shared variable, which has its value already",
        "leave it out of the inputs; givens={{" + v.name() +
            ", another}} computes with another variable in its place");
  }
  if (!is_input(v)) {
    throw about(
        v,
        "input",
        number + " is not a free variable",
        "use givens to put a value in the place of an expression");
  }
  if (std::count(inputs.begin(), inputs.end(), v) > 1) {
    throw about(v, "input", number + " comes twice", "");
  }
}

void check_unused(const Variable& v, std::size_t i, const std::string& what_to_do) {
  if (what_to_do == "ignore") return;
  const Error error = about(
      v,
      "input",
      "input " + std::to_string(i) + " is not part of what computes the outputs and updates",
      "leave it out, or pass on_unused_input 'warn' or 'ignore'");
  if (what_to_do == "raise") throw error;
  warn(error.what());
}

void check_missing(const Vars& inputs, const Vars& leaves) {
  for (const Variable& v : leaves) {
    if (!is_input(v) || among(inputs, v)) continue;
    throw about(
        v,
        "missing",
        "a value is needed for " +
            (v.name().empty() ? "an unnamed variable" : "'" + v.name() + "'") +
            ", which is not among the inputs",
        "add it to the inputs, or give it a value through givens");
  }
}

/// Updates of the shared variables in use that have a default one and no other.
void add_default_updates(const Vars& roots, std::vector<Update>* updates) {
  for (const Variable& leaf : leaves_beside_states(roots)) {
    if (!is_shared(leaf)) continue;
    const bool updated = std::any_of(
        updates->begin(), updates->end(), [&](const Update& u) { return u.target == leaf; });
    const Variable value = default_update(leaf);
    if (!updated && value) updates->push_back({leaf, value});
  }
}

}  // namespace

Program checked_program(
    const std::vector<In>& inputs,
    const Outputs& outputs,
    const FunctionOptions& options,
    Origin at) {
  try {
    Program program;
    program.inputs = inputs;
    program.output_names = outputs.names;
    Vars variables, roots = outputs.variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      variables.push_back(inputs[i].variable);
      if (!inputs[i].options.update) continue;
      program.state.push_back(i);
      roots.push_back(inputs[i].options.update);
    }
    for (std::size_t i = 0; i < outputs.variables.size(); ++i)
      check_there(outputs.variables[i], "output " + std::to_string(i));
    for (std::size_t i = 0; i < variables.size(); ++i) {
      check_input(variables, i);
      check_state(inputs[i], "input " + std::to_string(i));
    }
    std::vector<Update> updates = options.updates;
    check_updates(updates);
    if (!options.no_default_updates) {
      Vars all = roots;
      for (const Update& u : updates)
        all.push_back(u.value);
      add_default_updates(all, &updates);
    }
    check_givens(options, variables);
    const std::size_t outputs_end = roots.size();
    for (const Update& u : updates)
      roots.push_back(u.value);
    if (!options.givens.empty()) roots = substitute(roots, options.givens);
    const Vars leaves = leaves_of(roots);
    const std::string unused =
        options.on_unused_input.empty()
            ? std::string(config().on_unused_input())
            : checked_value(flags()[flag_row("on_unused_input")], options.on_unused_input);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (!among(leaves, variables[i])) check_unused(variables[i], i, unused);
    }
    check_missing(variables, leaves);
    for (std::size_t i = 0; i < updates.size(); ++i)
      updates[i].value = roots[outputs_end + i];
    roots.resize(outputs_end);
    program.graph = Graph(std::move(variables), std::move(roots), std::move(updates));
    return program;
  } catch (Error& error) {
    error.at(at);
    if (!options.name.empty()) error.note("in the making of '" + options.name + "'");
    throw;
  }
}

}  // namespace hypatia
