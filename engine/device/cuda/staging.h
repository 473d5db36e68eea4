#pragma once
// Copies between ordinary host memory and the device: several threads move chunks through pinned
// memory while earlier chunks travel, which is several times faster than the driver's own way.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/device/cuda/context.h"

namespace hypatia {

/// How copies are cut; the defaults are what measured best on an H100.
struct StagingPlan {
  std::size_t chunk = std::size_t{512} << 10U;
  std::size_t direct = std::size_t{64} << 10U;  // up to here the driver's own copy is best
  int threads = 0;                              // 0: at most 4, by the cores this process may use
};

/// One copy at a time; others queue.
class Staging {
 public:
  explicit Staging(Context& context, StagingPlan plan = {});
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Returns once `from` has been read; the device's memory is written in the stream's order.
  void copy_in(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream);
  /// Returns once `to` has been written.
  void copy_out(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream);

 private:
  struct Slot {
    char* memory = nullptr;
    CUevent event = nullptr;
    bool used = false;
  };

  struct Job {
    bool inwards = true;
    CUdeviceptr device = 0;
    char* host = nullptr;
    std::size_t bytes = 0, chunks = 0;
    CUstream stream = nullptr;
  };

  static constexpr std::size_t slots_each = 2;

  void prepare();
  void run(const Job& job);
  void work(std::size_t worker);
  void serve(std::size_t worker);
  void copy_chunk_in(Slot& slot, std::size_t first, std::size_t bytes);
  void copy_chunks_out(std::size_t worker);
  void start_chunk_out(Slot& slot, std::size_t chunk);
  void finish_chunk_out(Slot& slot, std::size_t chunk);
  std::size_t bytes_of(std::size_t chunk) const;

  Context& context_;
  StagingPlan plan_;
  std::mutex one_copy_;
  Job job_;
  std::vector<Slot> slots_;  // slots_each for each thread
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace hypatia
