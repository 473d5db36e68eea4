#include "engine/expr/infer.h"

#include "engine/core/bytes.h"
#include "engine/expr/leaves.h"

namespace hypatia {

namespace {

std::string role_of(std::size_t i, std::size_t count) {
  if (count == 1) return "input";
  if (count == 2) return i == 0 ? "left" : "right";
  return "input " + std::to_string(i);
}

}  // namespace

Error::Operand describe(const Variable& given, const Type& type, const std::string& role) {
  // A copy on another place goes by the name of what it copies.
  const Variable& v = given.node().op().is_transfer() ? given.node().input(0) : given;
  std::string name = v.name();
  if (is_shared(v)) name += name.empty() ? "(shared)" : " (shared)";
  if (is_constant(v)) name += name.empty() ? "(constant)" : " (constant)";
  return {role, brief(type), name, v.node().origin()};
}

Types infer_types(const TypeCall& call, std::span<const Variable> inputs, const Origin& at) {
  Types out;
  try {
    call.op.infer(call, out);
    for (const Type& type : out)
      if (type.known()) static_cast<void>(bytes_of(type.dtype(), type.dims()));
  } catch (Error& error) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      error.with(describe(inputs[i], call.in[i], role_of(i, inputs.size())));
    }
    error.at(at);
    throw;
  }
  return out;
}

std::vector<Array> evaluated(
    const Apply& node, std::span<const Array> in, std::span<const Type> out) {
  try {
    return node.op().eval(EvalCall{node.op(), node.attrs(), in, out});
  } catch (Error& error) {
    error.at(node.origin());
    throw;
  }
}

}  // namespace hypatia
