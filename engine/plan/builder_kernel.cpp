// The part of PlanBuilder that makes loop nests.
#include <algorithm>

#include "engine/ops/math.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/plan/builder.h"

namespace hypatia {

namespace {

double weight_of(const Apply& node, std::int64_t points) {
  const double flops = node.op().is_reduction() ? 1.0 : flops_per_element(program_of(node));
  return std::max(flops, 1.0) * static_cast<double>(std::max<std::int64_t>(points, 1));
}

/// The operands of a kernel's program, by variable: loads first, literals after them.
class OperandNumbers {
 public:
  void add_load(const Variable& v, const Located& at) {
    if (numbers_.contains(v)) return;
    numbers_.emplace(v, static_cast<int>(loads.size()));
    loads.push_back(at);
  }

  void add_literal(const Variable& v, const Array& value) {
    if (numbers_.contains(v) || literal_numbers_.contains(v)) return;
    literal_numbers_.emplace(v, static_cast<int>(literals.size()));
    literals.push_back(value);
  }

  int number(const Variable& v) const {
    const auto load = numbers_.find(v);
    if (load != numbers_.end()) return load->second;
    return static_cast<int>(loads.size()) + literal_numbers_.at(v);
  }

  std::vector<Located> loads;
  std::vector<Array> literals;

