#pragma once
// Streams and events: work in order, and points in it that keep the time.

#include <string>

#include "engine/core/ref.h"

namespace hypatia {

class Device;
class Queue;

namespace cuda {

class StreamImpl;
class EventImpl;
void retain(const StreamImpl* impl);
void release(const StreamImpl* impl);
void retain(const EventImpl* impl);
void release(const EventImpl* impl);

class Event;

/// An ordered sequence of work on the device. Work of different streams may overlap. Copies share
/// the stream.
class Stream {
 public:
  /// The default stream, where everything goes that names no other.
  Stream() = default;
  /// A new one on the default device, or on a context of the flag `contexts`. Throws Error where
  /// there is no GPU.
  static Stream make(const std::string& target = "");

  /// Returns once all its work is done; throws the Error of a failed piece.
  void synchronize() const;
  /// Work submitted here from now on waits for the event.
  void wait(const Event& event) const;

  /// For the engine: null is the default queue.
  Queue* queue() const;

 private:
  friend class Event;
  Device& device() const;

  Ref<StreamImpl> impl_;
};

/// A point in a stream's work, with a time on the device's clock.
class Event {
 public:
  /// The point after all that the stream was given so far.
  static Event record(const Stream& stream = {});

  /// Returns once the stream has come to it.
  void synchronize() const;
  /// Seconds on the device between an earlier event and this one; waits for both.
  double seconds_since(const Event& earlier) const;

 private:
  friend class Stream;
  EventImpl& impl() const;

  Ref<EventImpl> impl_;
};

/// Waits for all work on every device.
void synchronize();

}  // namespace cuda

}  // namespace hypatia
