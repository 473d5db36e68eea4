// The part of PlanBuilder that makes loops. A body is planned as a graph of its own; its buffers
// become rows of the loop's. Where all of it is elementwise the whole loop is one kernel.
#include <algorithm>

#include "engine/core/error.h"
#include "engine/expr/leaves.h"
#include "engine/loop/scan_op.h"
#include "engine/ops/layouts.h"
#include "engine/plan/builder.h"

namespace hypatia {

namespace {

using TypeMap = std::unordered_map<Variable, Type, VariableHash>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

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

/// True if each row lies without gaps.
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

/// Rows of a layout, from the first one.
Located rows_of(const Located& all, std::int64_t first, std::int64_t count) {
  Located rows = all;
  rows.layout.dims[0] = count;
  rows.layout.offset += first * all.layout.strides[0];
  return rows;
}

}  // namespace

/// Plans one loop.
class PlanBuilder::ScanBuilder {
 public:
  ScanBuilder(PlanBuilder& plan, int n)
      : plan_(plan),
        n_(n),
        node_(plan.node(n)),
        attrs_(node_.attrs().as<ScanAttrs>()),
        place_(node_.type(0).place()),
        body_(on_place(attrs_.body->graph, place_)) {}

  bool run() {
    if (plan_.options_.in_body || !sizes_stay(*attrs_.body) || !find_trips()) return false;
    const Concrete concrete(body_, body_types());
    PlanOptions options = plan_.options_;
    options.in_body = true;
    inner_ = make_plan(body_, concrete, options);
    plan_.plan_.bodies.push_back(body_);
    first_node_ = first_of_body(plan_.graph_, node_);
    for (std::size_t i = 0; i < node_.inputs().size(); ++i)
      from_.push_back(i == 0 ? Located() : plan_.locate(node_.inputs()[i], place_));
    if (options.merge_kernels && one_kernel()) return true;
    loop();
    return true;
  }

 private:
  const Type& type_of(const Variable& v) const { return plan_.concrete_.type(v); }

