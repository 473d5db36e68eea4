#pragma once
// function(): from expressions to a callable, and what can be asked of it.

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/rewrite/pass.h"
#include "engine/run/shared.h"

namespace hypatia {

class Observer;
class FunctionImpl;

void retain(const FunctionImpl* impl);
void release(const FunctionImpl* impl);

/// What a function computes: one variable, a list, or nothing.
struct Outputs {
  Vars variables;
  bool single = false;

  Outputs() = default;

  Outputs(const Variable& v) : variables{v}, single(true) {}  // NOLINT

  Outputs(std::initializer_list<Variable> list) : variables(list) {}  // NOLINT

  Outputs(Vars list) : variables(std::move(list)) {}  // NOLINT
};

/// How a function is made; every field may be left out.
struct FunctionOptions {
  /// New values of shared variables, all computed from the old ones.
  std::vector<Update> updates = {};
  /// Variables replaced by others for this function.
  std::vector<std::pair<Variable, Variable>> givens = {};
  /// Shown in errors and profiles; by default the file and line.
  std::string name = {};
  /// Rewrites: "None", "fast_compile", "fast_run", "o1" … "o4"; by default the flag's.
  std::string optimizer = {};
  /// Records every call, as the flag profile does.
  bool profile = false;
  /// Hears every call; outlives the function.
  Observer* observer = nullptr;
};

/// The results of a call: an Array where there is one, a list else.
class Results {
 public:
  Results() = default;

  explicit Results(std::vector<Array> values) : values_(std::move(values)) {}

  /// The only result; throws Error if there are none or several.
  operator Array() const { return only(); }  // NOLINT(google-explicit-constructor)

  const Array& only() const;
  const Array& operator[](std::size_t i) const;

  std::size_t size() const { return values_.size(); }

  auto begin() const { return values_.begin(); }

  auto end() const { return values_.end(); }

  /// Returns once every result is there.
  void sync() const;

 private:
  std::vector<Array> values_;
};

/// A compiled function. Copies share it; calls from several threads queue.
class Function {
 public:
  Function() = default;

  explicit Function(Ref<FunctionImpl> impl) : impl_(std::move(impl)) {}

  /// Values of the inputs, in order.
  template <class... Args>
  Results operator()(const Args&... args) const {
    const std::array<Array, sizeof...(Args)> values{Array(args)...};
    return call(values);
  }

  Results call(std::span<const Array> values) const;
  /// N calls of a function without inputs, submitted as one; the last results.
  Results repeat(int n_calls) const;

  const std::string& name() const;
  /// The optimised graph, before kernels merge.
  const Graph& graph() const;
  /// Its nodes in the order in which they run; to_text prints them as a list.
  std::vector<const Apply*> toposort() const;
  /// True if a node runs on a GPU.
  bool uses_gpu() const;
  /// What the rewrites did.
  const RewriteLog& rewrites() const;
  /// The kernels' text for the sizes of the last call: C, CUDA C, or both.
  std::string source() const;

 private:
  Ref<FunctionImpl> impl_;
};

/// Compiles. Throws Error on unused or missing inputs, bad updates and type errors.
Function function(
    const Vars& inputs,
    const Outputs& outputs,
    const FunctionOptions& options = {},
    Origin at = Origin::here());

/// "[Elemwise{exp,no_inplace}(x), HostFromGpu(gpuarray)(GpuElemwise{exp,no_inplace}.0)]".
std::string to_text(const std::vector<const Apply*>& nodes);

}  // namespace hypatia
