#pragma once
// A function for one set of sizes: its plan, bound to compiled kernels and memory, ready to run.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/function_ref.h"
#include "engine/device/device.h"
#include "engine/emit/emit.h"
#include "engine/plan/plan.h"
#include "engine/run/captures.h"
#include "engine/run/result_ring.h"
#include "engine/run/step_guard.h"
#include "engine/run/write_through.h"
#include "engine/trace/observer.h"

namespace hypatia {

class DataSizes;

/// What the specialisations of one function share.
struct FunctionContext {
  const Graph& graph;
  std::string name;
  Place place;
  Observer* observer = nullptr;
  std::uint32_t function_id = 0;  // in the recording
  bool interpret_only = false;    // no compiler
  bool keep_buffers = false;      // memory of temporaries stays between calls
  StepGuard* guard = nullptr;     // sees every node's result
  /// Of the call that runs; null where no size depends on data.
  const DataSizes* data_sizes = nullptr;
  bool wait_for_compiler = true;  // false: the interpreter answers meanwhile
};

/// What a step does, with everything looked up: addresses come from the call.
struct BoundStep {
  struct OneLaunch {
    const Kernel* kernel = nullptr;
    Launch launch;
  };

  Device* device = nullptr;
  std::vector<OneLaunch> launches;
  std::vector<void*> arguments;  // addresses of entries of Memory::addresses
  std::vector<int> buffers;      // parameters of a nest, for the interpreter
  std::vector<int> awaited;      // host buffers that a copy from a device may still fill
  std::uint32_t id = 0;          // in the recording
  bool on_device = false;        // only submits work, so that it can be captured
  bool hands_out = false;        // only brings a result to the host
};

/// Where each buffer is during a call.
struct Memory {
  std::vector<void*> addresses;
  std::vector<Storage*> storages;
  std::vector<std::int64_t> offsets;

  void set(std::size_t buffer, Storage& storage, std::int64_t offset) {
    addresses[buffer] = static_cast<char*>(storage.data()) + offset;
    storages[buffer] = &storage;
    offsets[buffer] = offset;
  }
};

/// Runs one plan. Not for two threads at once.
class Specialised {
 public:
  Specialised(const FunctionContext& context, Plan plan);
  Specialised(const Specialised&) = delete;
  Specialised& operator=(const Specialised&) = delete;

  /// `inputs` and `shared` are row-major arrays on their variables' places, in the graph's order.
  /// Results stay on this object's memory until taken by result() and update().
  /// `shifts` says where each window begins on its base, in elements.
  void run(
      std::span<const Array* const> inputs,
      std::span<const Array* const> shared,
      std::span<const std::int64_t> shifts,
      std::uint32_t call);

  /// How many calls may be submitted as one; 0 if calls do more than submit work.
  int longest_batch() const { return longest_batch_; }

  /// From here on run() only notes its memory; end_batch() submits all of it as one graph, once the
  /// same addresses come again. What only hands a result out is not done, so that result() says
  /// nothing.
  void begin_batch() { batching_ = true; }

  void end_batch();
  /// True of memory that lives as long as this object and is handed out by it alone.
  bool keeps(const Storage& storage) const;

  Array result(std::size_t i) const { return array_of(results_[i]); }

  Array update(std::size_t i) const { return array_of(updates_[i]); }

  const Plan& plan() const { return plan_; }

  const std::string& source() const { return source_; }

 private:
  struct Slot {
    std::size_t buffer = 0, number = 0;
  };

  struct ResultSlot {
    std::size_t buffer = 0;
    ResultRing ring;
    bool filled_by_batches = true;  // false: only by steps that a batch leaves out
  };

  /// Kernels in the making, and where they go.
  struct Making {
    std::unique_ptr<PendingModule> module;
    bool on_host = true;
    std::vector<std::pair<std::size_t, std::vector<EmittedLaunch>>> launches;  // by step
  };

