#pragma once
// function(): from expressions to a callable, and what can be asked of it.

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/print.h"
#include "engine/graph/update.h"
#include "engine/run/in.h"
#include "engine/run/shared.h"

namespace hypatia {

class Graph;
class Observer;
class FunctionImpl;
struct RewriteLog;

void retain(const FunctionImpl* impl);
void release(const FunctionImpl* impl);

/// What a function computes: nothing, one variable, a list, or a list with names.
struct Outputs {
  Vars variables;
  std::vector<std::string> names;  // empty, or one a variable

  Outputs() = default;

  Outputs(const Variable& v) : variables{v} {}  // NOLINT

  Outputs(std::initializer_list<Variable> list) : variables(list) {}  // NOLINT

  Outputs(Vars list) : variables(std::move(list)) {}  // NOLINT

  Outputs(std::initializer_list<std::pair<std::string, Variable>> named);
};

/// How graphs are rewritten and run, as Theano's: Mode{"", "fast_run"}.excluding({"fusion"}).
struct Mode {
  /// "cvm" and its like run compiled code, "vm" and "py" the interpreter; by default the flag's.
  std::string linker = {};
  /// As FunctionOptions::optimizer.
  std::string optimizer = {};
  /// Passes, rules and tags to add, to leave out, and the only ones to run.
  std::vector<std::string> included = {}, excluded = {}, required = {};
  /// "FAST_RUN", "FAST_COMPILE", "DebugMode", "NanGuardMode" or "Mode"; by default the flag's.
  std::string name = {};

  Mode including(const std::vector<std::string>& names) const;
  Mode excluding(const std::vector<std::string>& names) const;
  Mode requiring(const std::vector<std::string>& names) const;
};

/// How a function is made; every field may be left out.
struct FunctionOptions {
  /// New values of shared variables, all computed from the old ones.
  std::vector<Update> updates = {};
  /// Variables replaced by others for this function.
  std::vector<std::pair<Variable, Variable>> givens = {};
  /// Shown in errors and profiles; by default the file and line.
  std::string name = {};
  /// Rewrites: "None", "fast_compile", "fast_run", "o1" … "o4"; by default the mode's, or the
  /// flag's. `hypatia config` says what each does.
  std::string optimizer = {};
  /// Linker and rewrites by name. Throws Error for a name that no rewrite has.
  Mode mode = {};
  /// An input that nothing reads: "raise", "warn" or "ignore"; by default the flag's.
  std::string on_unused_input = {};
  /// How values wider than their input are taken, where the input does not say it: 0-d numbers that
  /// it holds, all, or none.
  Downcast allow_input_downcast = Downcast::numbers;
  /// Shared variables don't take their default updates.
  bool no_default_updates = false;
  /// Records every call, as the flag profile does.
  bool profile = false;
  /// Hears every call; outlives the function.
  Observer* observer = nullptr;
};

/// The results of a call: an Array where there is one, a list else.
class Results {
 public:
  Results() = default;

  /// The only result; throws Error if there are none or several.
  operator Array() const { return only(); }  // NOLINT(google-explicit-constructor)

  const Array& only() const;
  const Array& operator[](std::size_t i) const;
  /// The result of that name; throws Error that lists the names.
  const Array& operator[](const std::string& name) const;

  std::size_t size() const { return size_; }

  const Array* begin() const { return size_ == 1 ? &first_ : several_.data(); }

  const Array* end() const { return begin() + size_; }

  /// Returns once every result is there.
  void sync() const;

  /// Appends; a single result needs no memory of its own.
  void add(Array value);

  /// The results go by these names, which belong to the function.
  void name_by(const std::vector<std::string>& names, const FunctionImpl* owner);

 private:
  Array first_;
  std::vector<Array> several_;
  std::size_t size_ = 0;
  const std::vector<std::string>* names_ = nullptr;  // the owner's
  Ref<const FunctionImpl> owner_;                    // null where there are no names
};

/// How Function::fn calls.
struct CallOptions {
  int n_calls = 1;  // at least 1
};

/// What Function::copy changes.
struct CopyOptions {
  /// Shared variables replaced by others of their types.
  std::vector<std::pair<Shared, Shared>> swap = {};
  /// The copy changes no shared variable.
  bool delete_updates = false;
  std::string name = {};
};

/// A compiled function. Copies share it; calls from several threads queue.
class Function {
 public:
  Function() = default;

