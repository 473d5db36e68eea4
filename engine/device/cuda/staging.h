#pragma once
// Copies between ordinary host memory and the device: threads move chunks through a ring of pinned
// memory while earlier chunks travel, which is several times faster than the driver's own way.

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/device/cuda/context.h"

namespace hypatia {

/// How copies are cut; the defaults are what measured best on an H100.
struct StagingPlan {
  int threads = 0;  // that move bytes, the caller included; 0: at most 4, by the cores we may use
  std::size_t largest_chunk = std::size_t{512} << 10U;
  std::size_t direct = std::size_t{64} << 10U;  // up to here the driver's own copy is used
  std::size_t slots = 16;                       // chunks in the ring
};

/// One copy at a time; others queue. The caller alone talks to the driver, whose locks would make
/// the threads wait for each other; the others only move bytes.
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
    CUevent event = nullptr;            // after the last copy that used the slot
    std::uint64_t sequence = 0;         // of that copy; 0: none
    std::atomic<std::size_t> moved{0};  // the chunk + 1 whose bytes the host has moved
  };

  struct Job {
    bool inwards = true;
    CUdeviceptr device = 0;
    char* host = nullptr;
    std::size_t bytes = 0, chunk = 0, chunks = 0;
    CUstream stream = nullptr;
  };

  void prepare();
  /// Runs a copy with the other threads' help.
  void run(Job job);
  void drive_in();
  void drive_out();
  void serve();
  /// Moves one chunk that may be moved; false if there is none now.
  bool move_one();
  void move(std::size_t chunk);
  /// Waits, moving other chunks meanwhile, until the host has moved this one.
  void until_moved(std::size_t chunk);
  void await(const Slot& slot);
  /// Learns, at the start of a copy, whether all earlier ones have run.
  void look_back(CUstream stream);
  void start(std::size_t chunk);

  Slot& slot_of(std::size_t chunk) { return slots_[chunk % slots_.size()]; }

  std::size_t bytes_of(std::size_t chunk) const;

  Context& context_;
  StagingPlan plan_;
  std::mutex one_copy_;
  Job job_;
  std::vector<Slot> slots_;
  CUstream last_stream_ = nullptr;
  CUevent last_event_ = nullptr;
  std::uint64_t submitted_ = 0, completed_ = 0;  // sequences; copies of one stream run in order
  std::atomic<std::size_t> next_{0};             // the first chunk that nobody moves yet
  std::atomic<std::size_t> allowed_{0};          // chunks before this one may be moved
  std::atomic<std::uint32_t> round_{0};          // counts copies; threads sleep on it
  std::atomic<bool> open_{false};                // a copy is under way
  std::atomic<int> inside_{0};                   // threads that look at it
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace hypatia
