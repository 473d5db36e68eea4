// One tracer a process. CUPTI 13.0 confuses correlation ids in a process's second session, so that
// the subscription stays until the program ends.

#include <atomic>
#include <memory>
#include <mutex>

#include "profiler/cupti/tracer.h"
#include "profiler/record/device_tracer.h"

namespace hypatia {

namespace {

struct ProcessTracer {
  std::mutex mutex;
  bool tried = false;
  std::unique_ptr<cupti::Tracer> tracer;
  std::string reason;
};

// Never destroyed: the driver may go away before it would be.
ProcessTracer& process_tracer() {
  static ProcessTracer& instance = *new ProcessTracer;
  return instance;
}

/// The open one, for threads that submit work.
std::atomic<cupti::Tracer*> open_tracer{nullptr};

void open_once(ProcessTracer& process) {
  if (process.tried) return;
  process.tried = true;
  process.tracer = cupti::Tracer::open(process.reason);
  open_tracer = process.tracer.get();
}

}  // namespace

bool own_device_work(const std::string& owner) {
  cupti::Tracer* tracer = open_tracer.load(std::memory_order_relaxed);
  return tracer && tracer->own(owner);
}

void disown_device_work() {
  if (cupti::Tracer* tracer = open_tracer.load(std::memory_order_relaxed)) tracer->pop();
}

void prepare_device_tracer() {
  ProcessTracer& process = process_tracer();
  const std::scoped_lock lock(process.mutex);
  open_once(process);
}

DeviceTracer* start_device_tracer(std::string& reason) {
  ProcessTracer& process = process_tracer();
  const std::scoped_lock lock(process.mutex);
  open_once(process);
  if (!process.tracer) {
    reason = process.reason;
    return nullptr;
  }
  if (!process.tracer->attach()) {
    reason = "another recording of this program traces the GPU already; this one shows the host.";
    return nullptr;
  }
  return process.tracer.get();
}

}  // namespace hypatia