  /// How many trips there are at most: the value of n_steps, or what the sizes say.
  bool find_trips() {
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

  TypeMap body_types() const {
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

  /// What a body's input is: a sequence, a tap of a carry, or a constant.
  struct Role {
    enum class Kind : std::uint8_t { sequence, tap, constant };

    Kind kind = Kind::constant;
    int input = 0;  // of the node
    int carry = 0, tap = 0;
  };

  Role role_of(int input) const {
    if (input < attrs_.sequences) return {Role::Kind::sequence, 1 + input};
    for (int c = 0; c < attrs_.carries(); ++c) {
      const int k = input - attrs_.first_tap(c);
      if (k < static_cast<int>(attrs_.taps[at(c)].size())) {
        return {Role::Kind::tap, attrs_.first_start() + c, c, attrs_.taps[at(c)][at(k)]};
      }
    }
    return {Role::Kind::constant, attrs_.first_constant() + input - attrs_.body_constant()};
  }

  /// How many last rows of output i are wanted, and how many there are with those before the loop.
  std::int64_t total(int i) const { return trips_ + attrs_.rows_before(i); }

  std::int64_t kept(int i) const {
    const std::int64_t wanted = attrs_.kept[at(i)];
    return wanted < 0 ? total(i) : std::min(wanted, total(i));
  }

  std::int64_t row_elements(int i) const {
    Dims dims = type_of(plan_.output_of(n_, i)).dims();
    dims.erase(0);
    return elements(dims);
  }

  const Buffer& inner_buffer(int b) const { return inner_.buffers[at(b)]; }

  // One kernel.

  /// An operand of the joined program: a load, a literal, or what an earlier kernel stored.
  struct Source {
    enum class Kind : std::uint8_t { load, literal, made };

    Kind kind = Kind::load;
    int index = 0;  // of loads or literals; the inner buffer of what was made
  };

  /// The whole loop as one kernel; false if the body is more than elementwise work on its rows.
  bool one_kernel() {
    if (attrs_.until || inner_.steps.empty()) return false;
    const auto* first = std::get_if<KernelWork>(&inner_.steps[0].work);
    if (!first) return false;
    nest_.extents = first->nest.extents;
    time_.steps = trips_;
    for (int c = 0; c < attrs_.carries(); ++c) {
      if (row_elements(c) != elements(nest_.extents)) return false;
      chain(c);
    }
    for (const Step& step : inner_.steps) {
      if (!take_operands(step)) return false;
    }
    for (const Located& load : nest_.loads)
      nest_.program.inputs.push_back(load.dtype);
    for (const Array& value : nest_.literals)
      nest_.program.inputs.push_back(value.dtype());
    for (std::size_t k = 0; k < inner_.steps.size(); ++k) {
      if (!append(std::get<KernelWork>(inner_.steps[k].work).nest, sources_[k])) return false;
    }
    for (int i = 0; i < attrs_.rows(); ++i) {
      if (!results_.contains(i)) return false;
    }
    for (int c = 0; c < attrs_.carries(); ++c)
      time_.chains[at(c)].value = results_.at(c);
    finish_kernel();
    return true;
  }

  /// Loads for each step that carry c looks back, from its start.
  void chain(int c) {
    LoopNest::Recurrence::Chain chain;
    for (int back = 1; back <= attrs_.depth(c); ++back) {
      chain.loads.push_back(static_cast<int>(nest_.loads.size()));
      // The start's place is filled in once it is certain that the kernel will be made.
      const DType dtype = node_.input(attrs_.first_start() + c).dtype();
      nest_.loads.push_back({-1, dtype, {nest_.extents, row_major(nest_.extents), 0}});
      time_.load_strides.push_back(0);
    }
    time_.chains.push_back(chain);
  }

  bool dense_over_extents(const Layout& layout) const {
    return layout.offset == 0 && layout.strides == row_major(nest_.extents);
  }

  bool take_operands(const Step& step) {
    const auto* kernel = std::get_if<KernelWork>(&step.work);
    if (!kernel || !kernel->nest.folds.empty() || !kernel->nest.gathers.empty()) return false;
    if (!(kernel->nest.extents == nest_.extents)) return false;
    std::vector<Source> sources;
    for (const Located& load : kernel->nest.loads) {
      Source source;
      if (!take_load(load, &source)) return false;
      sources.push_back(source);
    }
    for (const Array& value : kernel->nest.literals) {
      sources.push_back({Source::Kind::literal, static_cast<int>(nest_.literals.size())});
      nest_.literals.push_back(value);
    }
    sources_.push_back(std::move(sources));
    return true;
  }

  bool take_load(const Located& load, Source* source) {
    if (load.buffer < 0) {
      *source = {Source::Kind::load, add_load(load, 0)};
      return true;
    }
    const Buffer& buffer = inner_buffer(load.buffer);
    if (buffer.kind == BufferKind::constant) {
      Located moved = load;
      const Array& value = inner_.constants[at(buffer.number)];
      moved.buffer = plan_.constant_buffer(value, place_).buffer;
      *source = {Source::Kind::load, add_load(moved, 0)};
      return true;
    }
    if (buffer.kind != BufferKind::input) {
      *source = {Source::Kind::made, load.buffer};
      return dense_over_extents(load.layout);
    }
    const Role role = role_of(buffer.number);
    if (role.kind == Role::Kind::tap) {
      const auto& chain = time_.chains[at(role.carry)];
      *source = {Source::Kind::load, chain.loads[at(-role.tap - 1)]};
      return dense_over_extents(load.layout);
    }
    const Located& whole = from_[at(role.input)];
    const bool row = role.kind == Role::Kind::sequence;
    const bool plain = row ? dense_rows(whole.layout) : dense(whole.layout);
    if (!plain) return false;
    Located moved = load;
    moved.buffer = whole.buffer;
    moved.layout.offset += whole.layout.offset;
    *source = {Source::Kind::load, add_load(moved, row ? whole.layout.strides[0] : 0)};
    return true;
  }

  int add_load(const Located& load, std::int64_t stride) {
    nest_.loads.push_back(load);
    time_.load_strides.push_back(stride);
    return static_cast<int>(nest_.loads.size()) - 1;
  }

  bool append(const LoopNest& inner, const std::vector<Source>& sources) {
    std::vector<int> map;
    for (const Source& source : sources) {
      int value = source.index;
      if (source.kind == Source::Kind::literal) value += static_cast<int>(nest_.loads.size());
      if (source.kind == Source::Kind::made) {
        const auto made = made_.find(source.index);
        if (made == made_.end()) return false;
        value = made->second;
      }
      map.push_back(value);
    }
    for (const ScalarStep& s : inner.program.steps) {
      ScalarStep copy = s;
      for (int& v : copy.in)
        v = map[at(v)];
      nest_.program.steps.push_back(std::move(copy));
      const int last = static_cast<int>(nest_.program.steps.size()) - 1;
      map.push_back(nest_.program.value_of_step(last));
    }
    for (const LoopNest::Store& store : inner.stores) {
      const int value = map[at(store.value)];
      const bool same = nest_.program.dtype(value) == store.to.dtype;
      if (!same || !dense_over_extents(store.to.layout)) return false;
      made_[store.to.buffer] = value;
      const Buffer& buffer = inner_buffer(store.to.buffer);
      if (buffer.kind == BufferKind::output) results_[buffer.number] = value;
    }
    return true;
  }

  void finish_kernel() {
    for (int c = 0; c < attrs_.carries(); ++c) {
      const Located start = plan_.contiguous(from_[at(attrs_.first_start() + c)], n_, place_);
      for (int back = 1; back <= attrs_.depth(c); ++back) {
        Located& load = nest_.loads[at(time_.chains[at(c)].loads[at(back - 1)])];
        load.buffer = start.buffer;
        load.layout.offset = (attrs_.depth(c) - back) * elements(nest_.extents);
      }
    }
    for (int i = 0; i < attrs_.rows(); ++i)
      store_rows(i);
    nest_.recurrence = time_;
    Step step;
    const double trips = static_cast<double>(std::max<std::int64_t>(trips_, 1));
    const Cost cost = cost_of(nest_);
    step.flops = cost.flops * trips;
    step.bytes = cost.bytes * trips;
    step.place = place_;
    step.side = place_.on_host() ? Side::cpu : Side::gpu;
    share_out(&step);
    step.work = KernelWork{nest_};
    plan_.add_step(std::move(step));
  }

  /// Output i's rows that are kept: those from before the loop are copied, the others stored.
  void store_rows(int i) {
    const Located to = plan_.make(plan_.output_of(n_, i), &node_);
    if (kept(i) == 0) return;
    const std::int64_t skipped = total(i) - kept(i), before = attrs_.rows_before(i);
    const std::int64_t copied = std::max<std::int64_t>(before - skipped, 0);
    if (copied > 0) copy_start(i, to, before - copied, copied);
    const std::int64_t size = elements(nest_.extents);
    nest_.stores.push_back(
        {results_.at(i),
         {to.buffer, to.dtype, {nest_.extents, row_major(nest_.extents), copied * size}}});
    time_.store_strides.push_back(size);
    time_.store_from.push_back(std::max<std::int64_t>(skipped - before, 0));
  }

  /// `count` rows of carry c's start, from the first one on, to the beginning of `to`.
  void copy_start(int c, const Located& to, std::int64_t first, std::int64_t count) {
    const Located& start = from_[at(attrs_.first_start() + c)];
    const Located rows = rows_of(start, first, count), target = rows_of(to, 0, count);
    if (elements(target.layout.dims) > 0) plan_.add_copy_kernel(rows, target, n_, place_);
  }

  /// A body's nodes share the one step by what their kernels would have cost.
  void share_out(Step* step) const {
    double sum = 0;
    for (const Step& inner : inner_.steps) {
      step->name += (step->name.empty() ? "scan of " : "+") + inner.name;
      const double weight = std::max(inner.flops, 1.0);
      sum += weight;
      for (const StepShare& share : inner.shares)
        step->shares.push_back({share.node + at_node(), share.share * weight});
    }
    for (StepShare& share : step->shares)
      share.share /= sum;
    if (step->shares.empty()) step->shares = {{static_cast<std::uint32_t>(n_), 1.0}};
  }

  std::uint32_t at_node() const { return static_cast<std::uint32_t>(first_node_); }

  // Steps that run again and again.

  void loop() {
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

  /// Where output i's rows go: to the result itself, or, where few are wanted, round a ring.
  void place_rows(int i) {
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

  /// The rows of a ring that are wanted, in order.
  void unroll(int i) {
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

  int moving(const Located& base, std::int64_t row, std::int64_t ring, std::int64_t bytes) {
    Move move{base.dtype, base.layout.offset, 0, row, ring};
    if (base.layout.dims.rank() > 0) move.stride = base.layout.strides[0];
    if (ring == 0) move.first += row * move.stride;
    return add_moving(move, base.buffer, bytes);
  }

  int add_moving(const Move& move, int base, std::int64_t bytes) {
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

  void map_buffers() {
    for (const Buffer& buffer : inner_.buffers)
      map_.push_back(mapped(buffer));
  }

  int mapped(const Buffer& inner) {
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

  int mapped_input(const Buffer& inner) {
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

  void remap(Located* at_inner) const {
    if (at_inner->buffer >= 0) at_inner->buffer = map_[at(at_inner->buffer)];
  }

  void remap(Step* step) const {
    for (StepShare& share : step->shares)
      share.node += at_node();
    if (auto* kernel = std::get_if<KernelWork>(&step->work)) {
      for (Located& load : kernel->nest.loads)
        remap(&load);
      for (auto& store : kernel->nest.stores)
        remap(&store.to);
      for (auto& fold : kernel->nest.folds)
        remap(&fold.to);
      if (kernel->scratch >= 0) kernel->scratch = map_[at(kernel->scratch)];
    } else if (auto* product = std::get_if<ProductWork>(&step->work)) {
      remap(&product->a);
      remap(&product->b);
      remap(&product->c);
    } else if (auto* copy = std::get_if<CopyWork>(&step->work)) {
      remap(&copy->from);
      remap(&copy->to);
    } else if (auto* host_work = std::get_if<HostWork>(&step->work)) {
      for (Located& in : host_work->in)
        remap(&in);
      for (Located& out : host_work->out)
        remap(&out);
    }
  }

  /// Where an output's rows are; `ring` rows round and round, or all if 0.
  struct Rows {
    Located to;
    std::int64_t ring = 0;
  };

  PlanBuilder& plan_;
  int n_;
  const Apply& node_;
  const ScanAttrs& attrs_;
  Place place_;
  Graph body_;
  Plan inner_;
  std::int64_t trips_ = 0;
  int first_node_ = 0;
  std::vector<Located> from_;  // the node's inputs; nothing for n_steps
  // One kernel:
  LoopNest nest_;
  LoopNest::Recurrence time_;
  std::vector<std::vector<Source>> sources_;  // by inner step
  std::unordered_map<int, int> made_;         // value of an inner buffer
  std::unordered_map<int, int> results_;      // value of a body's output
  // Steps again and again:
  std::vector<Rows> rows_;
  std::vector<int> map_;  // the plan's buffer of an inner one
  LoopWork loop_;
};

bool PlanBuilder::add_scan(int n) {
  return ScanBuilder(*this, n).run();
}

}  // namespace hypatia
