#include "profiler/cupti/buffers.h"

namespace hypatia::cupti {

BufferPool::BufferPool() {
  constexpr int ready = 8;
  for (int i = 0; i < ready; ++i) {
    all_.push_back(std::make_unique<Buffer>());
    free_.push_back(all_.back()->bytes);
  }
}

std::uint8_t* BufferPool::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    all_.emplace_back(new Buffer);  // not make_unique, which would clear it
    return all_.back()->bytes;
  }
  std::uint8_t* buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void BufferPool::give_back(std::uint8_t* buffer) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(buffer);
}

void BufferPool::complete(std::uint8_t* buffer, std::size_t valid) {
  const std::scoped_lock lock(mutex_);
  if (valid == 0) {
    free_.push_back(buffer);
  } else {
    constexpr std::size_t most_unread = 32;
    if (!reader_expected_ && filled_.size() >= most_unread) {
      free_.push_back(filled_.front().data);
      filled_.erase(filled_.begin());
    }
    filled_.push_back({buffer, valid});
  }
}

void BufferPool::expect_reader(bool expected) {
  const std::scoped_lock lock(mutex_);
  reader_expected_ = expected;
}

std::vector<BufferPool::Filled> BufferPool::take_filled() {
  const std::scoped_lock lock(mutex_);
  return std::move(filled_);
}

}  // namespace hypatia::cupti
