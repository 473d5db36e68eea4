#pragma once
// How events get from the threads that run to the thread that writes: each thread fills chunks of
// its own, without a lock but for one in 4096 events, and the writer drains them.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/trace/event.h"

namespace hypatia {

class EventQueue;

/// Events of one thread; `filled` is released after the event is stored.
struct EventChunk {
  static constexpr std::uint32_t capacity = 4096;
  std::atomic<std::uint32_t> filled{0};
  std::uint32_t taken = 0;  // the writer's
  std::array<Event, capacity> events;
};

/// One thread's end of the queue.
class EventProducer {
 public:
  explicit EventProducer(EventQueue& queue, std::uint16_t lane) : queue_(queue), lane_(lane) {}

  std::uint16_t lane() const { return lane_; }

  void push(const Event& event) {
    if (Event* place = next()) {
      *place = event;
      publish();
    }
  }

  /// Where the next event goes, to be written in place and then published; null if there is no
  /// room.
  Event* next() {
    EventChunk* chunk = chunk_;
    if (chunk) {
      const std::uint32_t filled = chunk->filled.load(std::memory_order_relaxed);
      if (filled < EventChunk::capacity) [[likely]]
        return &chunk->events[filled];
    }
    chunk = next_chunk();
    return chunk ? &chunk->events[0] : nullptr;
  }

  void publish() {
    const std::uint32_t filled = chunk_->filled.load(std::memory_order_relaxed);
    chunk_->filled.store(filled + 1, std::memory_order_release);
  }

 private:
  friend class EventQueue;
  EventChunk* next_chunk();

  EventQueue& queue_;
  std::uint16_t lane_;
  EventChunk* chunk_ = nullptr;  // changed under the queue's lock
};

/// All chunks of a recorder. Memory is bounded: past it events are dropped and counted.
class EventQueue {
 public:
  explicit EventQueue(std::size_t most_events);

  EventProducer& add_producer(std::uint16_t lane);

  /// Appends everything that was pushed so far. One thread drains.
  void drain(std::vector<Event>& to);

  /// Events that found no room.
  std::int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  friend class EventProducer;
  EventChunk* exchange(EventProducer& producer);

  std::mutex mutex_;
  std::size_t most_chunks_;
  std::vector<std::unique_ptr<EventProducer>> producers_;
  std::vector<std::unique_ptr<EventChunk>> chunks_;
  std::vector<EventChunk*> full_, free_;
  std::atomic<std::int64_t> dropped_{0};
};

}  // namespace hypatia
