#include "engine/expr/variable.h"

#include "engine/core/error.h"
#include "engine/expr/infer.h"
#include "engine/expr/leaves.h"
#include "engine/expr/op.h"
#include "engine/expr/origin_scope.h"
#include "engine/expr/watch.h"

namespace hypatia {

namespace {

const std::string no_name;

Types infer(const Op& op, const Vars& inputs, const Attrs& attrs, const Origin& at) {
  Types in;
  std::vector<const Array*> values;
  in.reserve(inputs.size());
  values.reserve(inputs.size());
  for (const Variable& v : inputs) {
    if (!v) no_variable("an operand", at);
    in.push_back(v.type());
    values.push_back(constant_value(v));
  }
  return infer_types(TypeCall{op, attrs, in, values}, inputs, at);
}

}  // namespace

void no_variable(const char* expected, const Origin& at) {
  throw Error(
      Error::Kind::graph,
      std::string(expected) + " was expected, and an empty variable came",
      "a Variable() stands for no value, as grad(…) answers of a disconnected input by "
      "return_disconnected=\"none\": test it with if (v), or ask for \"zero\"")
      .at(at);
}

void retain(const Apply* node) {
  node->add_owner();
}

// A recursive destructor would overflow on a long chain: dead nodes go through a work list.
void release(const Apply* node) {
  if (!node->drop_owner()) return;
  thread_local std::vector<const Apply*>* draining = nullptr;
  if (draining) {
    draining->push_back(node);
    return;
  }
  std::vector<const Apply*> dead{node};
  draining = &dead;
  while (!dead.empty()) {
    const Apply* next = dead.back();
    dead.pop_back();
    delete next;
  }
  draining = nullptr;
}

const Apply* Variable::owner() const {
  return node_ && !is_leaf(*node_) ? node_.get() : nullptr;
}

const Type& Variable::type() const {
  return node().type(index());
}

const std::string& Variable::name() const {
  return node().name(index());
}

const Variable& Variable::set_name(std::string name) const {
  node().set_name(index(), std::move(name));
  return *this;
}

Tag& Variable::tag() const {
  return node().tag(index());
}

Variable Variable::clone(Origin at) const {
  return input(type(), name(), at);
}

Apply::Apply(const Op& op, Vars inputs, Attrs attrs, Types types, Origin at)
    : op_(&op),
      attrs_(std::move(attrs)),
      inputs_(std::move(inputs)),
      types_(std::move(types)),
      origin_(OriginScope::current() ? *OriginScope::current() : at) {}

Ref<const Apply> Apply::make(const Op& op, Vars inputs, Attrs attrs, Origin at) {
  if (op.arity >= 0 && static_cast<int>(inputs.size()) != op.arity) {
    throw Error(
        Error::Kind::graph,
        std::string(op.name) + " takes " + std::to_string(op.arity) + " inputs, and " +
            std::to_string(inputs.size()) + " came")
        .at(at);
  }
  Types types = infer(op, inputs, attrs, at);
  Ref<const Apply> node = make_typed(op, std::move(inputs), std::move(attrs), std::move(types), at);
  watch(*node);
  return node;
}

Ref<const Apply> Apply::make_typed(
    const Op& op, Vars inputs, Attrs attrs, Types outputs, Origin at) {
  return Ref<const Apply>(
      new Apply(op, std::move(inputs), std::move(attrs), std::move(outputs), at));
}

const std::string& Apply::name(int output) const {
  const auto i = static_cast<std::size_t>(output);
  return i < tags_.size() ? tags_[i].name : no_name;
}

void Apply::set_name(int output, std::string name) const {
  if (name.empty() && tags_.empty()) return;
  tag(output).name = std::move(name);
}

Tag& Apply::tag(int output) const {
  if (tags_.empty()) tags_.resize(types_.size());
  return tags_[static_cast<std::size_t>(output)];
}

const Array* Apply::test_value(int output) const {
  const auto i = static_cast<std::size_t>(output);
  return i < tags_.size() && tags_[i].test_value ? &*tags_[i].test_value : nullptr;
}

Variable apply(const Op& op, Vars inputs, Attrs attrs, Origin at) {
  return Variable(Apply::make(op, std::move(inputs), std::move(attrs), at), 0);
}

Vars apply_all(const Op& op, Vars inputs, Attrs attrs, Origin at) {
  const Ref<const Apply> node = Apply::make(op, std::move(inputs), std::move(attrs), at);
  Vars outputs;
  for (int i = 0; i < node->outputs(); ++i) {
    outputs.emplace_back(node, static_cast<std::uint32_t>(i));
  }
  return outputs;
}

}  // namespace hypatia
