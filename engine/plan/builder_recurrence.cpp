// Loops as one kernel: the body's kernels joined, their results in registers from step to step.
#include <algorithm>

#include "engine/plan/builder_scan.h"

namespace hypatia {

bool PlanBuilder::ScanBuilder::one_kernel() {
  if (!find_extents()) return false;
  time_.steps = trips_;
  for (int c = 0; c < attrs_.carries(); ++c)
    chain(c);
  for (const Step& step : inner_.steps) {
    const std::optional<LoopNest> kernel = lifted(step);
    if (!kernel || !take_operands(*kernel)) return false;
    kernels_.push_back(*kernel);
  }
  for (const Located& load : nest_.loads)
    nest_.program.inputs.push_back(load.dtype);
  for (const Array& value : nest_.literals)
    nest_.program.inputs.push_back(value.dtype());
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    if (!append(kernels_[k], sources_[k])) return false;
  }
  for (int i = 0; i < attrs_.rows() + (attrs_.until ? 1 : 0); ++i) {
    if (!results_.contains(i)) return false;
  }
  if (attrs_.until) time_.until = results_.at(attrs_.rows());
  for (int c = 0; c < attrs_.carries(); ++c)
    time_.chains[at(c)].value = results_.at(c);
  finish_kernel();
  return true;
}

bool PlanBuilder::ScanBuilder::find_extents() {
  bool singles = attrs_.until;  // their only store would be lost where there are no elements
  for (const Step& step : inner_.steps) {
    const auto* kernel = std::get_if<KernelWork>(&step.work);
    if (!kernel) return false;
    const bool one = elements(kernel->nest.extents) == 1;
    if (!one) nest_.extents = kernel->nest.extents;
    singles |= one;
  }
  const std::int64_t size = elements(nest_.extents);
  const auto fits = [&](int c) { return row_elements(c) == size || row_elements(c) == 1; };
  for (int i = 0; i < attrs_.rows(); ++i) {
    if (!fits(i)) return false;
    singles |= row_elements(i) == 1;
  }
  return !inner_.steps.empty() && (size > 0 || !singles);
}

Layout PlanBuilder::ScanBuilder::row_layout(bool single, std::int64_t offset) const {
  Layout layout{nest_.extents, row_major(nest_.extents), offset};
  if (single) std::fill(layout.strides.begin(), layout.strides.end(), 0);
  return layout;
}

bool PlanBuilder::ScanBuilder::covers(const Layout& layout, bool single) const {
  return layout.offset == 0 && layout.strides == row_layout(single, 0).strides;
}

std::optional<LoopNest> PlanBuilder::ScanBuilder::lifted(const Step& step) const {
  const KernelWork& kernel = std::get<KernelWork>(step.work);
  LoopNest nest = kernel.nest;
  if (kernel.own || !nest.folds.empty() || !nest.gathers.empty() || nest.recurrence) return {};
  if (nest.extents == nest_.extents) return nest;
  if (elements(nest.extents) != 1) return {};
  nest.extents = nest_.extents;
  for (Located& load : nest.loads)
    load.layout = row_layout(true, load.layout.offset);
  for (LoopNest::Store& store : nest.stores)
    store.to.layout = row_layout(true, store.to.layout.offset);
  return nest;
}

void PlanBuilder::ScanBuilder::chain(int c) {
  LoopNest::Recurrence::Chain chain;
  for (int back = 1; back <= attrs_.depth(c); ++back) {
    chain.loads.push_back(static_cast<int>(nest_.loads.size()));
    // The start's place is filled in once it is certain that the kernel will be made.
    const DType dtype = node_.input(attrs_.first_start() + c).dtype();
    nest_.loads.push_back({-1, dtype, row_layout(row_elements(c) == 1, 0)});
    time_.load_strides.push_back(0);
  }
  time_.chains.push_back(chain);
}

bool PlanBuilder::ScanBuilder::take_operands(const LoopNest& inner) {
  std::vector<Source> sources;
  for (const Located& load : inner.loads) {
    Source source;
    if (!take_load(load, &source)) return false;
    sources.push_back(source);
  }
  for (const Array& value : inner.literals) {
    sources.push_back({Source::Kind::literal, static_cast<int>(nest_.literals.size())});
    nest_.literals.push_back(value);
  }
  sources_.push_back(std::move(sources));
  return true;
}

