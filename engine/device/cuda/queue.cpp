#include "engine/device/cuda/queue.h"

#include <algorithm>

#include "engine/device/cuda/blas.h"
#include "engine/device/cuda/convolution.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

void SideStreams::add(CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
  count_ = streams_.size();
}

void SideStreams::remove(CUstream stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(std::remove(streams_.begin(), streams_.end(), stream), streams_.end());
  count_ = streams_.size();
}

std::vector<CUstream> SideStreams::all() {
  if (count_.load(std::memory_order_acquire) == 0) return {};
  const std::lock_guard lock(mutex_);
  return streams_;
}

CudaQueue::CudaQueue(Context& context, SideStreams* side) : context_(context), side_(side) {
  context_.use();
  // Not ordered against the legacy default stream, which other libraries of the process may use.
  context_.check(
      context_.driver().create_stream(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
  announce_stream(stream_, "hypatia " + context_.name() + (side_ ? ", side queue" : ""));
  if (side_) side_->add(stream_);
}

CudaQueue::~CudaQueue() {
  context_.try_use();
  blas.reset();
  dnn.reset();
  // The pool takes a queue that is gone for one that has nothing to do.
  context_.driver().synchronize_stream(stream_);
  if (side_) side_->remove(stream_);
  context_.driver().destroy_stream(stream_);
}

void CudaQueue::synchronize() {
  context_.use();
  context_.check(context_.driver().synchronize_stream(stream_), "waiting for a queue");
}

CudaMarker::CudaMarker(Context& context, CUstream stream) : context_(context) {
  context_.use();
  context_.check(context_.driver().create_event(&event_, CU_EVENT_DEFAULT), "making an event");
  context_.check(context_.driver().record_event(event_, stream), "recording an event");
}

CudaMarker::~CudaMarker() {
  context_.try_use();
  context_.driver().destroy_event(event_);
}

void CudaMarker::synchronize() {
  context_.use();
  context_.check(context_.driver().synchronize_event(event_), "waiting for an event");
}

double CudaMarker::seconds_since(Marker& earlier) {
  earlier.synchronize();
  synchronize();
  float milliseconds = 0;
  context_.check(
      context_.driver().elapsed(&milliseconds, static_cast<CudaMarker&>(earlier).event_, event_),
      "reading an event's time");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace hypatia
