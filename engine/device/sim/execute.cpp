#include "engine/device/sim/execute.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "engine/device/cpu/pool.h"
#include "engine/device/sim/guard.h"

namespace hypatia::sim {

namespace {

// Below so many threads a launch is not worth waking the other host threads for.
constexpr std::int64_t loop_grain = 16384;
constexpr std::int64_t fiber_grain = 1024;

struct Job {
  const SimKernel& kernel;
  const Shape& shape;
  void* const* arguments;
  std::atomic<bool> stop{false};
  std::mutex mutex;
  Fault fault;
};

/// A range of blocks on one host thread.
struct Part {
  Job& job;
  Block& block;
  std::uint64_t first, last;
  Fault fault;
};

Block& own_block() {
  thread_local Block block;
  return block;
}

// Blocks with shared memory go one at a time, each with a poisoned copy.
void run_part(void* context) {
  Part& part = *static_cast<Part*>(context);
  const Job& job = part.job;
  const EntryTable& entry = job.kernel.entry;
  const SharedMemory& shared = job.kernel.module.shared();
  if (entry.loop && shared.empty())
    return entry.loop(&job.shape, part.first, part.last, job.arguments);
  for (std::uint64_t i = part.first; i < part.last && !job.stop && !part.fault; ++i) {
    shared.poison(job.shape.shared_bytes);
    if (entry.loop) {
      entry.loop(&job.shape, i, i + 1, job.arguments);
    } else {
      part.fault = part.block.run(entry.thread, job.shape, i, job.arguments);
    }
  }
}

void run_range(Job& job, std::int64_t first, std::int64_t last) {
  if (job.stop) return;
  Part part{
      job, own_block(), static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last), {}};
  Fault crash = guarded(run_part, &part, part.block.fibers());
  if (crash && Block::running()) {
    crash.block = part.block.index();
    crash.thread = static_cast<std::int32_t>(part.block.thread());
    Block::leave();
  }
  const Fault& fault = crash ? crash : part.fault;
  if (!fault) return;
  job.stop = true;
  const std::lock_guard lock(job.mutex);
  if (!job.fault || fault.block < job.fault.block) job.fault = fault;
}

}  // namespace

Fault execute(const SimKernel& kernel, const Shape& shape, void* const* arguments) {
  const std::int64_t blocks = std::int64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const std::int64_t threads = std::int64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  const std::int64_t grain = (kernel.entry.loop ? loop_grain : fiber_grain) / threads;
  Job job{kernel, shape, arguments, {}, {}, {}};
  pool().each(blocks, grain, [&job](std::int64_t first, std::int64_t last) {
    run_range(job, first, last);
  });
  return job.fault;
}

}  // namespace hypatia::sim
