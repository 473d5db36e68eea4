// The part of PlanBuilder that makes loop nests.
#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include "engine/expr/leaves.h"
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

/// Builds the nest of one unit: a loop with its folds, then what is made of them.
class PlanBuilder::KernelBuilder {
 public:
  KernelBuilder(PlanBuilder& plan, const Unit& unit)
      : plan_(plan),
        unit_(unit),
        members_(unit.nodes.begin(), unit.nodes.end()),
        tail_(unit.tail.begin(), unit.tail.end()),
        place_(plan.node(unit.nodes.front()).type(0).place()) {}

  Step build() {
    const Apply& first = plan_.node(unit_.nodes.front());
    if (std::holds_alternative<ProductLowering>(first.op().lowering)) {
      product(unit_.nodes.front());
    } else {
      loop();
    }
    for (int n : unit_.tail)
      plan_.note_reads(n);
    epilogue();
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
  using Values = std::unordered_map<Variable, int, VariableHash>;

  void loop() {
    const Apply& first = plan_.node(unit_.nodes.front());
    const Variable space =
        first.op().is_reduction() ? first.input(0) : plan_.output_of(unit_.nodes.front());
    nest_.extents = plan_.concrete_.type(space).dims();
    OperandNumbers operands;
    for (int n : unit_.nodes) {
      for (const Variable& v : plan_.node(n).inputs()) {
        if (!computed(v, members_)) take_operand(v, nest_.extents, &operands);
      }
    }
    nest_.loads = operands.loads;
    nest_.literals = operands.literals;
    for (const Located& at : nest_.loads)
      nest_.program.inputs.push_back(at.dtype);
    for (const Array& value : nest_.literals)
      nest_.program.inputs.push_back(value.dtype());
    Values values;
    for (int n : unit_.nodes)
      append(n, operands, 0, &nest_.program, &values);
    for (int n : unit_.nodes)
      deliver(n, operands, values);
  }

  /// A matrix and a vector: products along the joined axis, folded. The axis along which the
  /// matrix's elements lie side by side is the inner one.
  void product(int n) {
    const Apply& at = plan_.node(n);
    const std::size_t first = at.inputs().size() - 2;
    const Located a = plan_.locate(at.inputs()[first], place_);
    const Located b = plan_.locate(at.inputs()[first + 1], place_);
    const DType dtype = at.type(0).dtype();
    const int a_rank = a.layout.dims.rank(), b_rank = b.layout.dims.rank();
    const Layout& matrix = a_rank == 2 ? a.layout : b.layout;
    const int joined = a_rank == 2 ? 1 : 0;
    const bool has_rows = a_rank == 2 || b_rank == 2;
    const bool fold_outside =
        has_rows && std::abs(matrix.strides[1 - joined]) < std::abs(matrix.strides[joined]);
    const auto over = [&](std::int64_t kept, std::int64_t folded) {
      if (!has_rows) return Dims{folded};
      return fold_outside ? Dims{folded, kept} : Dims{kept, folded};
    };
    nest_.extents = over(has_rows ? matrix.dims[1 - joined] : 1, a.layout.dims[a_rank - 1]);
    nest_.reduced = {has_rows && !fold_outside ? 1 : 0};
    const auto strides = [&](const Located& from, int rank, int axis) {
      const std::int64_t kept = rank == 2 ? from.layout.strides[1 - axis] : 0;
      return Layout{nest_.extents, over(kept, from.layout.strides[axis]), from.layout.offset};
    };
    nest_.loads = {
        {a.buffer, a.dtype, strides(a, a_rank, a_rank - 1)},
        {b.buffer, b.dtype, strides(b, b_rank, 0)},
    };
    nest_.program.inputs = {dtype, dtype};
    nest_.program.steps = {ScalarStep{&mul_op, {}, {0, 1}, {dtype, dtype}}};
    const double points = static_cast<double>(elements(nest_.extents));
    step_.shares.push_back({static_cast<std::uint32_t>(n), 2 * points});
    step_.name = "gemv";
    const Variable result = plan_.output_of(n);
    const bool is_gemm = &at.op() == &gemm_op;
    const Dims dims = plan_.concrete_.type(result).dims();
    Located to{-1, dtype, row_major_layout(dims)};
    if (!is_gemm && plan_.graph_.uses(result) > reads_by(result, unit_.tail)) {
      to = plan_.make(result, &at);
    }
    nest_.folds = {{Reduction::sum, 2, dtype, to}};
    folded_.push_back(result);
    if (is_gemm) accumulate(at, result);
  }

  /// beta c + alpha times the fold, which becomes the product's value.
  void accumulate(const Apply& gemm, const Variable& result) {
    const GemmAttrs& attrs = gemm.attrs().as<GemmAttrs>();
    const auto number = [&](double value) { return constant(Array(value).astype(result.dtype())); };
    sum_.gemm = &gemm;
    sum_.alpha = number(attrs.alpha);
    sum_.beta = number(attrs.beta);
    if (plan_.graph_.uses(result) > reads_by(result, unit_.tail)) {
      const bool over = plan_.may_overwrite(gemm);
      sum_.to = over ? plan_.locate(gemm.input(0), place_) : plan_.make(result, &gemm);
      if (over) plan_.located_.emplace(result, sum_.to);
    }
  }

  void epilogue() {
    if (unit_.tail.empty() && !sum_.gemm) return;
    LoopNest::Epilogue& after = nest_.epilogue;
    const Dims& kept = plan_.concrete_.type(folded_.front()).dims();
    OperandNumbers operands;
    Values values;
    for (std::size_t f = 0; f < folded_.size(); ++f)
      values.emplace(folded_[f], static_cast<int>(f));
    if (sum_.gemm) {
      if (sum_.uses_c()) take_operand(sum_.gemm->input(0), kept, &operands);
      operands.add_literal(sum_.alpha, *constant_value(sum_.alpha));
      operands.add_literal(sum_.beta, *constant_value(sum_.beta));
    }
    for (int n : unit_.tail) {
      for (const Variable& v : plan_.node(n).inputs()) {
        if (!computed(v, tail_) && !values.contains(v)) take_operand(v, kept, &operands);
      }
    }
    after.loads = operands.loads;
    after.literals = operands.literals;
    for (const auto& fold : nest_.folds)
      after.program.inputs.push_back(fold.to.dtype);
    for (const Located& at : after.loads)
      after.program.inputs.push_back(at.dtype);
    for (const Array& value : after.literals)
      after.program.inputs.push_back(value.dtype());
    const int first = static_cast<int>(nest_.folds.size());
    if (sum_.gemm) add_sum(operands, first, &values);
    for (int n : unit_.tail)
      append(n, operands, first, &after.program, &values);
    for (int n : unit_.tail)
      store(n, values, unit_.tail, &after.stores);
  }

  void add_sum(const OperandNumbers& operands, int first, Values* values) {
    ScalarProgram& program = nest_.epilogue.program;
    const DType dtype = nest_.folds.front().to.dtype;
    const auto step = [&](const Op& op, int a, int b) {
      program.steps.push_back(ScalarStep{&op, {}, {a, b}, {dtype, dtype}});
      return program.value_of_step(static_cast<int>(program.steps.size()) - 1);
    };
    const auto scaled = [&](double by, const Variable& factor, int v) {
      return by == 1 ? v : step(mul_op, first + operands.number(factor), v);
    };
    const GemmAttrs& attrs = sum_.gemm->attrs().as<GemmAttrs>();
    int value = scaled(attrs.alpha, sum_.alpha, 0);
    if (sum_.uses_c()) {
      const int c = first + operands.number(sum_.gemm->input(0));
      value = step(add_op, scaled(attrs.beta, sum_.beta, c), value);
    }
    (*values)[folded_.front()] = value;
    if (sum_.to.buffer >= 0) nest_.epilogue.stores.push_back({value, sum_.to});
  }

  /// True of values that these nodes' programs compute.
  bool computed(const Variable& v, const std::unordered_set<int>& nodes) const {
    const int n = plan_.graph_.position(&v.node());
    return n >= 0 && nodes.contains(n) && !plan_.concrete_.value(v) &&
           !v.node().op().is_reduction();
  }

  void take_operand(const Variable& v, const Dims& extents, OperandNumbers* operands) {
    const Array* value = plan_.concrete_.value(v);
    if (value && value->elements() == 1) {
      operands->add_literal(v, *value);
      return;
    }
    Located at = plan_.locate(v, place_);
    at.layout = stretched(at.layout, extents);
    operands->add_load(v, at);
  }

  /// The node's program, its operands being values of the kernel's.
  void append(
      int n, const OperandNumbers& operands, int first, ScalarProgram* program, Values* values) {
    const Apply& at = plan_.node(n);
    const std::int64_t points = elements(plan_.concrete_.type(plan_.output_of(n)).dims());
    const std::int64_t weight = at.op().is_reduction() ? elements(nest_.extents) : points;
    step_.shares.push_back({static_cast<std::uint32_t>(n), weight_of(at, weight)});
    step_.name += (step_.name.empty() ? "" : "+") + std::string(at.op().name);
    if (at.op().is_reduction()) return;
    std::vector<int> map;
    for (const Variable& v : at.inputs()) {
      const auto made = values->find(v);
      map.push_back(made != values->end() ? made->second : first + operands.number(v));
    }
    const ScalarProgram own = program_of(at);
    for (const ScalarStep& s : own.steps) {
      ScalarStep copy = s;
      for (int& v : copy.in)
        v = map[static_cast<std::size_t>(v)];
      program->steps.push_back(std::move(copy));
      map.push_back(program->value_of_step(static_cast<int>(program->steps.size()) - 1));
    }
    for (int i = 0; i < at.outputs(); ++i) {
      const int output = own.outputs[static_cast<std::size_t>(i)];
      values->emplace(plan_.output_of(n, i), map[static_cast<std::size_t>(output)]);
    }
  }

  /// What others read is stored; what only this kernel reads stays in registers.
  void deliver(int n, const OperandNumbers& operands, const Values& values) {
    const Apply& at = plan_.node(n);
    if (!at.op().is_reduction()) return store(n, values, unit_.nodes, &nest_.stores);
    const ReduceAttrs& attrs = at.attrs().as<ReduceAttrs>();
    const auto made = values.find(at.input(0));
    const Variable result = plan_.output_of(n);
    const Type& type = plan_.concrete_.type(result);
    Located to{-1, type.dtype(), row_major_layout(type.dims())};
    if (plan_.graph_.uses(result) > reads_by(result, unit_.tail)) to = plan_.make(result, &at);
    nest_.reduced = attrs.axes;
    nest_.folds.push_back({
        std::get<ReduceLowering>(at.op().lowering).kind,
        made != values.end() ? made->second : operands.number(at.input(0)),
        attrs.accumulator,
        to,
    });
    folded_.push_back(result);
  }

  void store(
      int n,
      const Values& values,
      const std::vector<int>& readers,
      std::vector<LoopNest::Store>* stores) {
    const Apply& at = plan_.node(n);
    for (int i = 0; i < at.outputs(); ++i) {
      const Variable v = plan_.output_of(n, i);
      if (plan_.graph_.uses(v) > reads_by(v, readers)) {
        stores->push_back({values.at(v), plan_.make(v, &at)});
      }
    }
  }

  int reads_by(const Variable& v, const std::vector<int>& nodes) const {
    int reads = 0;
    for (int n : nodes) {
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

  /// What a gemm adds to its product.
  struct Sum {
    const Apply* gemm = nullptr;
    Variable alpha, beta;
    Located to;

    bool uses_c() const { return gemm->attrs().as<GemmAttrs>().beta != 0; }
  };

  PlanBuilder& plan_;
  const Unit& unit_;
  std::unordered_set<int> members_, tail_;
  Place place_;
  LoopNest nest_;
  Vars folded_;  // by fold: the variable that it makes
  Sum sum_;
  Step step_;
};

void PlanBuilder::add_kernel(const Unit& unit) {
  for (int n : unit.nodes)
    note_reads(n);
  add_step(KernelBuilder(*this, unit).build());
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
