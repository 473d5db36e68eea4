#include "engine/device/sim/block.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/device/sim/checker.h"

namespace hypatia::sim {

namespace {

thread_local Block* active_block = nullptr;

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "0", "0-31", "3 and 40", "0-9, 20 and 63".
std::string ranges(const std::vector<unsigned>& threads) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < threads.size();) {
    std::size_t j = i;
    while (j + 1 < threads.size() && threads[j + 1] == threads[j] + 1)
      ++j;
    parts.push_back(
        std::to_string(threads[i]) + (j > i ? "-" + std::to_string(threads[j]) : std::string()));
    i = j + 1;
  }
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < parts.size() && i < most; ++i)
    text += (i ? ", " : "") + parts[i];
  return parts.size() > most ? text + ", …" : text;
}

}  // namespace

Block* Block::running() {
  return active_block;
}

void Block::leave() {
  active_block = nullptr;
}

const Hooks& Block::hooks() {
  static const Hooks table{
      &Block::barrier,
      &Block::warp,
      &Block::fail_hook,
      &Block::give_way,
      &Checker::access,
      &Checker::atomic,
      &Checker::fence,
  };
  return table;
}

void Block::body(void* self, unsigned thread) {
  Block& block = *static_cast<Block*>(self);
  const std::uint32_t x = block.shape_.block[0], y = block.shape_.block[1];
  const std::uint32_t index[3] = {thread % x, thread / x % y, thread / x / y};
  block.entry_(&block.shape_, block.block_, index, block.arguments_);
  block.all_[thread].state = State::exited;
  --block.live_;
  block.warp_exited_[thread / 32] |= 1U << thread % 32;
  if (block.warp_waiting_[thread / 32]) block.try_warps_without(thread);
}

Fault Block::run(
    ThreadEntry entry,
    const Shape& shape,
    std::uint64_t index,
    void* const* arguments,
    Order order) {
  shape_ = shape;
  entry_ = entry;
  arguments_ = arguments;
  index_ = index;
  block_[0] = static_cast<std::uint32_t>(index % shape.grid[0]);
  block_[1] = static_cast<std::uint32_t>(index / shape.grid[0] % shape.grid[1]);
  block_[2] = static_cast<std::uint32_t>(index / shape.grid[0] / shape.grid[1]);
  count_ = shape.block[0] * shape.block[1] * shape.block[2];
  all_.assign(count_, Thread{});
  warp_waiting_.assign((count_ + 31) / 32, 0);
  warp_exited_.assign((count_ + 31) / 32, 0);
  live_ = count_;
  waiting_ = 0;
  barriers_ = 0;
  fault_ = {};
  choose_order(order);
  fibers_.start(count_, &Block::body, this);
  active_block = this;
  while (live_ > 0 && !fault_)
    sweep();
  active_block = nullptr;
  return fault_;
}

void Block::choose_order(Order order) {
  order_.resize(count_);
  std::iota(order_.begin(), order_.end(), 0U);
  if (order == Order::descending) std::reverse(order_.begin(), order_.end());
  if (order != Order::random) return;
  seed_ = index_ * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU;
  for (unsigned i = count_; i > 1; --i) {
    seed_ ^= seed_ << 13;
    seed_ ^= seed_ >> 7;
    seed_ ^= seed_ << 17;
    std::swap(order_[i - 1], order_[seed_ % i]);
  }
}

// One round: everything that can run does, until it waits or ends.
void Block::sweep() {
  bool ran = false;
  for (const unsigned thread : order_) {
    if (all_[thread].state != State::ready) continue;
    thread_ = thread;
    ran = true;
    fibers_.resume(thread);
    if (fault_) return;
  }
  if (live_ > 0 && waiting_ == live_) {
    complete_barrier();
  } else if (!ran && !release_active_masks()) {
    report_stuck();
  }
}

void Block::fail(std::string tag, std::string what, std::int32_t line) {
  fault_ = {std::move(tag), std::move(what), line, index_, static_cast<std::int32_t>(thread_)};
  fibers_.suspend();
  __builtin_unreachable();
}

void Block::fail_hook(std::int32_t line, const char* what) {
  Block* block = active_block;
  if (block) block->fail("assert", what, line);
}

void Block::give_way() {
  if (active_block) active_block->fibers_.suspend();
}

std::int32_t Block::barrier(std::int32_t line, BarrierKind kind, std::int32_t predicate) {
  Block& block = *active_block;
  const unsigned me = block.thread_;
  Thread& thread = block.all_[me];
  thread.state = State::at_barrier;
  thread.line = line;
  thread.barrier = kind;
  thread.value = predicate != 0;
  ++block.waiting_;
  block.fibers_.suspend();
  return static_cast<std::int32_t>(block.all_[me].value);
}

void Block::complete_barrier() {
  const bool mixed = std::any_of(
      all_.begin(), all_.end(), [this](const Thread& t) { return t.line != all_[0].line; });
  if (live_ != count_ || mixed) return report_stuck();
  std::uint64_t yes = 0;
  for (const Thread& t : all_)
    yes += t.value;
  ++barriers_;
  waiting_ = 0;
  for (Thread& t : all_) {
    t.state = State::ready;
    t.value = t.barrier == BarrierKind::count ? yes
              : t.barrier == BarrierKind::all ? std::uint64_t{yes == count_}
                                              : std::uint64_t{yes > 0};
  }
  if (on_barrier) on_barrier(*this, all_[0].line);
}

