#include "engine/expr/leaves.h"

#include <atomic>
#include <mutex>

#include "engine/core/error.h"
#include "engine/expr/op.h"
#include "engine/expr/shared_guard.h"
#include "engine/expr/watch.h"

namespace hypatia {

namespace {

std::atomic<std::uint64_t> next_input{1};

std::string leaf_name(const Apply& node) {
  return std::string(node.op().name);
}

}  // namespace

constinit const Op input_op{
    .name = "input",
    .doc = "a free variable, bound by each call",
    .arity = 0,
    .print_name = leaf_name,
};

constinit const Op constant_op{
    .name = "constant",
    .doc = "a value known when the graph is built",
    .arity = 0,
    .print_name = leaf_name,
};

constinit const Op shared_op{
    .name = "shared",
    .doc = "a value that survives calls",
    .arity = 0,
    .print_name = leaf_name,
};

SharedBox::SharedBox(Array v, Type t, std::string n)
    : value(std::move(v)), type(t), name(std::move(n)), guard_(new Guard) {}

SharedBox::~SharedBox() {
  delete guard_;
}

void retain(const SharedBox* box) {
  box->add_owner();
}

void release(const SharedBox* box) {
  if (box->drop_owner()) delete box;
}

std::size_t attribute_hash(const Ref<SharedBox>& box) {
  return reinterpret_cast<std::size_t>(box.get());
}

std::string attribute_text(const Ref<SharedBox>& box) {
  return box->name;
}

bool is_leaf(const Apply& node) {
  return std::holds_alternative<LeafLowering>(node.op().lowering);
}

bool is_input(const Variable& v) {
  return &v.node().op() == &input_op;
}

bool is_constant(const Variable& v) {
  return &v.node().op() == &constant_op;
}

bool is_shared(const Variable& v) {
  return &v.node().op() == &shared_op;
}

const Array* constant_value(const Variable& v) {
  return is_constant(v) ? &v.node().attrs().as<ConstantAttrs>().value : nullptr;
}

bool constant_number(const Variable& v, double* number) {
  const Array* value = constant_value(v);
  if (!value || value->elements() != 1 || !value->on_host()) return false;
  *number = value->item();
  return true;
}

SharedBox& shared_box(const Variable& v) {
  return *v.node().attrs().as<SharedAttrs>().box;
}

Variable input(const Type& type, std::string name, Origin at) {
  const InputAttrs attrs{.id = next_input.fetch_add(1, std::memory_order_relaxed)};
  Variable v(Apply::make_typed(input_op, {}, attrs, {type}, at), 0);
  v.set_name(std::move(name));
  watch_leaf(v);
  return v;
}

Variable keep_on_host(const Variable& v) {
  if (!is_input(v)) {
    throw Error(Error::Kind::graph, "only inputs and shared variables have a target")
        .with({"variable", brief(v.type()), v.name(), v.node().origin()});
  }
  InputAttrs attrs = v.node().attrs().as<InputAttrs>();
  attrs.keep_on_host = true;
  Variable kept(Apply::make_typed(input_op, {}, attrs, {v.type()}, v.node().origin()), 0);
  kept.set_name(v.name());
  return kept;
}

Variable constant(const Array& value, Origin at) {
  const Array copy = value.on_host() ? value.copy() : asarray(value);
  Type type(copy.dtype(), 0);
  for (std::int64_t d : copy.dims())
    type.push_axis(d, d == 1);
  return constant_of_type(copy, type, at);
}

Variable constant_of_type(const Array& value, const Type& type, Origin at) {
  return Variable(Apply::make_typed(constant_op, {}, ConstantAttrs{value}, {type}, at), 0);
}

DTypeChoice::DTypeChoice(std::string_view name, Origin at) : dtype(config().float_x()) {
  if (name == "floatX") return;
  try {
    dtype = parse_dtype(name);
  } catch (Error& error) {
    error.at(at);
    throw;
  }
}

}  // namespace hypatia
