#include "engine/run/function.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/run/function_impl.h"

namespace hypatia {

namespace {

void check_updates(const std::vector<Update>& updates) {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Variable &target = updates[i].target, &value = updates[i].value;
    if (!is_shared(target)) {
      throw Error(Error::Kind::graph, "only shared variables can be updated")
          .with(describe(target, target.type(), "target"));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!(updates[j].target == target)) continue;
      throw Error(Error::Kind::graph, "a shared variable is updated twice")
          .with(describe(target, target.type(), "target"));
    }
    if (value.type().with_place(target.type().place()).same(target.type())) continue;
    throw Error(
        Error::Kind::dtype,
        "an update must have the same type as its shared variable",
        "convert the new value with cast, or declare the variable with the type that comes")
        .with(describe(target, target.type(), "shared"))
        .with(describe(value, value.type(), "new value"));
  }
}

void check_inputs(const Vars& inputs, std::span<const Variable> roots, const std::string& name) {
  const Vars leaves = leaves_of(roots);
  const auto among = [](const Vars& list, const Variable& v) {
    return std::find(list.begin(), list.end(), v) != list.end();
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_input(inputs[i])) {
      throw Error(
          Error::Kind::graph,
          "input " + std::to_string(i) + " of " + name + " is not a free variable",
          "use givens to put a value in the place of an expression or a shared variable")
          .with(describe(inputs[i], inputs[i].type(), "input"));
    }
    if (std::count(inputs.begin(), inputs.end(), inputs[i]) > 1) {
      throw Error(Error::Kind::graph, "input " + std::to_string(i) + " of " + name + " comes twice")
          .with(describe(inputs[i], inputs[i].type(), "input"));
    }
    if (!among(leaves, inputs[i])) {
      throw Error(
          Error::Kind::graph,
          "input " + std::to_string(i) + " of " + name + " is not used by its outputs or updates",
          "leave it out, or set on_unused_input to 'warn' or 'ignore'")
          .with(describe(inputs[i], inputs[i].type(), "input"));
    }
  }
  for (const Variable& v : leaves) {
    if (!is_input(v) || among(inputs, v)) continue;
    throw Error(
        Error::Kind::graph,
        name + " needs a value for '" + v.name() + "', which is not among its inputs",
        "add it to the inputs, or give it a value through givens")
        .with(describe(v, v.type(), "missing"));
  }
}

}  // namespace

void retain(const FunctionImpl* impl) {
  impl->add_owner();
}

void release(const FunctionImpl* impl) {
  if (impl->drop_owner()) delete impl;
}

const Array& Results::only() const {
  if (values_.size() == 1) return values_[0];
  throw Error(
      Error::Kind::value,
      "the call has " + std::to_string(values_.size()) + " results, and one was asked for",
      "pick one with [i]");
}

const Array& Results::operator[](std::size_t i) const {
  if (i < values_.size()) return values_[i];
  throw Error(
      Error::Kind::value,
      "result " + std::to_string(i) + " of a call with " + std::to_string(values_.size()));
}

void Results::sync() const {
  for (const Array& a : values_)
    a.sync();
}

Function function(
    const Vars& inputs, const Outputs& outputs, const FunctionOptions& options, Origin at) {
  const std::string name = options.name.empty() ? "the function" : "'" + options.name + "'";
  Vars roots = outputs.variables;
  std::vector<Update> updates = options.updates;
  check_updates(updates);
  for (const Update& u : updates)
    roots.push_back(u.value);
  if (!options.givens.empty()) {
    roots = substitute(roots, options.givens);
    for (std::size_t i = 0; i < updates.size(); ++i) {
      updates[i].value = roots[outputs.variables.size() + i];
    }
  }
  try {
    check_inputs(inputs, roots, name);
  } catch (Error& error) {
    error.at(at);
    throw;
  }
  const Vars results(roots.begin(), roots.begin() + static_cast<long>(outputs.variables.size()));
  return Function(
      Ref<FunctionImpl>(new FunctionImpl(Graph(inputs, results, std::move(updates)), options, at)));
}

Results Function::call(std::span<const Array> values) const {
  return impl_->call(values);
}

Results Function::repeat(int n_calls) const {
  Results results;
  for (int i = 0; i < n_calls; ++i)
    results = impl_->call({});
  return results;
}

const std::string& Function::name() const {
  return impl_->name();
}

const Graph& Function::graph() const {
  return impl_->graph();
}

std::vector<const Apply*> Function::toposort() const {
  return impl_->graph().order();
}

bool Function::uses_gpu() const {
  for (const Apply* node : impl_->graph().order()) {
    for (const Type& t : node->types()) {
      if (!t.place().on_host()) return true;
    }
  }
  return false;
}

const RewriteLog& Function::rewrites() const {
  return impl_->rewrites();
}

std::string Function::source() const {
  return impl_->source();
}

std::string to_text(const std::vector<const Apply*>& nodes) {
  std::string text = "[";
  for (const Apply* node : nodes) {
    if (text.size() > 1) text += ", ";
    text += print_name(*node) + "(";
    for (std::size_t i = 0; i < node->inputs().size(); ++i) {
      text += (i ? ", " : "") + operand_text(node->inputs()[i]);
    }
    text += ")";
  }
  return text + "]";
}

}  // namespace hypatia