  explicit Function(Ref<FunctionImpl> impl) : impl_(std::move(impl)) {}

  /// Values of the inputs, in order: arrays or numbers, then named(…) ones.
  template <class... Args>
  Results operator()(const Args&... args) const {
    static_assert(
        (!std::is_base_of_v<Variable, Args> && ...),
        "a call takes numbers and arrays: give the Variable's value, or build an expression");
    if constexpr ((std::is_same_v<Args, Named> || ...)) {
      return call_named({argument(args)...});
    } else {
      return invoke(static_cast<const Array&>(args)...);
    }
  }

  Results call(std::span<const Array> values) const;
  Results call(std::span<const Array* const> values) const;
  /// Values without a name stand for the inputs in order.
  Results call_named(std::vector<Named> arguments) const;
  /// `n_calls` calls, one after another, of a function whose inputs all have defaults; returns the
  /// last call's results. A GPU gets many calls as one submission where nothing waits for the host
  /// between them, and what they would only hand out is not copied to the host.
  Results fn(const CallOptions& options) const;

  /// The same program, optimised already, with other shared variables or without updates.
  Function copy(const CopyOptions& options) const;
  /// Gives the memory of all sizes seen back; the next call plans again.
  void free() const;
  /// Writes the program and the values of its shared variables and defaults, for load_function.
  /// The file is there whole or not at all. Throws Error of kind file, and of kind graph if an op
  /// is not of the registry.
  void save(const std::string& path) const;

  /// An input's default, or private state, by the input's name. Throws Error that lists the names.
  Array value(const std::string& input) const;
  /// Gives an input another default; private state goes on from it.
  void set_value(const std::string& input, const Array& value) const;
  /// Every shared variable that it reads or updates.
  std::vector<Shared> get_shared() const;

  const std::string& name() const;
  /// The optimised graph, before kernels merge.
  const Graph& graph() const;
  /// Its nodes in the order in which they run; to_text prints them as a list.
  std::vector<const Apply*> toposort() const;
  /// True if a node runs on a GPU.
  bool uses_gpu() const;
  /// Which nodes stay on the CPU and which values are copied, a line each with its reason.
  std::string why() const;
  /// What the rewrites did.
  const RewriteLog& rewrites() const;
  /// The same as text: each rewrite with its rule, the expression before and after, and its cost.
  std::string story() const;
  /// The kernels' text for the sizes of the last call: C, CUDA C, or both.
  std::string source() const;

 private:
  static Named argument(const Array& value) { return {"", value}; }

  static Named argument(const Named& value) { return value; }

  template <class... Arrays>
  Results invoke(const Arrays&... arrays) const {
    const std::array<const Array*, sizeof...(Arrays)> values{&arrays...};
    return call(std::span<const Array* const>(values));
  }

  /// Throws Error where nothing was compiled.
  FunctionImpl& impl() const;

  Ref<FunctionImpl> impl_;
};

/// Compiles. Throws Error on unused or missing inputs, bad updates and type errors.
Function function(
    const std::vector<In>& inputs,
    const Outputs& outputs,
    const FunctionOptions& options = {},
    Origin at = Origin::here());

/// A function that save() wrote, compiled for this process's device; its shared variables are new
/// ones (get_shared). Throws Error on a file that is absent, damaged or of a newer version.
Function load_function(const std::string& path, Origin at = Origin::here());

/// The value of an expression for these inputs: eval(x + y, {{x, 1.0}, {y, 2.0}}).
Array eval(
    const Variable& v,
    const std::vector<std::pair<Variable, Array>>& inputs = {},
    Origin at = Origin::here());

/// The optimised graph as a tree; each application's place in the toposort ends its line.
std::string debugprint(const Function& function, const PrintOptions& options = {});

/// "[Elemwise{exp,no_inplace}(x), HostFromGpu(gpuarray)(GpuElemwise{exp,no_inplace}.0)]".
std::string to_text(const std::vector<const Apply*>& nodes);

}  // namespace hypatia
