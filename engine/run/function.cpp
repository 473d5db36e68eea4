#include "engine/run/function.h"

#include "engine/core/error.h"
#include "engine/expr/watch.h"
#include "engine/rewrite/reasons.h"
#include "engine/rewrite/story.h"
#include "engine/run/function_impl.h"

namespace hypatia {

void retain(const FunctionImpl* impl) {
  impl->add_owner();
}

void release(const FunctionImpl* impl) {
  if (impl->drop_owner()) delete impl;
}

void Results::add(Array value) {
  if (size_ == 0) {
    first_ = std::move(value);
  } else {
    if (size_ == 1) several_.push_back(std::move(first_));
    several_.push_back(std::move(value));
  }
  ++size_;
}

void Results::name_by(const std::vector<std::string>& names, const FunctionImpl* owner) {
  names_ = &names;
  owner_ = Ref<const FunctionImpl>(owner);
}

const Array& Results::only() const {
  if (size_ == 1) return first_;
  throw Error(
      Error::Kind::value,
      "the call has " + std::to_string(size_) + " results, and one was asked for",
      "pick one with [i]");
}

const Array& Results::operator[](std::size_t i) const {
  if (i < size_) return begin()[i];
  throw Error(
      Error::Kind::value,
      "result " + std::to_string(i) + " was asked for, and the call has " + std::to_string(size_));
}

void Results::sync() const {
  for (const Array& a : *this)
    a.sync();
}

Outputs::Outputs(std::initializer_list<std::pair<std::string, Variable>> named) {
  for (const auto& [name, variable] : named) {
    names.push_back(name);
    variables.push_back(variable);
  }
}

const Array& Results::operator[](const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; names_ && i < names_->size(); ++i) {
    if ((*names_)[i] == name) return begin()[i];
    known += (known.empty() ? "" : ", ") + (*names_)[i];
  }
  throw Error(
      Error::Kind::value,
      "there is no result named '" + name + "'",
      known.empty() ? "the function's outputs have no names" : "the results are " + known);
}

Function function(
    const std::vector<In>& inputs,
    const Outputs& outputs,
    const FunctionOptions& options,
    Origin at) {
  const Unwatched rewriting;
  return Function(Ref<FunctionImpl>(
      new FunctionImpl(checked_program(inputs, outputs, options, at), options, at)));
}

Array eval(const Variable& v, const std::vector<std::pair<Variable, Array>>& inputs, Origin at) {
  std::vector<In> variables;
  std::vector<const Array*> values;
  for (const auto& [variable, value] : inputs) {
    variables.emplace_back(variable);
    values.push_back(&value);
  }
  return function(variables, v, {.name = "eval"}, at).call(std::span<const Array* const>(values));
}

Array Variable::eval(const std::vector<std::pair<Variable, Array>>& inputs, Origin at) const {
  return hypatia::eval(*this, inputs, at);
}

FunctionImpl& Function::impl() const {
  if (impl_) return *impl_;
  throw Error(
      Error::Kind::graph,
      "a compiled function was expected, and an empty Function came",
      "make one with function(…) first");
}

Function Function::copy(const CopyOptions& options) const {
  const Unwatched rewriting;
  return Function(Ref<FunctionImpl>(new FunctionImpl(impl(), options)));
}

void Function::free() const {
  impl().free();
}

void Function::save(const std::string& path) const {
  impl().save(path);
}

Array Function::value(const std::string& input) const {
  return impl().value(input);
}

void Function::set_value(const std::string& input, const Array& value) const {
  impl().set_value(input, value);
}

Results Function::call_named(std::vector<Named> arguments) const {
  return impl().call_named(arguments);
}

Results Function::call(std::span<const Array> values) const {
  std::vector<const Array*> pointers;
  for (const Array& a : values)
    pointers.push_back(&a);
  return impl().call(pointers);
}

Results Function::call(std::span<const Array* const> values) const {
  return impl().call(values);
}

Results Function::fn(const CallOptions& options) const {
  return impl().call_times(options.n_calls);
}

const std::string& Function::name() const {
  return impl().name();
}

const Graph& Function::graph() const {
  return impl().graph();
}

std::vector<const Apply*> Function::toposort() const {
  return impl().graph().order();
}

bool Function::uses_gpu() const {
  for (const Apply* node : impl().graph().order()) {
    for (const Type& t : node->types()) {
      if (!t.place().on_host()) return true;
    }
  }
  return false;
}

std::string Function::why() const {
  std::string text;
  for (const Apply* node : impl().graph().order()) {
    const bool moves = node->op().is_transfer();
    const std::string reason = moves ? transfer_reason(*node) : cpu_reason(*node);
    if (!reason.empty()) text += print_name(*node) + ": " + reason + "\n";
  }
  return text;
}

const RewriteLog& Function::rewrites() const {
  return impl().rewrites();
}

std::string Function::story() const {
  return to_text(impl().rewrites(), impl().name());
}

Mode Mode::including(const std::vector<std::string>& names) const {
  Mode mode = *this;
  mode.included.insert(mode.included.end(), names.begin(), names.end());
  return mode;
}

Mode Mode::excluding(const std::vector<std::string>& names) const {
  Mode mode = *this;
  mode.excluded.insert(mode.excluded.end(), names.begin(), names.end());
  return mode;
}

Mode Mode::requiring(const std::vector<std::string>& names) const {
  Mode mode = *this;
  mode.required.insert(mode.required.end(), names.begin(), names.end());
  return mode;
}

std::string Function::source() const {
  return impl().source();
}

std::string debugprint(const Function& function, const PrintOptions& options) {
  const Graph& graph = function.graph();
  Vars roots = graph.outputs();
  for (const Update& u : graph.updates())
    roots.push_back(u.value);
  return debugprint(roots, graph.order(), options);
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
