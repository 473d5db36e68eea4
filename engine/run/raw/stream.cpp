#include "engine/run/raw/stream.h"

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/run/raw/gpu.h"

namespace hypatia::cuda {

class StreamImpl : public Counted {
 public:
  Ref<Queue> queue;
  Device* device = nullptr;
};

class EventImpl : public Counted {
 public:
  Ref<Marker> marker;
};

// clang-format off
void retain(const StreamImpl* impl) { impl->add_owner(); }
void release(const StreamImpl* impl) { if (impl->drop_owner()) delete impl; }
void retain(const EventImpl* impl) { impl->add_owner(); }
void release(const EventImpl* impl) { if (impl->drop_owner()) delete impl; }

// clang-format on

Stream Stream::make(const std::string& target) {
  Stream stream;
  stream.impl_ = Ref<StreamImpl>(new StreamImpl);
  stream.impl_->device = &gpu(target);
  stream.impl_->queue = stream.impl_->device->make_queue();
  return stream;
}

void Stream::synchronize() const {
  const Heard heard;
  if (impl_) return impl_->queue->synchronize();
  gpu("").synchronize();
}

void Stream::wait(const Event& event) const {
  device().wait(queue(), *event.impl().marker);
}

Device& Stream::device() const {
  return impl_ ? *impl_->device : gpu("");
}

Queue* Stream::queue() const {
  return impl_ ? impl_->queue.get() : nullptr;
}

Event Event::record(const Stream& stream) {
  Event event;
  event.impl_ = Ref<EventImpl>(new EventImpl);
  event.impl_->marker = stream.device().record(stream.queue());
  return event;
}

EventImpl& Event::impl() const {
  if (impl_) return *impl_;
  throw Error(
      Error::Kind::value,
      "the event was never recorded",
      "make it with Event::record(stream), after the work that it marks");
}

void Event::synchronize() const {
  const Heard heard;
  impl().marker->synchronize();
}

double Event::seconds_since(const Event& earlier) const {
  const Heard heard;
  return impl().marker->seconds_since(*earlier.impl().marker);
}

void synchronize() {
  const Heard heard;
  synchronize_all();
}

}  // namespace hypatia::cuda
