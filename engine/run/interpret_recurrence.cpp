// A recurrence in the interpreter: its chains become arrays that move up by one after each step.
#include <algorithm>

#include "engine/emit/emit.h"
#include "engine/run/interpret.h"

namespace hypatia {

namespace {

// Numbers of the chains' arrays, beyond those of any plan's buffers.
constexpr int first_state = 1 << 30;

class Recurrence {
 public:
  Recurrence(const KernelWork& work, std::span<void* const> addresses)
      : nest_(work.nest), buffers_(parameters(work)), addresses_(addresses) {
    step_.nest = nest_;
    step_.nest.recurrence.reset();
    for (const auto& chain : nest_.recurrence->chains)
      add_chain(chain);
    if (nest_.recurrence->until >= 0) {
      numbers_.push_back({first_state + count_++});
      states_.push_back({Array(DType::boolean, nest_.extents)});
      step_.nest.stores.push_back(
          {nest_.recurrence->until, located(numbers_.back()[0], DType::boolean)});
    }
    step_stores_ = step_.nest.stores;
  }

  void run() {
    const auto& time = *nest_.recurrence;
    std::int64_t t = 0;
    for (bool last = false; t < time.steps && !last; ++t) {
      move_to(t);
      run_nest(step_);
      // What was made becomes what lies one step back.
      for (std::vector<Array>& states : states_)
        std::rotate(states.begin(), states.end() - 1, states.end());
      last = time.until >= 0 && *static_cast<const bool*>(states_.back()[0].address());
    }
    if (time.taken) *static_cast<std::int64_t*>(address(time.taken->buffer)) = t;
  }

 private:
  Located located(int number, DType dtype) const {
    return {number, dtype, {nest_.extents, row_major(nest_.extents), 0}};
  }

  /// Arrays for one step back, two, … and, last, for what the step makes.
  void add_chain(const LoopNest::Recurrence::Chain& chain) {
    std::vector<Array> states;
    std::vector<int> numbers;
    const DType dtype = nest_.loads[static_cast<std::size_t>(chain.loads[0])].dtype;
    for (std::size_t b = 0; b <= chain.loads.size(); ++b) {
      states.emplace_back(dtype, nest_.extents);
      numbers.push_back(first_state + count_++);
    }
    numbers_.push_back(numbers);
    states_.push_back(states);
    for (std::size_t b = 0; b < chain.loads.size(); ++b) {
      Located& load = step_.nest.loads[static_cast<std::size_t>(chain.loads[b])];
      KernelWork start;
      start.nest.extents = nest_.extents;
      start.nest.loads = {load};
      start.nest.program.inputs = {dtype};
      start.nest.stores = {{0, located(numbers[b], dtype)}};
      run_nest(start);
      load = located(numbers[b], dtype);
    }
    step_.nest.stores.push_back({chain.value, located(numbers.back(), dtype)});
  }

  void move_to(std::int64_t t) {
    const auto& r = *nest_.recurrence;
    for (std::size_t i = 0; i < nest_.loads.size(); ++i) {
      Located& load = step_.nest.loads[i];
      if (load.buffer >= first_state) continue;
      load.layout.offset = nest_.loads[i].layout.offset + t * r.load_strides[i];
    }
    step_.nest.stores.clear();
    for (std::size_t s = 0; s < step_stores_.size(); ++s) {
      LoopNest::Store store = step_stores_[s];
      if (s < r.store_from.size()) {
        if (t < r.store_from[s]) continue;
        store.to.layout.offset += (t - r.store_from[s]) * r.store_strides[s];
      }
      step_.nest.stores.push_back(store);
    }
  }

  void run_nest(const KernelWork& work) const {
    std::vector<void*> addresses;
    for (int buffer : parameters(work))
      addresses.push_back(address(buffer));
    interpret(work, addresses);
  }

  void* address(int buffer) const {
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      const auto found = std::find(numbers_[c].begin(), numbers_[c].end(), buffer);
      if (found == numbers_[c].end()) continue;
      return states_[c][static_cast<std::size_t>(found - numbers_[c].begin())].address();
    }
    const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    return addresses_[static_cast<std::size_t>(found - buffers_.begin())];
  }

  const LoopNest& nest_;
  std::vector<int> buffers_;
  std::span<void* const> addresses_;
  KernelWork step_;
  std::vector<LoopNest::Store> step_stores_;
  // By chain: steps back 1, 2, …, and what comes next; after them the condition to stop.
  std::vector<std::vector<int>> numbers_;
  std::vector<std::vector<Array>> states_;  // likewise
  int count_ = 0;
};

}  // namespace

void interpret_recurrence(const KernelWork& work, std::span<void* const> addresses) {
  Recurrence(work, addresses).run();
}

}  // namespace hypatia
