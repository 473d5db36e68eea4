#pragma once
// A function for one set of sizes: its plan, bound to compiled kernels, ready to run.

#include <span>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/emit/emit.h"
#include "engine/plan/plan.h"
#include "engine/trace/observer.h"

namespace hypatia {

/// What the specialisations of one function share.
struct FunctionContext {
  const Graph& graph;
  std::string name;
  Place place;
  Observer* observer = nullptr;
  std::uint32_t function_id = 0;  // in the recording
  bool interpret_only = false;    // no compiler
};

/// Runs one plan. Not for two threads at once.
class Specialised {
 public:
  Specialised(const FunctionContext& context, Plan plan);
  Specialised(const Specialised&) = delete;
  Specialised& operator=(const Specialised&) = delete;

  /// `inputs` and `shared` are row-major arrays on their variables' places, in the graph's order.
  /// Results are new arrays; `updates` get the new values of shared variables.
  std::vector<Array> run(
      std::span<const Array> inputs,
      std::span<const Array> shared,
      std::vector<Array>* updates,
      std::uint32_t call);

  const Plan& plan() const { return plan_; }

  const std::string& source() const { return source_; }

 private:
  struct BoundLaunch {
    const Kernel* kernel = nullptr;
    Launch launch;
  };

  struct BoundStep {
    std::vector<BoundLaunch> launches;
    std::vector<void*> arguments;  // addresses of entries of addresses_
    std::vector<int> buffers;      // parameters of a nest, for the interpreter
    std::vector<int> awaited;      // host buffers that a copy from a device may still fill
    std::uint32_t id = 0;          // in the recording
  };

  void compile(Dialect dialect);
  void bind();
  void make_constants();
  void record_plan();
  void take_memory(std::span<const Array> inputs, std::span<const Array> shared);
  void set_buffer(std::size_t buffer, Ref<Storage> storage, std::int64_t offset);
  Ref<Storage> new_result(const Buffer& buffer);
  void run_step(std::size_t s);
  void run_kernel(const KernelWork& work, const BoundStep& bound, Place place);
  void run_product(const ProductWork& work, Place place);
  void run_copy(const CopyWork& work, Place place);
  void run_host(const HostWork& work);
  Array array_of(const Located& at) const;
  Array result(const Located& at, const Type& type) const;

  FunctionContext context_;
  Plan plan_;
  std::vector<BoundStep> bound_;
  std::vector<Ref<Module>> modules_;
  std::string source_;
  std::vector<void*> addresses_;  // by buffer, for the call at hand
  std::vector<Ref<Storage>> storages_;
  std::vector<std::int64_t> offsets_;
  std::vector<Array> constants_;
};

}  // namespace hypatia