std::uint32_t Block::existing_lanes(unsigned warp) const {
  const unsigned lanes = std::min(32U, count_ - warp * 32);
  return lanes == 32 ? 0xffffffffU : (1U << lanes) - 1;
}

std::uint64_t Block::warp(
    std::int32_t line, WarpOp op, std::uint32_t mask, std::uint64_t value, std::int32_t operand) {
  Block& block = *active_block;
  const unsigned me = block.thread_, warp = me / 32, lane = me % 32;
  if (op != WarpOp::active && (mask >> lane & 1U) == 0) {
    block.fail(
        "warp",
        "thread " + std::to_string(me) +
            " calls a warp operation whose mask doesn't name its own "
            "lane " +
            std::to_string(lane),
        line);
  }
  block.all_[me] = {State::at_warp, BarrierKind::plain, op, line, operand, mask, value};
  block.warp_waiting_[warp] |= 1U << lane;
  if (op != WarpOp::active) block.try_warp(warp, line, mask);
  // The last to come goes on at once; the others follow in their order.
  if (block.all_[me].state == State::at_warp) block.fibers_.suspend();
  return block.all_[me].value;
}

// Complete once every lane of the mask that has not ended waits with this mask at this line.
void Block::try_warp(unsigned warp, std::int32_t line, std::uint32_t mask) {
  const std::uint32_t needed = mask & existing_lanes(warp) & ~warp_exited_[warp];
  if ((warp_waiting_[warp] & needed) != needed) return;
  std::uint32_t here = 0;
  for (unsigned i = warp * 32; i < std::min(count_, warp * 32 + 32); ++i) {
    const Thread& t = all_[i];
    const bool same =
        t.state == State::at_warp && t.op != WarpOp::active && t.line == line && t.mask == mask;
    here |= std::uint32_t{same} << (i % 32);
  }
  if ((here & needed) == needed) complete_warp(warp, here);
}

// A lane has ended, which may be what the others of its warp were waiting for.
void Block::try_warps_without(unsigned thread) {
  const unsigned base = thread / 32 * 32;
  for (unsigned i = base; i < std::min(count_, base + 32); ++i) {
    const Thread& t = all_[i];
    if (t.state == State::at_warp && t.op != WarpOp::active) try_warp(base / 32, t.line, t.mask);
  }
}

void Block::complete_warp(unsigned warp, std::uint32_t lanes) {
  Lanes together;
  together.mask = lanes;
  warp_waiting_[warp] &= ~lanes;
  const unsigned base = warp * 32;
  for (unsigned i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    together.value[i] = all_[base + i].value;
    together.operand[i] = all_[base + i].operand;
  }
  const unsigned first = base + static_cast<unsigned>(__builtin_ctz(lanes));
  together.run(all_[first].op);
  if (on_bad_shuffle && all_[first].op == WarpOp::shuffle) look_for_bad_shuffles(warp, together);
  for (unsigned i = 0; i < 32; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    all_[base + i].value = together.result[i];
    all_[base + i].state = State::ready;
  }
  if (on_warp) on_warp(*this, warp, all_[first].op, lanes);
}

void Block::look_for_bad_shuffles(unsigned warp, const Lanes& lanes) {
  for (unsigned i = 0; i < 32; ++i) {
    const auto source = static_cast<unsigned>(lanes.operand[i]) & 31U;
    if ((lanes.mask >> i & 1U) && !(lanes.mask >> source & 1U))
      on_bad_shuffle(*this, all_[warp * 32 + i].line, warp, i, source);
  }
}

// Nothing else can run, so the lanes that wait in __activemask are those that run together.
bool Block::release_active_masks() {
  bool released = false;
  for (unsigned base = 0; base < count_; base += 32) {
    std::map<std::int32_t, std::uint32_t> lanes_at;
    for (unsigned i = base; i < std::min(count_, base + 32); ++i) {
      const Thread& t = all_[i];
      if (t.state == State::at_warp && t.op == WarpOp::active) lanes_at[t.line] |= 1U << (i - base);
    }
    for (const auto& [line, lanes] : lanes_at) {
      complete_warp(base / 32, lanes);
      released = true;
    }
  }
  return released;
}

// Every live thread waits, and no wait can end: who waits where, in the order of the text.
void Block::report_stuck() {
  std::map<std::pair<std::int32_t, bool>, std::vector<unsigned>> at;
  std::vector<unsigned> exited;
  for (unsigned i = 0; i < count_; ++i) {
    if (all_[i].state == State::exited) {
      exited.push_back(i);
    } else {
      at[{all_[i].line, all_[i].state == State::at_barrier}].push_back(i);
    }
  }
  std::string text;
  for (const auto& [place, threads] : at) {
    text += (text.empty() ? "" : ", ") + std::to_string(threads.size()) + " of " +
            plural(count_, "thread") + (threads.size() == 1 ? " waits" : " wait") +
            (place.second ? " at the barrier in line " : " in the warp operation of line ") +
            std::to_string(place.first) + " (" + ranges(threads) + ")";
  }
  if (!exited.empty()) {
    text += ", " + std::to_string(exited.size()) + " exited before (" + ranges(exited) + ")";
  }
  const auto& [first, threads] = *at.begin();
  fault_ = {
      first.second ? "barrier" : "warp",
      text + ": all must come to the same one",
      first.first,
      index_,
      static_cast<std::int32_t>(threads.front()),
  };
}

}  // namespace hypatia::sim
