// Loop nests: their cost, and their simplest equal form.
#include <algorithm>

#include "engine/plan/plan.h"

namespace hypatia {

namespace {

bool is_reduced(const LoopNest& nest, int axis) {
  return std::binary_search(nest.reduced.begin(), nest.reduced.end(), axis);
}

/// Visits the layouts of a nest, widened to one stride for every axis of the nest.
class Strides {
 public:
  explicit Strides(const LoopNest& nest) {
    for (const Located& at : nest.loads)
      all_.push_back(at.layout.strides);
    for (const auto& store : nest.stores)
      all_.push_back(store.to.layout.strides);
    for (const auto& fold : nest.folds)
      add_kept(nest, fold.to.layout);
    for (const Located& at : nest.epilogue.loads)
      add_kept(nest, at.layout);
    for (const auto& store : nest.epilogue.stores)
      add_kept(nest, store.to.layout);
  }

  /// True if axis and axis+1 are one longer axis in every access.
  bool joins(const LoopNest& nest, int axis) const {
    if (is_reduced(nest, axis) != is_reduced(nest, axis + 1)) return false;
    return std::all_of(all_.begin(), all_.end(), [&](const Dims& strides) {
      return strides[axis] == strides[axis + 1] * nest.extents[axis + 1];
    });
  }

 private:
  /// The strides of a layout over the kept axes.
  void add_kept(const LoopNest& nest, const Layout& layout) {
    Dims wide;
    int kept = 0;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
      wide.push_back(is_reduced(nest, axis) ? 0 : layout.strides[kept++]);
    }
    all_.push_back(wide);
  }

  std::vector<Dims> all_;
};

/// Position of a nest axis among the kept ones.
int kept_position(const LoopNest& nest, int axis) {
  int position = 0;
  for (int i = 0; i < axis; ++i)
    position += is_reduced(nest, i) ? 0 : 1;
  return position;
}

void drop(Layout* layout, int axis) {
  layout->dims.erase(axis);
  layout->strides.erase(axis);
}

// No size: the axis goes without being joined to the next. Joined sizes may be 0.
constexpr std::int64_t not_joined = -1;

/// Removes an axis; joined, the next one takes over that many elements.
void remove_axis(LoopNest* nest, int axis, std::int64_t joined_size) {
  const bool reduced = is_reduced(*nest, axis);
  const int kept = kept_position(*nest, axis);
  const auto grow = [&](Layout* layout, int at) {
    drop(layout, at);
    if (joined_size != not_joined) layout->dims[at] = joined_size;
  };
  for (Located& at : nest->loads)
    grow(&at.layout, axis);
  for (auto& store : nest->stores)
    grow(&store.to.layout, axis);
  if (!reduced) {
    for (auto& fold : nest->folds)
      grow(&fold.to.layout, kept);
    for (Located& at : nest->epilogue.loads)
      grow(&at.layout, kept);
    for (auto& store : nest->epilogue.stores)
      grow(&store.to.layout, kept);
  }
  nest->extents.erase(axis);
  if (joined_size != not_joined) nest->extents[axis] = joined_size;
  std::vector<int> axes;
  for (int a : nest->reduced) {
    if (a != axis) axes.push_back(a > axis ? a - 1 : a);
  }
  nest->reduced = std::move(axes);
}

}  // namespace

Cost cost_of(const LoopNest& nest) {
  const double points = static_cast<double>(elements(nest.extents));
  Cost cost;
  cost.flops = points * (flops_per_element(nest.program) + static_cast<double>(nest.folds.size()));
  for (const Located& at : nest.loads) {
    double touched = 1;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
      if (at.layout.strides[axis] != 0) touched *= static_cast<double>(nest.extents[axis]);
    }
    cost.bytes += touched * size_of(at.dtype);
  }
  for (const auto& store : nest.stores)
    cost.bytes += points * size_of(store.to.dtype);
  double kept = 1;
  for (int axis = 0; axis < nest.extents.rank(); ++axis)
    kept *= is_reduced(nest, axis) ? 1.0 : static_cast<double>(nest.extents[axis]);
  for (const auto& fold : nest.folds)
    cost.bytes += fold.to.buffer >= 0 ? kept * size_of(fold.to.dtype) : 0;
  cost.flops += kept * flops_per_element(nest.epilogue.program);
  for (const Located& at : nest.epilogue.loads)
    cost.bytes += kept * size_of(at.dtype);
  for (const auto& store : nest.epilogue.stores)
    cost.bytes += kept * size_of(store.to.dtype);
  return cost;
}

LoopNest collapsed(const LoopNest& nest) {
  LoopNest out = nest;
  for (int axis = out.extents.rank() - 1; axis >= 0; --axis) {
    // A reduction keeps an axis, so that it stays one even over a single element.
    const bool last_reduced = is_reduced(out, axis) && out.reduced.size() == 1;
    if (out.extents[axis] == 1 && !last_reduced) remove_axis(&out, axis, not_joined);
  }
  for (int axis = out.extents.rank() - 2; axis >= 0; --axis) {
    if (Strides(out).joins(out, axis)) {
      remove_axis(&out, axis, out.extents[axis] * out.extents[axis + 1]);
    }
  }
  return out;
}

}  // namespace hypatia
