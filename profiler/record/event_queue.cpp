// Exchange of full chunks for empty ones, and the drain that also takes half-full ones.

#include "profiler/record/event_queue.h"

#include <algorithm>

namespace hypatia {

EventChunk* EventProducer::next_chunk() {
  return queue_.exchange(*this);
}

EventQueue::EventQueue(std::size_t most_events)
    : most_chunks_(std::max<std::size_t>(1, most_events / EventChunk::capacity)) {}

EventProducer& EventQueue::add_producer(std::uint16_t lane) {
  const std::scoped_lock lock(mutex_);
  return *producers_.emplace_back(std::make_unique<EventProducer>(*this, lane));
}

/// Hands the full chunk in and an empty one out; null (and one event lost) when memory is used up.
EventChunk* EventQueue::exchange(EventProducer& producer) {
  const std::scoped_lock lock(mutex_);
  EventChunk* next = nullptr;
  if (!free_.empty()) {
    next = free_.back();
    free_.pop_back();
  } else if (chunks_.size() < most_chunks_ + producers_.size()) {
    next = chunks_.emplace_back(std::make_unique<EventChunk>()).get();
  } else {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (producer.chunk_) full_.push_back(producer.chunk_);
  producer.chunk_ = next;
  return next;
}

void EventQueue::drain(std::vector<Event>& to) {
  std::vector<EventChunk*> full;
  std::vector<EventChunk*> current;
  const auto take = [&](EventChunk& chunk) {
    const std::uint32_t filled = chunk.filled.load(std::memory_order_acquire);
    to.insert(to.end(), chunk.events.begin() + chunk.taken, chunk.events.begin() + filled);
    chunk.taken = filled;
  };
  {
    const std::scoped_lock lock(mutex_);
    full.swap(full_);
    for (const auto& producer : producers_) {
      if (producer->chunk_) current.push_back(producer->chunk_);
    }
  }
  for (EventChunk* chunk : full)
    take(*chunk);
  for (EventChunk* chunk : current)
    take(*chunk);
  const std::scoped_lock lock(mutex_);
  for (EventChunk* chunk : full) {
    chunk->taken = 0;
    chunk->filled.store(0, std::memory_order_relaxed);
    free_.push_back(chunk);
  }
}

}  // namespace hypatia
