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

/// Builds the nest of one group of nodes.
class PlanBuilder::KernelBuilder {
 public:
  KernelBuilder(PlanBuilder& plan, const std::vector<int>& nodes)
      : plan_(plan),
        nodes_(nodes),
        group_(plan.groups_.group_of[static_cast<std::size_t>(nodes.front())]),
        place_(plan.node(nodes.front()).type(0).place()) {}

  Step build() {
    const Apply& first = plan_.node(nodes_.front());
    const Variable space =
        first.op().is_reduction() ? first.input(0) : plan_.output_of(nodes_.front());
    nest_.extents = plan_.concrete_.type(space).dims();
    take_operands();
    for (int n : nodes_)
      append(n);
    for (int n : nodes_)
      deliver(n);
    const Cost cost = cost_of(nest_);
    share_out();
    step_.work = plan_.kernel_work(nest_, place_);
    step_.place = place_;
    step_.side = place_.on_host() ? Side::cpu : Side::gpu;
    step_.flops = cost.flops;
    step_.bytes = cost.bytes;
    return std::move(step_);
  }

 private:
  /// True of values that the nest computes itself.
  bool inside(const Variable& v) const {
    const int n = plan_.graph_.position(&v.node());
    return n >= 0 && plan_.groups_.group_of[static_cast<std::size_t>(n)] == group_ &&
           !plan_.concrete_.value(v) && !v.node().op().is_reduction();
  }

  void take_operands() {
    for (int n : nodes_) {
      for (const Variable& v : plan_.node(n).inputs()) {
        if (!inside(v)) take_operand(v);
      }
    }
    nest_.loads = operands_.loads;
    nest_.literals = operands_.literals;
    for (const Located& at : nest_.loads)
      nest_.program.inputs.push_back(at.dtype);
    for (const Array& value : nest_.literals)
      nest_.program.inputs.push_back(value.dtype());
  }

  void take_operand(const Variable& v) {
    const Array* value = plan_.concrete_.value(v);
    if (value && value->elements() == 1) {
      operands_.add_literal(v, *value);
      return;
    }
    Located at = plan_.locate(v, place_);
    at.layout = stretched(at.layout, nest_.extents);
    operands_.add_load(v, at);
  }

  int value_of(const Variable& v) const {
    const auto made = values_.find(v);
    return made != values_.end() ? made->second : operands_.number(v);
  }

  /// The node's program, its operands being values of the nest's.
  void append(int n) {
    const Apply& at = plan_.node(n);
    step_.shares.push_back({static_cast<std::uint32_t>(n), weight_of(at, elements(nest_.extents))});
    step_.name += (step_.name.empty() ? "" : "+") + std::string(at.op().name);
    if (at.op().is_reduction()) return;
    std::vector<int> map;
    for (const Variable& v : at.inputs())
      map.push_back(value_of(v));
    const ScalarProgram program = program_of(at);
    for (const ScalarStep& s : program.steps) {
      ScalarStep copy = s;
      for (int& v : copy.in)
        v = map[static_cast<std::size_t>(v)];
      nest_.program.steps.push_back(std::move(copy));
      const int last = static_cast<int>(nest_.program.steps.size()) - 1;
      map.push_back(nest_.program.value_of_step(last));
    }
    for (int i = 0; i < at.outputs(); ++i) {
      const int output = program.outputs[static_cast<std::size_t>(i)];
      values_.emplace(plan_.output_of(n, i), map[static_cast<std::size_t>(output)]);
    }
  }

  /// What others read is stored; what only this kernel reads stays in registers.
  void deliver(int n) {
    const Apply& at = plan_.node(n);
    if (at.op().is_reduction()) {
      const ReduceAttrs& attrs = at.attrs().as<ReduceAttrs>();
      nest_.reduced = attrs.axes;
      nest_.folds.push_back({
          std::get<ReduceLowering>(at.op().lowering).kind,
          value_of(at.input(0)),
          attrs.accumulator,
          plan_.make(plan_.output_of(n), &at),
      });
      return;
    }
    for (int i = 0; i < at.outputs(); ++i) {
      const Variable v = plan_.output_of(n, i);
      if (plan_.graph_.uses(v) > reads_inside(v)) {
        nest_.stores.push_back({values_.at(v), plan_.make(v, &at)});
      }
    }
  }

  int reads_inside(const Variable& v) const {
    int reads = 0;
    for (int n : nodes_) {
      for (const Variable& operand : plan_.node(n).inputs())
        reads += operand == v ? 1 : 0;
    }
    return reads;
  }

  void share_out() {
    double total = 0;
    for (const StepShare& s : step_.shares)
      total += s.share;
    for (StepShare& s : step_.shares)
      s.share /= total;
  }

  PlanBuilder& plan_;
  const std::vector<int>& nodes_;
  int group_;
  Place place_;
  LoopNest nest_;
  OperandNumbers operands_;
  std::unordered_map<Variable, int, VariableHash> values_;
  Step step_;
};

void PlanBuilder::add_kernel(const std::vector<int>& nodes) {
  for (int n : nodes)
    note_reads(n);
  add_step(KernelBuilder(*this, nodes).build());
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