  void compile(Dialect dialect);
  void start_compiling(Dialect dialect, const EmittedModule& emitted);
  /// Gives steps the kernels that are ready; all of them if told to wait.
  void take_compiled(bool wait);
  void bind_kernels(Making& making);
  void bind_steps();
  void note_awaited();
  void note_batches();
  void bind_memory();
  Ref<Storage> new_arena(Place place) const;
  void take_arenas();
  void give_back_arenas();

  /// True of a step that a batch has no use for.
  bool leaves_out(std::size_t s) const { return batching_ && bound_[s].hands_out; }

  void take_memory(
      std::span<const Array* const> inputs,
      std::span<const Array* const> shared,
      std::span<const std::int64_t> shifts);
  void run_steps(std::size_t begin, std::size_t end);
  void run_observed(std::uint32_t call);
  void run_guarded();
  void show(std::size_t s, const std::vector<std::size_t>& last_writers);
  void observe_steps(std::uint32_t call, std::size_t begin, std::size_t end, bool captured);
  /// Runs the steps after step s, a loop, as often as it says.
  void run_loop(
      const LoopWork& loop,
      std::size_t s,
      FunctionRef<void(std::size_t begin, std::size_t end)> trip);
  /// The same for nobody, for who hears each step, or for a capture.
  void tell_steps(std::uint32_t call, std::size_t begin, std::size_t end, bool captured);
  void run_captured(std::uint32_t call);
  void run_batch();
  void run_noted(bool captured);
  Ref<Replay> capture(FunctionRef<void()> work);
  std::vector<void*> captured_addresses() const;
  bool holds_for(const std::vector<void*>& addresses) const;
  void mark_results(std::size_t begin);
  void run_step(std::size_t s);
  void run_kernel(const KernelWork& work, const BoundStep& bound);
  MatrixProduct product_of(const ProductWork& work) const;
  void run_product(const ProductWork& work, Device& device);
  void run_convolution(const ConvolutionWork& work, Device& device);
  void run_rows(const RowsWork& work, const BoundStep& bound);
  void run_copy(const CopyWork& work, Device& device);
  void run_host(const HostWork& work);
  Array array_of(const Located& at) const;

  /// An array that calls give out: everything but its memory, looked up beforehand.
  struct Given {
    std::size_t buffer = 0;
    DType dtype = DType::float64;
    Dims dims, strides;
  };

  static Given given(const Located& at, const Type& type);

  Array array_of(const Given& at) const {
    return Array(
        Ref<Storage>(memory_.storages[at.buffer]),
        at.dtype,
        at.dims,
        at.strides,
        memory_.offsets[at.buffer]);
  }

  FunctionContext context_;
  Plan plan_;
  std::vector<BoundStep> bound_;
  std::vector<Making> making_;
  std::vector<Ref<Module>> modules_;
  std::string source_;
  Memory memory_;
  std::vector<Slot> input_slots_, shared_slots_, window_slots_;
  std::vector<ResultSlot> result_slots_;
  std::vector<Given> results_, updates_;
  std::vector<Array> constants_;
  Ref<Storage> host_arena_;
  std::map<std::int8_t, Ref<Storage>> device_arenas_;  // by context
  std::vector<WriteThrough> write_through_;
  bool keep_arenas_ = false;
  bool captures_ = false;  // the device can, and whoever listens can tell a replay's steps apart
  std::uint32_t replay_id_ = 0, batch_id_ = 0;  // steps in the recording: submissions of captures
  bool batching_ = false;
  int longest_batch_ = 0;

  struct Noted {
    Memory memory;
    std::uint32_t call = 0;
  };

  std::vector<Noted> batch_;       // the calls noted
  Captures batches_;               // by the addresses of all their calls
  std::size_t capture_begin_ = 0;  // steps from here on only submit work to the device
  Captures captures_of_calls_;
  std::vector<int> captured_buffers_;  // those that captured steps touch
};

/// Tells the observer of a plan; returns the id of its first step. With `captures`, two that belong
/// to no node follow the plan's own: the submission of a captured call, and of several as one.
std::uint32_t record_plan(
    const FunctionContext& context, const Plan& plan, const std::string& source, bool captures);

}  // namespace hypatia