 private:
  std::unordered_map<Variable, int, VariableHash> numbers_, literal_numbers_;
};

}  // namespace

KernelWork PlanBuilder::kernel_work(const LoopNest& nest, Place place) {
  KernelWork work{collapsed(nest)};
  const LoopNest& simple = work.nest;
  // A fold of everything to one element has no kept axis to run in parallel: it goes by chunks.
  const bool whole =
      !simple.folds.empty() && simple.extents.rank() == 1 && simple.reduced.size() == 1;
  if (!whole || simple.extents[0] <= fold_chunk) return work;
  work.chunks = (simple.extents[0] + fold_chunk - 1) / fold_chunk;
  const std::int64_t results = work.chunks * static_cast<std::int64_t>(simple.folds.size());
  work.scratch = add_buffer(
      BufferKind::temporary, -1, Type(DType::float64, Dims{results}).with_place(place), nullptr);
  return work;
}

void PlanBuilder::add_kernel(const std::vector<int>& nodes) {
  const Apply& first = node(nodes.front());
  const Variable space = first.op().is_reduction() ? first.input(0) : output_of(nodes.front());
  const Place place = first.type(0).place();
  const int group = groups_.group_of[static_cast<std::size_t>(nodes.front())];
  const auto inside = [&](const Variable& v) {
    const int n = graph_.position(&v.node());
    return n >= 0 && groups_.group_of[static_cast<std::size_t>(n)] == group &&
           !concrete_.value(v) && !v.node().op().is_reduction();
  };

  LoopNest nest;
  nest.extents = concrete_.type(space).dims();
  OperandNumbers operands;
  for (int n : nodes) {
    for (const Variable& v : node(n).inputs()) {
      if (inside(v)) continue;
      const Array* value = concrete_.value(v);
      if (value && value->elements() == 1) {
        operands.add_literal(v, *value);
      } else {
        Located at = locate(v, place);
        at.layout = stretched(at.layout, nest.extents);
        operands.add_load(v, at);
      }
    }
  }
  nest.loads = std::move(operands.loads);
  nest.literals = operands.literals;
  for (const Located& at : nest.loads)
    nest.program.inputs.push_back(at.dtype);
  for (const Array& value : nest.literals)
    nest.program.inputs.push_back(value.dtype());
  operands.loads = nest.loads;

  std::unordered_map<Variable, int, VariableHash> values;
  const auto value_of = [&](const Variable& v) {
    const auto made = values.find(v);
    return made != values.end() ? made->second : operands.number(v);
  };
  const std::int64_t points = elements(nest.extents);
  Step step;
  for (int n : nodes) {
    const Apply& at = node(n);
    step.shares.push_back({static_cast<std::uint32_t>(n), weight_of(at, points)});
    step.name += (step.name.empty() ? "" : "+") + std::string(at.op().name);
    if (at.op().is_reduction()) continue;
    std::vector<int> map;
    for (const Variable& v : at.inputs())
      map.push_back(value_of(v));
    const ScalarProgram program = program_of(at);
    for (const ScalarStep& s : program.steps) {
      ScalarStep copy = s;
      for (int& v : copy.in)
        v = map[static_cast<std::size_t>(v)];
      nest.program.steps.push_back(std::move(copy));
      map.push_back(nest.program.value_of_step(static_cast<int>(nest.program.steps.size()) - 1));
    }
    for (int i = 0; i < at.outputs(); ++i) {
      const int value = map[static_cast<std::size_t>(program.outputs[static_cast<std::size_t>(i)])];
      values.emplace(output_of(n, i), value);
    }
  }

  // What others read is stored; what only this kernel reads stays in registers.
  for (int n : nodes) {
    const Apply& at = node(n);
    if (at.op().is_reduction()) {
      const ReduceAttrs& attrs = at.attrs().as<ReduceAttrs>();
      nest.reduced = attrs.axes;
      nest.folds.push_back({
          std::get<ReduceLowering>(at.op().lowering).kind,
          value_of(at.input(0)),
          attrs.accumulator,
          make(output_of(n), &at),
      });
      continue;
    }
    for (int i = 0; i < at.outputs(); ++i) {
      const Variable v = output_of(n, i);
      int inner_reads = 0;
      for (int m : nodes) {
        for (const Variable& operand : node(m).inputs())
          inner_reads += operand == v ? 1 : 0;
      }
      if (graph_.uses(v) > inner_reads) nest.stores.push_back({values.at(v), make(v, &at)});
    }
  }

  const Cost cost = cost_of(nest);
  double total = 0;
  for (const StepShare& s : step.shares)
    total += s.share;
  for (StepShare& s : step.shares)
    s.share /= total;
  step.work = kernel_work(nest, place);
  step.place = place;
  step.side = place.on_host() ? Side::cpu : Side::gpu;
  step.flops = cost.flops;
  step.bytes = cost.bytes;
  add_step(std::move(step));
}

// Integer and mixed products are loops over (rows, columns, inner).
void PlanBuilder::add_product_nest(int n) {
  const Apply& at = node(n);
  const DType dtype = at.type(0).dtype();
  const ProductSizes s = product_sizes(concrete_.type(at.input(0)), concrete_.type(at.input(1)));
  LoopNest nest;
  nest.extents = {s.m, s.n, s.k};
  nest.reduced = {2};
  Located a = locate(at.input(0)), b = locate(at.input(1));
  const bool a_matrix = a.layout.dims.rank() == 2, b_matrix = b.layout.dims.rank() == 2;
  a.layout = {
      nest.extents,
      Dims{a_matrix ? a.layout.strides[0] : 0, 0, a.layout.strides[a_matrix ? 1 : 0]},
      a.layout.offset,
  };
  b.layout = {
      nest.extents,
      Dims{0, b_matrix ? b.layout.strides[1] : 0, b.layout.strides[0]},
      b.layout.offset,
  };
  nest.loads = {a, b};
  nest.program.inputs = {a.dtype, b.dtype};
  nest.program.steps = {ScalarStep{&mul_op, {}, {0, 1}, {dtype, dtype}}};
  Located to = make(output_of(n), &at);
  to.layout = row_major_layout({s.m, s.n});
  nest.folds = {{Reduction::sum, 2, dtype, to}};
  const Cost cost = cost_of(nest);
  Step step;
  step.work = kernel_work(nest, at.type(0).place());
  step.name = "dot";
  step.place = at.type(0).place();
  step.side = step.place.on_host() ? Side::cpu : Side::gpu;
  step.shares = {{static_cast<std::uint32_t>(n), 1.0}};
  step.flops = cost.flops;
  step.bytes = cost.bytes;
  add_step(std::move(step));
}

}  // namespace hypatia
