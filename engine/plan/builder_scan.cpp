// Loops as steps that run again and again, and what both kinds of loop have in common.
#include "engine/plan/builder_scan.h"

#include <algorithm>

#include "engine/expr/leaves.h"
#include "engine/ops/layouts.h"

namespace hypatia {

namespace {

/// The same body for values on a place.
Graph on_place(const Graph& body, Place place) {
  if (place.on_host()) return body;
  std::unordered_map<Variable, Variable, VariableHash> map;
  const auto mapped = [&](const Variable& v) {
    const auto found = map.find(v);
    return found == map.end() ? v : found->second;
  };
  Vars inputs, outputs;
  for (const Variable& v : body.inputs()) {
    inputs.push_back(input(v.type().with_place(place), v.name(), v.node().origin()));
    map.emplace(v, inputs.back());
  }
  for (const Apply* node : body.order()) {
    Vars in;
    for (const Variable& v : node->inputs())
      in.push_back(mapped(v));
    Types types = node->types();
    const bool sizes = std::holds_alternative<ShapeLowering>(node->op().lowering);
    for (Type& t : types)
      t = t.with_place(sizes ? host : place);
    const Ref<const Apply> there =
        Apply::make_typed(node->op(), std::move(in), node->attrs(), types, node->origin());
    for (int i = 0; i < node->outputs(); ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      map.emplace(Variable(Ref<const Apply>(node), index), Variable(there, index));
    }
  }
  for (const Variable& v : body.outputs())
    outputs.push_back(mapped(v));
  return Graph(std::move(inputs), std::move(outputs));
}

/// False where the branches of an ifelse are not of one size.
bool all_known(const Graph& body, const Concrete& concrete) {
  for (const Apply* node : body.order()) {
    for (int i = 0; i < node->outputs(); ++i) {
      const Variable v(Ref<const Apply>(node), static_cast<std::uint32_t>(i));
      if (!concrete.type(v).known()) return false;
    }
  }
  return true;
}

}  // namespace

bool dense_rows(const Layout& layout) {
  const Dims dense = row_major(layout.dims);
  for (int axis = 1; axis < layout.dims.rank(); ++axis) {
    if (layout.dims[axis] != 1 && layout.strides[axis] != dense[axis]) return false;
  }
  return true;
}

bool dense(const Layout& layout) {
  return layout.dims.rank() == 0 ||
         (dense_rows(layout) &&
          (layout.dims[0] == 1 || layout.strides[0] == row_major(layout.dims)[0]));
}

Located rows_of(const Located& all, std::int64_t first, std::int64_t count) {
  Located rows = all;
  rows.layout.dims[0] = count;
  rows.layout.offset += first * all.layout.strides[0];
  return rows;
}

PlanBuilder::ScanBuilder::ScanBuilder(PlanBuilder& plan, int n)
    : plan_(plan),
      n_(n),
      node_(plan.node(n)),
      attrs_(node_.attrs().as<ScanAttrs>()),
      place_(node_.type(0).place()),
      body_(on_place(attrs_.body->graph, place_)) {}

bool PlanBuilder::ScanBuilder::run() {
  if (!sizes_stay(*attrs_.body) || !find_trips()) return false;
  const Concrete concrete(body_, body_types());
  if (!all_known(body_, concrete)) return false;
  PlanOptions options = plan_.options_;
  options.in_body = true;
  inner_ = make_plan(body_, concrete, options);
  plan_.plan_.bodies.push_back(body_);
  for (const Graph& nested : inner_.bodies)
    plan_.plan_.bodies.push_back(nested);
  if (!plan_.options_.in_body) first_node_ = first_of_body(plan_.graph_, node_);
  for (std::size_t i = 0; i < node_.inputs().size(); ++i)
    from_.push_back(i == 0 ? Located() : plan_.locate(node_.inputs()[i], place_));
  if (options.merge_kernels && one_kernel()) return true;
  loop();
  return true;
}

bool PlanBuilder::ScanBuilder::find_trips() {
  if (const Array* value = plan_.concrete_.value(node_.input(0))) {
    trips_ = whole_number(*value);
    return true;
  }
  for (int i = 0; i < attrs_.rows(); ++i) {
    if (attrs_.kept[at(i)] >= 0) continue;
    trips_ = type_of(plan_.output_of(n_, i)).dims()[0] - attrs_.rows_before(i);
    return true;
  }
  return false;
}

PlanBuilder::ScanBuilder::TypeMap PlanBuilder::ScanBuilder::body_types() const {
  TypeMap types;
  std::size_t next = 0;
  const auto add = [&](Dims dims, bool row) {
    if (row) dims.erase(0);
    const Variable& v = body_.inputs()[next++];
    types.emplace(v, v.type().with_dims(dims));
  };
  for (int s = 0; s < attrs_.sequences; ++s)
    add(type_of(node_.input(1 + s)).dims(), true);
  for (int c = 0; c < attrs_.carries(); ++c) {
    for (std::size_t k = 0; k < attrs_.taps[at(c)].size(); ++k)
      add(type_of(node_.input(attrs_.first_start() + c)).dims(), true);
  }
  for (int k = attrs_.first_constant(); k < static_cast<int>(node_.inputs().size()); ++k)
    add(type_of(node_.input(k)).dims(), false);
  return types;
}

PlanBuilder::ScanBuilder::Role PlanBuilder::ScanBuilder::role_of(int input) const {
  if (input < attrs_.sequences) return {Role::Kind::sequence, 1 + input};
  for (int c = 0; c < attrs_.carries(); ++c) {
    const int k = input - attrs_.first_tap(c);
    if (k < static_cast<int>(attrs_.taps[at(c)].size())) {
      return {Role::Kind::tap, attrs_.first_start() + c, c, attrs_.taps[at(c)][at(k)]};
    }
  }
  return {Role::Kind::constant, attrs_.first_constant() + input - attrs_.body_constant()};
}

std::int64_t PlanBuilder::ScanBuilder::kept(int i) const {
  const std::int64_t wanted = attrs_.kept[at(i)];
  return wanted < 0 ? total(i) : std::min(wanted, total(i));
}

std::int64_t PlanBuilder::ScanBuilder::row_elements(int i) const {
  Dims dims = type_of(plan_.output_of(n_, i)).dims();
  dims.erase(0);
  return elements(dims);
}

void PlanBuilder::ScanBuilder::loop() {
  for (std::size_t i = 1; i < from_.size(); ++i) {
    Located& from = from_[i];
    const bool row = static_cast<int>(i) < attrs_.first_start();
    const bool plain = row ? dense_rows(from.layout) : dense(from.layout);
    if (from.buffer < 0 || !plain) from = plan_.contiguous(from, n_, place_);
  }
  for (int i = 0; i < attrs_.rows(); ++i)
    place_rows(i);
  const std::size_t loop_at = plan_.plan_.steps.size();
  plan_.plan_.steps.emplace_back();
  loop_.node = &node_;
  loop_.trips = trips_;
  loop_.steps = static_cast<int>(inner_.steps.size());
  if (attrs_.until) {
    loop_.taken = plan_.make(plan_.output_of(n_, attrs_.rows()), &node_).buffer;
    loop_.held.push_back(loop_.taken);
  }
  map_buffers();
  for (Step& step : inner_.steps) {
    remap(&step);
    plan_.add_step(std::move(step));
  }
  if (attrs_.until && !place_.on_host()) bring_condition();
  Step& step = plan_.plan_.steps[loop_at];
  step.name = print_name(node_);
  step.place = place_;
  step.side = place_.on_host() ? Side::cpu : Side::gpu;
  step.shares = {{static_cast<std::uint32_t>(n_), 1.0}};
  std::sort(loop_.held.begin(), loop_.held.end());
  loop_.held.erase(std::unique(loop_.held.begin(), loop_.held.end()), loop_.held.end());
  step.work = loop_;
  for (int i = 0; i < attrs_.rows(); ++i)
    unroll(i);
}

void PlanBuilder::ScanBuilder::bring_condition() {
  const int here = plan_.add_buffer(BufferKind::temporary, -1, Type(DType::boolean, 0), &node_);
  add_copy_out(loop_.until, here, DType::boolean);
  loop_.until = here;
  loop_.held.push_back(here);
  ++loop_.steps;
}

void PlanBuilder::ScanBuilder::add_copy_out(int from, int to, DType dtype) {
  const Layout one = row_major_layout({});
  Step step;
  step.work = CopyWork{{from, dtype, one}, {to, dtype, one}};
  step.bytes = size_of(dtype);
  step.name = dtype == DType::boolean ? "condition of until" : "steps taken";
  step.place = place_;
  step.side = Side::transfer;
  step.shares = {{static_cast<std::uint32_t>(n_), 1.0}};
  plan_.add_step(std::move(step));
}

void PlanBuilder::ScanBuilder::place_rows(int i) {
  const Variable v = plan_.output_of(n_, i);
  const Type& type = type_of(v);
  Rows rows;
  if (kept(i) == total(i)) {
    rows.to = plan_.make(v, &node_);
  } else {
    rows.ring = std::max(kept(i), static_cast<std::int64_t>(attrs_.rows_before(i))) + 1;
    Dims dims = type.dims();
    dims[0] = rows.ring;
    const Type ring = Type(type.dtype(), dims).with_place(place_);
    rows.to = {
        plan_.add_buffer(BufferKind::temporary, -1, ring, &node_),
        type.dtype(),
        row_major_layout(dims)};
  }
  rows_.push_back(rows);
  if (attrs_.rows_before(i) > 0) copy_start(i, rows.to, 0, attrs_.rows_before(i));
}

void PlanBuilder::ScanBuilder::unroll(int i) {
  const Rows& rows = rows_[at(i)];
  if (rows.ring == 0) return;
  const Located to = plan_.make(plan_.output_of(n_, i), &node_);
  std::int64_t row = total(i) - kept(i);
  for (std::int64_t done = 0; done < kept(i);) {
    const std::int64_t slot = row % rows.ring;
    const std::int64_t count = std::min(kept(i) - done, rows.ring - slot);
    const Located from = rows_of(rows.to, slot, count), target = rows_of(to, done, count);
    if (elements(target.layout.dims) > 0) plan_.add_copy_kernel(from, target, n_, place_);
    done += count;
    row += count;
  }
}

int PlanBuilder::ScanBuilder::moving(
    const Located& base, std::int64_t row, std::int64_t ring, std::int64_t bytes) {
  Move move{base.dtype, base.layout.offset, 0, row, ring};
  if (base.layout.dims.rank() > 0) move.stride = base.layout.strides[0];
  if (ring == 0) move.first += row * move.stride;
  return add_moving(move, base.buffer, bytes);
}

int PlanBuilder::ScanBuilder::add_moving(const Move& move, int base, std::int64_t bytes) {
  const int number = static_cast<int>(plan_.plan_.moves.size());
  plan_.plan_.moves.push_back(move);
  Buffer buffer;
  buffer.kind = BufferKind::moving;
  buffer.number = number;
  buffer.base = base;
  buffer.bytes = bytes;
  buffer.place = place_;
  plan_.plan_.buffers.push_back(buffer);
  loop_.moving.push_back(static_cast<int>(plan_.plan_.buffers.size()) - 1);
  loop_.held.push_back(base);
  return loop_.moving.back();
}

void PlanBuilder::ScanBuilder::map_buffers() {
  for (const Buffer& buffer : inner_.buffers)
    map_.push_back(mapped(buffer));
}

int PlanBuilder::ScanBuilder::mapped(const Buffer& inner) {
  if (inner.kind == BufferKind::input) return mapped_input(inner);
  if (inner.kind == BufferKind::output && inner.number < attrs_.rows()) {
    const Rows& rows = rows_[at(inner.number)];
    return moving(rows.to, attrs_.rows_before(inner.number), rows.ring, inner.bytes);
  }
  if (inner.kind == BufferKind::constant) {
    const Array& value = inner_.constants[at(inner.number)];
    const int buffer = plan_.constant_buffer(value, inner.place).buffer;
    loop_.held.push_back(buffer);
    return buffer;
  }
  Buffer copy = inner;
  if (inner.kind == BufferKind::moving) {
    // Of a loop inside: it moves over what this one moves.
    copy.number = static_cast<int>(plan_.plan_.moves.size());
    copy.base = map_[at(inner.base)];
    plan_.plan_.moves.push_back(inner_.moves[at(inner.number)]);
    plan_.plan_.buffers.push_back(copy);
    return static_cast<int>(plan_.plan_.buffers.size()) - 1;
  }
  copy.kind = BufferKind::temporary;
  copy.number = -1;
  copy.first_step = copy.last_step = -1;
  copy.arena_offset = -1;
  plan_.plan_.buffers.push_back(copy);
  const int buffer = static_cast<int>(plan_.plan_.buffers.size()) - 1;
  if (inner.kind == BufferKind::output) {
    loop_.until = buffer;
    loop_.held.push_back(buffer);
  }
  return buffer;
}

int PlanBuilder::ScanBuilder::mapped_input(const Buffer& inner) {
  const Role role = role_of(inner.number);
  const Located& from = from_[at(role.input)];
  if (role.kind == Role::Kind::sequence) return moving(from, 0, 0, inner.bytes);
  if (role.kind == Role::Kind::tap) {
    const Rows& rows = rows_[at(role.carry)];
    return moving(rows.to, attrs_.depth(role.carry) + role.tap, rows.ring, inner.bytes);
  }
  if (from.layout.offset != 0) {
    return add_moving({from.dtype, from.layout.offset}, from.buffer, inner.bytes);
  }
  loop_.held.push_back(from.buffer);
  return from.buffer;
}

void PlanBuilder::ScanBuilder::remap(Located* at_inner) const {
  if (at_inner->buffer >= 0) at_inner->buffer = map_[at(at_inner->buffer)];
}

void PlanBuilder::ScanBuilder::remap(KernelWork* kernel) const {
  for (Located& load : kernel->nest.loads)
    remap(&load);
  for (auto& store : kernel->nest.stores)
    remap(&store.to);
  for (auto& fold : kernel->nest.folds)
    remap(&fold.to);
  for (Located& load : kernel->nest.epilogue.loads)
    remap(&load);
  for (auto& store : kernel->nest.epilogue.stores)
    remap(&store.to);
  auto& time = kernel->nest.recurrence;
  if (time && time->taken) remap(&*time->taken);
  if (kernel->scratch >= 0) kernel->scratch = map_[at(kernel->scratch)];
}

void PlanBuilder::ScanBuilder::remap(ProductWork* product) const {
  remap(&product->a);
  remap(&product->b);
  remap(&product->c);
}

void PlanBuilder::ScanBuilder::remap(ConvolutionWork* convolution) const {
  remap(&convolution->first);
  remap(&convolution->second);
  remap(&convolution->made);
  if (convolution->workspace >= 0) convolution->workspace = map_[at(convolution->workspace)];
}

void PlanBuilder::ScanBuilder::remap(LoopWork* loop) const {
  for (std::vector<int>* buffers : {&loop->moving, &loop->held}) {
    for (int& b : *buffers)
      b = map_[at(b)];
  }
  if (loop->until >= 0) loop->until = map_[at(loop->until)];
  if (loop->taken >= 0) loop->taken = map_[at(loop->taken)];
}

void PlanBuilder::ScanBuilder::remap(Step* step) const {
  for (StepShare& share : step->shares)
    share.node = number_of(share.node);
  if (auto* kernel = std::get_if<KernelWork>(&step->work)) {
    remap(kernel);
  } else if (auto* product = std::get_if<ProductWork>(&step->work)) {
    remap(product);
  } else if (auto* convolution = std::get_if<ConvolutionWork>(&step->work)) {
    remap(convolution);
  } else if (auto* rows = std::get_if<RowsWork>(&step->work)) {
    remap(&rows->product);
    remap(&rows->loop);
    if (rows->back) remap(&*rows->back);
    if (rows->partials >= 0) rows->partials = map_[at(rows->partials)];
  } else if (auto* copy = std::get_if<CopyWork>(&step->work)) {
    remap(&copy->from);
    remap(&copy->to);
  } else if (auto* host_work = std::get_if<HostWork>(&step->work)) {
    for (Located& in : host_work->in)
      remap(&in);
    for (Located& out : host_work->out)
      remap(&out);
  } else if (auto* loop = std::get_if<LoopWork>(&step->work)) {
    remap(loop);
  }
}

bool PlanBuilder::add_scan(int n) {
  return ScanBuilder(*this, n).run();
}

}  // namespace hypatia
