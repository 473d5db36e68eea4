// The hot part: what happens at every access. What is said of it afterwards is in
// checker_words.cpp.
#include "engine/device/sim/checker.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/device/sim/guard.h"

namespace hypatia::sim {

namespace {

thread_local Checker* active_checker = nullptr;

inline std::uintptr_t address_of(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

// Mapping and guarding a stack for each thread costs more than a small launch does.
Block& checked_block() {
  thread_local Block block;
  return block;
}

/// Which of the word's four bytes an access that starts at `at` touches.
constexpr std::uint8_t bytes_in_word(std::uintptr_t at, std::uintptr_t end, std::uintptr_t word) {
  const std::uintptr_t first = std::max(at, word), last = std::min(end, word + word_bytes);
  return static_cast<std::uint8_t>(((1U << (last - first)) - 1U) << (first - word));
}

}  // namespace

Checker::Checker(
    CheckedMemory memory, const SimKernel& kernel, const Shape& shape, void* const* arguments)
    : memory_(memory),
      kernel_(kernel),
      shape_(shape),
      arguments_(arguments),
      block_(checked_block()) {
  map_shared();
  sites_.push_back(0);
}

Checker* Checker::active() {
  return active_checker;
}

void Checker::map_shared() {
  const SharedMemory& shared = kernel_.module.shared();
  const std::uintptr_t anchor = address_of(shared.anchor());
  shared_low_ = shared_high_ = anchor;
  for (const SharedArray& array : shared.arrays()) {
    const std::uintptr_t begin = anchor + static_cast<std::uintptr_t>(array.offset);
    shared_low_ = std::min(shared_low_, begin);
    shared_high_ = std::max(shared_high_, begin + array.bytes);
  }
  // A little before the first is still meant for it.
  shared_low_ = shared_low_ / word_bytes * word_bytes - 1024;
  shared_bytes_.assign(shared_high_ - shared_low_, Byte::outside);
  shared_cells_.resize((shared_high_ - shared_low_) / word_bytes + 1);
  for (const SharedArray& array : shared.arrays()) {
    if (array.kind == SharedArray::Kind::margin) continue;
    const bool dynamic = array.kind == SharedArray::Kind::dynamic;
    const auto first = static_cast<std::ptrdiff_t>(
        anchor + static_cast<std::uintptr_t>(array.offset) - shared_low_);
    const std::size_t bytes = dynamic ? shape_.shared_bytes : array.bytes;
    std::fill_n(
        shared_bytes_.begin() + first,
        std::min(bytes, array.bytes),
        array.kind == SharedArray::Kind::prelude ? Byte::prelude : Byte::array);
  }
}

SimReport Checker::run(Order order) {
  order_ = order;
  active_checker = this;
  block_.on_warp = on_warp;
  block_.on_barrier = on_barrier;
  block_.on_bad_shuffle = on_bad_shuffle;
  Fault crash = guarded(run_all, this, block_.fibers());
  active_checker = nullptr;
  if (crash) {
    crash.block = block_index_;
    crash.thread = Block::running() ? static_cast<std::int32_t>(block_.thread()) : -1;
    Block::leave();
    counters_.end_block();
    fault_ = crash;
  }
  if (hook_calls_ == 0 && kernel_.indexes) {
    internal_error(
        "the checker saw no access of kernel " + kernel_.name() +
        ": its instrumentation is missing");
  }
  return report(fault_);
}

void Checker::run_all(void* self) {
  static_cast<Checker*>(self)->run_blocks();
}

void Checker::run_blocks() {
  const std::uint64_t blocks =
      std::uint64_t{shape_.grid[0]} * shape_.grid[1] * std::uint64_t{shape_.grid[2]};
  first_serial_ = memory_.shadow.next_serial;
  for (std::uint64_t i = 0; i < blocks && !fault_; ++i) {
    block_index_ = order_ == Order::descending ? blocks - 1 - i : i;
    begin_block();
    fault_ = block_.run(kernel_.entry.thread, shape_, block_index_, arguments_, order_);
    counters_.end_block();
  }
}

void Checker::begin_block() {
  const unsigned threads = shape_.block[0] * shape_.block[1] * shape_.block[2];
  serial_ = memory_.shadow.next_serial++;
  index_of_serial_.push_back(block_index_);
  warp_syncs_.assign((threads + 31) / 32, {});
  fenced_.assign(threads, false);
  acquired_.clear();
  counters_.begin_block(threads);
  kernel_.module.shared().poison(shape_.shared_bytes);
}

void Checker::on_warp(Block& block, unsigned warp, WarpOp op, std::uint32_t lanes) {
  static_cast<void>(block);
  if (op == WarpOp::sync) active_checker->warp_syncs_[warp].push_back(lanes);
}

void Checker::on_barrier(Block& block, std::int32_t line) {
  static_cast<void>(block);
  ++active_checker->barrier_lines_[line];
  for (std::vector<std::uint32_t>& syncs : active_checker->warp_syncs_)
    syncs.clear();
}

bool Checker::is_shared(const void* at) const {
  return address_of(at) - shared_low_ < shared_high_ - shared_low_;
}

// Local variables lie above the hook's frame on the same stack; the prelude's are thread-local.
bool Checker::is_private(const void* at, const void* frame) const {
  if (at >= frame && at < block_.fibers().top()) return true;
  return is_shared(at) && shared_bytes_[address_of(at) - shared_low_] == Byte::prelude;
}

void Checker::access(void* at, std::uint32_t bytes, std::int32_t write, void* from) {
  Checker* self = active_checker;
  if (!self || !Block::running()) return;
  ++self->hook_calls_;
  if (self->is_private(at, __builtin_frame_address(0))) return;
  const std::uint16_t site = self->site_of(address_of(from) - 1);
  self->touch(at, bytes, !write, write, false, site);
}

void Checker::atomic(void* at, std::uint32_t bytes, std::int32_t line) {
  Checker* self = active_checker;
  if (!self || !Block::running()) return;
  ++self->hook_calls_;
  if (self->is_private(at, __builtin_frame_address(0))) return;
  const std::uint16_t site = self->site_of(~static_cast<std::uintptr_t>(line));
  self->touch(at, bytes, true, true, true, site);
  ++self->counters_.count(site).atomics;
  if (self->fenced_[self->block_.thread()]) self->released_[at].insert(self->serial_);
  const auto known = self->released_.find(at);
  if (known != self->released_.end())
    self->acquired_.insert(known->second.begin(), known->second.end());
}

void Checker::fence() {
  Checker* self = active_checker;
  if (self && Block::running()) self->fenced_[self->block_.thread()] = true;
}

std::uint16_t Checker::site_of(std::uintptr_t key) {
  std::size_t slot = (key * 0x9e3779b97f4a7c15U) >> 51;
  while (site_keys_[slot] != key) {
    if (site_keys_[slot] == 0) {
      if (sites_.size() + 1024 > site_keys_.size()) return 0;
      site_keys_[slot] = key;
      site_numbers_[slot] = static_cast<std::uint16_t>(sites_.size());
      sites_.push_back(key);
      break;
    }
    slot = (slot + 1) % site_keys_.size();
  }
  return site_numbers_[slot];
}

Access Checker::access_now(std::uint16_t site, bool atomic) const {
  Access me;
  me.serial = serial_;
  me.epoch = block_.barriers();
  me.thread = static_cast<std::uint16_t>(block_.thread());
  me.site = site;
  me.warp_epoch = static_cast<std::uint16_t>(warp_syncs_[me.thread / 32U].size());
  me.atomic = atomic;
  return me;
}

bool Checker::in_piece(const void* at, std::uint32_t bytes) const {
  const char* begin = static_cast<const char*>(at);
  for (const Arena::Piece& piece : recent_pieces_) {
    if (begin >= piece.begin && begin + bytes <= piece.begin + piece.bytes) return true;
  }
  const Arena::Piece piece = memory_.arena.find(at);
  if (!piece.begin || begin + bytes > piece.begin + piece.bytes) return false;
  recent_pieces_[next_recent_++ % recent_pieces_.size()] = piece;
  return true;
}

bool Checker::is_inside(const void* at, std::uint32_t bytes, bool shared) const {
  if (shared) {
    const std::uintptr_t first = address_of(at) - shared_low_, last = first + bytes - 1;
    return shared_bytes_[first] == Byte::array && last < shared_bytes_.size() &&
           shared_bytes_[last] == Byte::array;
  }
  if (memory_.arena.holds(at)) return in_piece(at, bytes);
  return kernel_.module.object().holds(at) || memory_.is_pinned(memory_.device, at);
}

void Checker::touch(
    void* at, std::uint32_t bytes, bool read, bool write, bool atomic, std::uint16_t site) {
  const bool shared = is_shared(at);
  Access me = access_now(site, atomic);
  ++accesses_;
  if (!is_inside(at, bytes, shared)) {
    const bool host = !shared && !memory_.arena.holds(at);
    return found_at(host ? "memory" : "out-of-bounds", me, write, bytes, at);
  }
  const bool whole = (bytes & (bytes - 1)) == 0 && bytes <= 16;
  if (whole && address_of(at) % bytes != 0) found_at("misaligned", me, write, bytes, at);
  SiteCounts& counts = counters_.count(site);
  if (!counts.at) counts.at = at;
  if (!atomic) {
    ++(shared ? (write ? counts.shared_stores : counts.shared_loads)
              : (write ? counts.stores : counts.loads));
    counters_.add(site, me.thread, at, bytes, shared);
  }
  if (!shared) return touch_global(me, at, bytes, read, write);
  const std::uintptr_t begin = address_of(at), end = begin + bytes;
  for (std::uintptr_t word = begin / word_bytes * word_bytes; word < end; word += word_bytes) {
    me.bytes = bytes_in_word(begin, end, word);
    void* const here = static_cast<char*>(at) + (std::max(begin, word) - begin);
    Cell& cell = shared_cells_[(word - shared_low_) / word_bytes];
    if (read && cell.write.serial < serial_)
      found_at("uninitialised", me, false, std::min<std::uint32_t>(bytes, word_bytes), here);
    check_cell(cell, me, read, write, serial_, here);
  }
}

void Checker::touch_global(
    const Access& first, void* at, std::uint32_t bytes, bool read, bool write) {
  Access me = first;
  const bool on_arena = memory_.arena.holds(at);
  const std::uintptr_t begin = address_of(at), end = begin + bytes;
  for (std::uintptr_t word = begin / word_bytes * word_bytes; word < end; word += word_bytes) {
    me.bytes = bytes_in_word(begin, end, word);
    void* const here = static_cast<char*>(at) + (std::max(begin, word) - begin);
    Page& page = memory_.shadow.page(here);
    const std::size_t number = Shadow::word(here);
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    std::uint64_t& written = page.written[number / 64];
    if (read && on_arena && !(written & bit))
      found_at("uninitialised", me, false, std::min<std::uint32_t>(bytes, word_bytes), here);
    if (write) written |= bit;
    check_cell((*page.cells)[number], me, read, write, first_serial_, here);
  }
}

void Checker::check_cell(
    Cell& cell, const Access& me, bool read, bool write, std::uint32_t oldest, void* at) {
  if (conflict(cell.write, me, oldest)) {
    report_race(me, cell.write, write, true, at);
  } else if (write && conflict(cell.read, me, oldest)) {
    report_race(me, cell.read, write, false, at);
  } else if (write && conflict(cell.other_read, me, oldest)) {
    report_race(me, cell.other_read, write, false, at);
  }
  if (read && !cell.read.same_thread(me) && cell.read.serial >= oldest) cell.other_read = cell.read;
  if (read) cell.read = me;
  if (write) cell.write = me;
}

void Checker::report_race(
    const Access& me, const Access& other, bool write, bool other_write, void* at) {
  const Target target = target_of(at);
  const std::ptrdiff_t size = __builtin_popcount(me.bytes);
  Found race;
  race.tag = "race";
  race.me = me;
  race.other = other;
  race.write = write;
  race.other_write = other_write;
  if (!target.name.empty())
    race.element = target.name + "[" + std::to_string(target.offset / size) + "]";
  found(race, std::uint64_t{1} << 40 | std::uint64_t{me.site} << 16 | other.site);
}

bool Checker::conflict(const Access& earlier, const Access& me, std::uint32_t oldest) const {
  if (earlier.serial < oldest || !(earlier.bytes & me.bytes)) return false;
  if (earlier.atomic && me.atomic) return false;
  if (earlier.serial != me.serial) return acquired_.find(earlier.serial) == acquired_.end();
  if (earlier.thread == me.thread || earlier.epoch != me.epoch) return false;
  if (earlier.thread / 32 == me.thread / 32 && warp_ordered(earlier, me)) return false;
  return acquired_.find(me.serial) == acquired_.end();
}

/// True if a __syncwarp that both lanes took part in lies between.
bool Checker::warp_ordered(const Access& earlier, const Access& me) const {
  const std::vector<std::uint32_t>& syncs = warp_syncs_[me.thread / 32U];
  const std::uint32_t both = 1U << earlier.thread % 32 | 1U << me.thread % 32;
  for (std::size_t i = earlier.warp_epoch; i < syncs.size(); ++i) {
    if ((syncs[i] & both) == both) return true;
  }
  return false;
}

Checker::Target Checker::target_of(const void* at) const {
  return is_shared(at) ? shared_target(at) : global_target(at);
}

// The array around the address, or the nearest.
Checker::Target Checker::shared_target(const void* at) const {
  const SharedMemory& shared = kernel_.module.shared();
  const std::ptrdiff_t offset = static_cast<const char*>(at) - shared.anchor();
  Target nearest;
  std::ptrdiff_t distance = 0;
  for (const SharedArray& array : shared.arrays()) {
    const bool dynamic = array.kind == SharedArray::Kind::dynamic;
    if (!dynamic && array.kind != SharedArray::Kind::fixed) continue;
    const auto size = static_cast<std::ptrdiff_t>(dynamic ? shape_.shared_bytes : array.bytes);
    const std::ptrdiff_t end = array.offset + size;
    const std::ptrdiff_t apart = offset < array.offset ? array.offset - offset
                                 : offset >= end       ? offset - end + 1
                                                       : 0;
    if (!nearest.name.empty() && apart >= distance) continue;
    distance = apart;
    nearest = {array.name, offset - array.offset, static_cast<std::size_t>(size)};
  }
  return nearest;
}

Checker::Target Checker::global_target(const void* at) const {
  const char* address = static_cast<const char*>(at);
  Target nearest;
  std::ptrdiff_t distance = 0;
  for (std::uint32_t i = 0; i < kernel_.entry.parameter_count; ++i) {
    if (!kernel_.entry.parameters[i].is_pointer) continue;
    const char* begin = *static_cast<char* const*>(arguments_[i]);
    const Arena::Piece piece = memory_.arena.find(begin);
    if (!piece.begin) continue;
    const char* end = piece.begin + piece.bytes;
    const bool inside = address >= piece.begin && address < end;
    const std::ptrdiff_t apart = inside ? 0 : address < begin ? begin - address : address - end + 1;
    if (!nearest.name.empty() && apart >= distance) continue;
    distance = apart;
    nearest.name =
        i < kernel_.parameters.size() ? kernel_.parameters[i] : "argument " + std::to_string(i + 1);
    nearest.offset = address - begin;
    nearest.bytes = static_cast<std::size_t>(end - begin);
  }
  constexpr std::ptrdiff_t near = 1 << 20;
  if (distance > near) nearest.name.clear();
  return nearest;
}

}  // namespace hypatia::sim
