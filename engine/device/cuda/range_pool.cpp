#include "engine/device/cuda/range_pool.h"

#include <algorithm>
#include <bit>

namespace hypatia {

namespace {

/// The highest power of two in a number.
std::size_t highest_power(std::uint64_t number) {
  return 63U - static_cast<std::size_t>(std::countl_zero(number));
}

}  // namespace

RangePool::RangePool(SlabSource& source, std::size_t granule, std::size_t growth)
    : source_(source), granule_(granule), growth_(growth) {}

RangePool::~RangePool() {
  for (Range* first : slabs_) {
    std::size_t bytes = 0;
    for (const Range* range = first; range; range = range->after)
      bytes += range->bytes;
    source_.give_slab(first->address, bytes);
  }
}

RangePool::Class RangePool::class_of(std::size_t bytes) {
  const std::size_t power = highest_power(bytes);
  return {power, power < 4 ? 0 : (bytes >> (power - 4)) & (parts - 1)};
}

std::size_t RangePool::rounded(std::size_t bytes) const {
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + granule_ - 1) & ~(granule_ - 1);
  const std::size_t power = highest_power(whole);
  const std::size_t step = std::max(granule_, power < 4 ? 1 : std::size_t{1} << (power - 4));
  return (whole + step - 1) & ~(step - 1);
}

Range* RangePool::take_record() {
  if (records_.empty()) {
    owned_.push_back(std::make_unique<Range>());
    records_.reserve(owned_.size());
    return owned_.back().get();
  }
  Range* range = records_.back();
  records_.pop_back();
  return range;
}

void RangePool::put_record(Range* range) {
  *range = Range{};
  records_.push_back(range);
}

void RangePool::link(Range* range) {
  const Class at = class_of(range->bytes);
  Range*& head = lists_[at.power][at.part];
  range->free = true;
  range->previous = nullptr;
  range->next = head;
  if (head) head->previous = range;
  head = range;
  part_maps_[at.power] |= std::uint32_t{1} << at.part;
  power_map_ |= std::uint64_t{1} << at.power;
}

void RangePool::unlink(Range* range) {
  const Class at = class_of(range->bytes);
  Range*& head = lists_[at.power][at.part];
  if (range->previous) range->previous->next = range->next;
  if (range->next) range->next->previous = range->previous;
  if (head == range) head = range->next;
  range->free = false;
  range->previous = range->next = nullptr;
  if (head) return;
  part_maps_[at.power] &= ~(std::uint32_t{1} << at.part);
  if (part_maps_[at.power] == 0) power_map_ &= ~(std::uint64_t{1} << at.power);
}

// `bytes` is a rounded size, the least of its class, so that the head of any class from there on
// fits.
Range* RangePool::find_free(std::size_t bytes) const {
  const Class at = class_of(bytes);
  const std::uint32_t here = part_maps_[at.power] & (~std::uint32_t{0} << at.part);
  if (here) return lists_[at.power][static_cast<std::size_t>(std::countr_zero(here))];
  const std::uint64_t above = power_map_ & (~std::uint64_t{0} << (at.power + 1));
  if (!above) return nullptr;
  const auto power = static_cast<std::size_t>(std::countr_zero(above));
  return lists_[power][static_cast<std::size_t>(std::countr_zero(part_maps_[power]))];
}

void RangePool::split(Range* range, std::size_t bytes) {
  if (range->bytes - bytes < granule_) return;
  Range* rest = take_record();
  rest->address = range->address + bytes;
  rest->bytes = range->bytes - bytes;
  rest->before = range;
  rest->after = range->after;
  if (rest->after) rest->after->before = rest;
  range->after = rest;
  range->bytes = bytes;
  link(rest);
}

void RangePool::absorb_next(Range* range) {
  Range* next = range->after;
  range->bytes += next->bytes;
  range->after = next->after;
  if (range->after) range->after->before = range;
  put_record(next);
}

bool RangePool::grow(std::size_t bytes) {
  void* slab = source_.take_slab(bytes);
  if (!slab) return false;
  Range* range = take_record();
  range->address = static_cast<char*>(slab);
  range->bytes = bytes;
  slabs_.push_back(range);
  held_ += bytes;
  link(range);
  return true;
}

Range* RangePool::allocate(std::size_t bytes) {
  const std::size_t wanted = rounded(bytes);
  if (class_of(wanted).power >= powers - 1) return nullptr;
  Range* range = find_free(wanted);
  if (!range) {
    const bool grown =
        (wanted < growth_ && grow(growth_)) || grow(wanted) || (trim() > 0 && grow(wanted));
    if (!grown) return nullptr;
    range = find_free(wanted);
  }
  unlink(range);
  split(range, wanted);
  live_ += range->bytes;
  peak_ = std::max(peak_, live_);
  ++live_ranges_;
  return range;
}

void RangePool::release(Range* range) {
  live_ -= range->bytes;
  --live_ranges_;
  if (range->after && range->after->free) {
    unlink(range->after);
    absorb_next(range);
  }
  if (range->before && range->before->free) {
    range = range->before;
    unlink(range);
    absorb_next(range);
  }
  link(range);
}

std::size_t RangePool::trim() {
  std::size_t given = 0;
  const auto whole = [](const Range* first) { return first->free && !first->after; };
  for (Range* first : slabs_) {
    if (!whole(first)) continue;
    given += first->bytes;
    source_.give_slab(first->address, first->bytes);
    unlink(first);
    first->address = nullptr;
  }
  const auto gone = std::partition(
      slabs_.begin(), slabs_.end(), [](const Range* first) { return first->address != nullptr; });
  std::for_each(gone, slabs_.end(), [this](Range* first) { put_record(first); });
  slabs_.erase(gone, slabs_.end());
  held_ -= given;
  return given;
}

std::size_t RangePool::largest_free() const {
  if (!power_map_) return 0;
  const auto power = highest_power(power_map_);
  const auto part = highest_power(part_maps_[power]);
  std::size_t most = 0;
  for (const Range* range = lists_[power][part]; range; range = range->next)
    most = std::max(most, range->bytes);
  return most;
}

}  // namespace hypatia