bool PlanBuilder::ScanBuilder::take_load(const Located& load, Source* source) {
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
    return covers(load.layout, single(buffer, load.dtype));
  }
  const Role role = role_of(buffer.number);
  if (role.kind == Role::Kind::tap) {
    const auto& chain = time_.chains[at(role.carry)];
    *source = {Source::Kind::load, chain.loads[at(-role.tap - 1)]};
    return covers(load.layout, row_elements(role.carry) == 1);
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

int PlanBuilder::ScanBuilder::add_load(const Located& load, std::int64_t stride) {
  nest_.loads.push_back(load);
  time_.load_strides.push_back(stride);
  return static_cast<int>(nest_.loads.size()) - 1;
}

bool PlanBuilder::ScanBuilder::append(const LoopNest& inner, const std::vector<Source>& sources) {
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
    const Buffer& buffer = inner_buffer(store.to.buffer);
    if (!same || !covers(store.to.layout, single(buffer, store.to.dtype))) return false;
    made_[store.to.buffer] = value;
    if (buffer.kind == BufferKind::output) results_[buffer.number] = value;
  }
  return true;
}

void PlanBuilder::ScanBuilder::finish_kernel() {
  for (int c = 0; c < attrs_.carries(); ++c) {
    const Located start = plan_.contiguous(from_[at(attrs_.first_start() + c)], n_, place_);
    for (int back = 1; back <= attrs_.depth(c); ++back) {
      Located& load = nest_.loads[at(time_.chains[at(c)].loads[at(back - 1)])];
      load.buffer = start.buffer;
      load.layout.offset = (attrs_.depth(c) - back) * row_elements(c);
    }
  }
  for (int i = 0; i < attrs_.rows(); ++i)
    store_rows(i);
  if (attrs_.until) place_taken();
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
  if (attrs_.until && !place_.on_host()) copy_taken();
}

void PlanBuilder::ScanBuilder::place_taken() {
  const Type there = Type(DType::int64, 0).with_place(place_);
  const int buffer = place_.on_host()
                         ? plan_.make(plan_.output_of(n_, attrs_.rows()), &node_).buffer
                         : plan_.add_buffer(BufferKind::temporary, -1, there, &node_);
  time_.taken = {buffer, DType::int64, row_layout(true, 0)};
}

void PlanBuilder::ScanBuilder::copy_taken() {
  const Located to = plan_.make(plan_.output_of(n_, attrs_.rows()), &node_);
  add_copy_out(time_.taken->buffer, to.buffer, DType::int64);
}

void PlanBuilder::ScanBuilder::store_rows(int i) {
  const Located to = plan_.make(plan_.output_of(n_, i), &node_);
  if (kept(i) == 0) return;
  const std::int64_t skipped = total(i) - kept(i), before = attrs_.rows_before(i);
  const std::int64_t copied = std::max<std::int64_t>(before - skipped, 0);
  if (copied > 0) copy_start(i, to, before - copied, copied);
  const std::int64_t size = row_elements(i);
  const bool single = size == 1;
  nest_.stores.push_back(
      {results_.at(i), {to.buffer, to.dtype, row_layout(single, copied * size)}});
  time_.store_strides.push_back(size);
  time_.store_from.push_back(std::max<std::int64_t>(skipped - before, 0));
}

void PlanBuilder::ScanBuilder::copy_start(
    int c, const Located& to, std::int64_t first, std::int64_t count) {
  const Located& start = from_[at(attrs_.first_start() + c)];
  const Located rows = rows_of(start, first, count), target = rows_of(to, 0, count);
  if (elements(target.layout.dims) > 0) plan_.add_copy_kernel(rows, target, n_, place_);
}

void PlanBuilder::ScanBuilder::share_out(Step* step) const {
  double sum = 0;
  for (const Step& inner : inner_.steps) {
    step->name += (step->name.empty() ? "scan of " : "+") + inner.name;
    const double weight = std::max(inner.flops, 1.0);
    sum += weight;
    for (const StepShare& share : inner.shares)
      step->shares.push_back({number_of(share.node), share.share * weight});
  }
  for (StepShare& share : step->shares)
    share.share /= sum;
  if (step->shares.empty()) step->shares = {{static_cast<std::uint32_t>(n_), 1.0}};
}

}  // namespace hypatia
