#include "engine/device/sim/shadow.h"

#include <algorithm>

namespace hypatia::sim {

namespace {

// 48 KiB each; beyond, the oldest histories are forgotten.
constexpr std::size_t most_pages_with_cells = 16384;

constexpr std::uintptr_t number_of(std::uintptr_t at) {
  return at / page_bytes;
}

}  // namespace

Page& Shadow::find(std::uintptr_t number) {
  Page& page = pages_[number];
  if (!page.cells) {
    if (++pages_with_cells_ > most_pages_with_cells) {
      for (auto& [other, old] : pages_)
        old.cells.reset();
      recent_.fill({});
      pages_with_cells_ = 1;
    }
    page.cells = std::make_unique<std::array<Cell, page_words>>();
  }
  recent_[number % recent_.size()] = {number, &page};
  return page;
}

void Shadow::set_written(const void* at, std::size_t bytes, bool written) {
  if (bytes == 0) return;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(at) / word_bytes;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(at) + bytes - 1) / word_bytes;
  for (std::uintptr_t word = first; word <= last;) {
    const std::uintptr_t number = number_of(word * word_bytes);
    const std::uintptr_t end = std::min(last + 1, (number + 1) * page_words);
    // What was never written needs no page to say so.
    const auto known = pages_.find(number);
    if (known == pages_.end() && !written) {
      word = end;
      continue;
    }
    Page& page = known == pages_.end() ? pages_[number] : known->second;
    while (word < end) {
      const std::uintptr_t next = std::min(end, (word / 64 + 1) * 64);
      const std::uint64_t all = ~std::uint64_t{0};
      const std::uint64_t these =
          (next - word == 64 ? all : (std::uint64_t{1} << (next - word)) - 1) << word % 64;
      std::uint64_t& bits = page.written[word % page_words / 64];
      bits = written ? bits | these : bits & ~these;
      word = next;
    }
  }
}

void Shadow::copy_written(const void* to, const void* from, std::size_t bytes) {
  const char* target = static_cast<const char*>(to);
  const char* source = static_cast<const char*>(from);
  for (std::size_t i = 0; i < bytes; i += word_bytes) {
    const auto known = pages_.find(number_of(reinterpret_cast<std::uintptr_t>(source + i)));
    const std::size_t at = word(source + i);
    const bool written =
        known != pages_.end() && (known->second.written[at / 64] >> at % 64 & 1U) != 0;
    set_written(target + i, std::min(word_bytes, bytes - i), written);
  }
}

}  // namespace hypatia::sim
