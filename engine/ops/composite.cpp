#include "engine/ops/composite.h"

#include <algorithm>

#include "engine/ops/elementwise.h"

namespace hypatia {

namespace {

void infer_composite(const TypeCall& call, Types& out) {
  const ScalarProgram& program = call.attrs.as<CompositeAttrs>().program;
  for (int value : program.outputs)
    out.push_back(broadcast(call.in, program.dtype(value)));
}

std::vector<Array> eval_composite(const EvalCall& call) {
  const ScalarProgram& program = call.attrs.as<CompositeAttrs>().program;
  const Dims& dims = call.out_types[0].dims();
  std::vector<Array> operands, results;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Array& a : call.in) {
    Dims strides = a.strides();
    for (int axis = 0; axis < dims.rank(); ++axis) {
      if (a.dims()[axis] == 1 && dims[axis] != 1) strides[axis] = 0;
    }
    operands.emplace_back(a.dtype(), dims);
    copy_elements(Array(a.storage(), a.dtype(), dims, strides, a.offset()), operands.back());
    in.push_back(operands.back().address());
  }
  for (int value : program.outputs) {
    results.emplace_back(program.dtype(value), dims);
    out.push_back(results.back().address());
  }
  run_program(program, in.data(), out.data(), elements(dims));
  return results;
}

std::string step_text(const ScalarStep& step, const std::vector<std::string>& values) {
  const auto operand = [&](std::size_t i) { return values[static_cast<std::size_t>(step.in[i])]; };
  const ScalarLowering& lowering = step.op->scalar();
  if (lowering.infix && step.in.size() == 2) {
    const std::string_view symbol = lowering.text.substr(4, 1);
    return "(" + operand(0) + " " + std::string(symbol) + " " + operand(1) + ")";
  }
  if (step.op->name == "neg") return "(-" + operand(0) + ")";
  std::string text(step.op->name);
  if (!step.attrs.empty()) text += "{" + step.attrs.text() + "}";
  text += "(";
  for (std::size_t i = 0; i < step.in.size(); ++i)
    text += (i ? ", " : "") + operand(i);
  return text + ")";
}

/// A block of one value, converted to what a step's operand needs.
class Block {
 public:
  Block(const void* data, DType dtype, std::int64_t n, DType wanted) : data_(data) {
    if (dtype == wanted) return;
    const Dims dims{n};
    converted_ = Array(wanted, dims);
    const Ref<Storage> storage =
        borrow_host(const_cast<void*>(data), static_cast<std::size_t>(n * size_of(dtype)));
    copy_elements(Array(storage, dtype, dims, Dims{size_of(dtype)}, 0), converted_);
    data_ = converted_.address();
  }

  const void* data() const { return data_; }

 private:
  const void* data_;
  Array converted_{DType::boolean, Dims{0}};
};

void run_step(
    const ScalarProgram& program,
    const ScalarStep& step,
    const std::vector<const void*>& values,
    void* out,
    std::int64_t n) {
  std::vector<Block> blocks;
  std::vector<const void*> in;
  blocks.reserve(step.in.size());
  for (std::size_t i = 0; i < step.in.size(); ++i) {
    const bool condition = step.types.first_is_condition && i == 0;
    const DType wanted = condition ? DType::boolean : step.types.operand;
    blocks.emplace_back(
        values[static_cast<std::size_t>(step.in[i])], program.dtype(step.in[i]), n, wanted);
    in.push_back(blocks.back().data());
  }
  step.op->scalar().loop({step.attrs, step.types.operand, step.types.result, in.data(), out, n});
}

}  // namespace

bool ScalarStep::operator==(const ScalarStep& other) const {
  return op == other.op && attrs == other.attrs && in == other.in &&
         types.operand == other.types.operand && types.result == other.types.result &&
         types.first_is_condition == other.types.first_is_condition;
}

DType ScalarProgram::dtype(int value) const {
  const auto v = static_cast<std::size_t>(value);
  return v < inputs.size() ? inputs[v] : steps[v - inputs.size()].types.result;
}

std::size_t attribute_hash(const ScalarProgram& program) {
  std::size_t hash = program.inputs.size() * 31U + program.steps.size();
  for (const ScalarStep& s : program.steps) {
    hash = hash * 1000003U + reinterpret_cast<std::size_t>(s.op) / 16U + s.attrs.hash();
    for (int v : s.in)
      hash = hash * 31U + static_cast<std::size_t>(v);
  }
  return hash;
}

std::string attribute_text(const ScalarProgram& program) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    names.push_back("i" + std::to_string(i));
  std::string text;
  for (int value : program.outputs) {
    text += (text.empty() ? "" : ", ") + expression_text(program, value, names);
  }
  return text;
}

std::string expression_text(
    const ScalarProgram& program, int value, const std::vector<std::string>& input_names) {
  std::vector<std::string> values = input_names;
  // A value read often would make the text grow exponentially, so that long ones get cut.
  constexpr std::size_t longest = 400;
  for (const ScalarStep& step : program.steps) {
    std::string text = step_text(step, values);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    values.push_back(std::move(text));
  }
  return values[static_cast<std::size_t>(value)];
}

void run_program(
    const ScalarProgram& program, const void* const* in, void* const* out, std::int64_t n) {
  std::vector<const void*> values(in, in + program.inputs.size());
  std::vector<Array> temporaries;
  temporaries.reserve(program.steps.size());
  for (const ScalarStep& step : program.steps) {
    temporaries.emplace_back(step.types.result, Dims{n});
    run_step(program, step, values, temporaries.back().address(), n);
    values.push_back(temporaries.back().address());
  }
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const int value = program.outputs[i];
    const char* from = static_cast<const char*>(values[static_cast<std::size_t>(value)]);
    std::copy_n(from, n * size_of(program.dtype(value)), static_cast<char*>(out[i]));
  }
}

double flops_per_element(const ScalarProgram& program) {
  double flops = 0;
  for (const ScalarStep& step : program.steps)
    flops += step.op->scalar().flops;
  return flops;
}

constinit const Op composite_op{
    .name = "Composite",
    .doc = "several elementwise ops fused into one",
    .arity = -1,
    .infer = infer_composite,
    .lowering = CompositeLowering{},
    .eval = eval_composite,
    .print_name = [](const Apply& node) -> std::string {
      return "Elemwise{Composite{" + attribute_text(node.attrs().as<CompositeAttrs>().program) +
             "}}";
    },
};

ScalarProgram program_of(const Apply& node) {
  if (node.op().is_composite()) return node.attrs().as<CompositeAttrs>().program;
  ScalarProgram program;
  ScalarStep step{&node.op(), node.attrs(), {}, scalar_types(node)};
  for (const Variable& v : node.inputs()) {
    step.in.push_back(static_cast<int>(program.inputs.size()));
    program.inputs.push_back(v.dtype());
  }
  program.steps.push_back(std::move(step));
  program.outputs = {program.value_of_step(0)};
  return program;
}

}  // namespace hypatia
