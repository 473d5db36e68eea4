#include "engine/device/sim/execute.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "engine/device/sim/guard.h"
#include "engine/device/sim/workers.h"

namespace hypatia::sim {

namespace {

// Below so many threads a launch is not worth waking the other host threads for.
constexpr std::uint64_t loop_grain = 16384;
constexpr std::uint64_t fiber_grain = 1024;

struct Job {
  const EntryTable& entry;
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

void run_part(void* context) {
  Part& part = *static_cast<Part*>(context);
  const Job& job = part.job;
  if (job.entry.loop) return job.entry.loop(&job.shape, part.first, part.last, job.arguments);
  for (std::uint64_t i = part.first; i < part.last && !job.stop && !part.fault; ++i)
    part.fault = part.block.run(job.entry.thread, job.shape, i, job.arguments);
}

void run_range(void* context, std::uint64_t first, std::uint64_t last) {
  Job& job = *static_cast<Job*>(context);
  if (job.stop) return;
  Part part{job, own_block(), first, last, {}};
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

Fault execute(const EntryTable& entry, const Shape& shape, void* const* arguments) {
  const std::uint64_t blocks =
      std::uint64_t{shape.grid[0]} * shape.grid[1] * std::uint64_t{shape.grid[2]};
  const std::uint64_t threads =
      std::uint64_t{shape.block[0]} * shape.block[1] * std::uint64_t{shape.block[2]};
  const std::uint64_t grain = (entry.loop ? loop_grain : fiber_grain) / threads;
  Job job{entry, shape, arguments, {}, {}, {}};
  share_out(blocks, std::max<std::uint64_t>(grain, 1), run_range, &job);
  return job.fault;
}

}  // namespace hypatia::sim
