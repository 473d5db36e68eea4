#pragma once
// The inside of a Function: its optimised graph and one Specialised for each set of sizes seen.

#include <map>
#include <memory>
#include <mutex>

#include "engine/graph/graph.h"
#include "engine/rewrite/pass.h"
#include "engine/run/data_sizes.h"
#include "engine/run/function.h"
#include "engine/run/mode.h"
#include "engine/run/specialised.h"

namespace hypatia {

class Error;

/// A checked program, before it is optimised.
struct Program {
  Graph graph;  // visible outputs, then the new values of private state
  std::vector<In> inputs;
  std::vector<std::string> output_names;
  std::vector<std::size_t> state;  // inputs whose default the extra outputs replace
};

/// Checks what the user gave function() and closes it. Throws Error.
Program checked_program(
    const std::vector<In>& inputs,
    const Outputs& outputs,
    const FunctionOptions& options,
    Origin at);

/// What function() makes. Calls lock it, so that two threads queue.
class FunctionImpl : public Counted {
 public:
  FunctionImpl(Program program, const FunctionOptions& options, Origin at);
  /// A copy whose graph is optimised already.
  FunctionImpl(const FunctionImpl& other, const CopyOptions& options);

  Results call(std::span<const Array* const> values);
  Results call_named(const std::vector<Named>& arguments);
  Results call_times(int n_calls);
  void free();

  const std::string& name() const { return name_; }

  const Graph& graph() const { return graph_; }

  const RewriteLog& rewrites() const { return log_; }

  std::string source();
  void save(const std::string& path);
  Array value(const std::string& input);
  void set_value(const std::string& input, const Array& value);
  std::vector<Shared> shared_variables() const;

 private:
  /// What the user wrote, before it is optimised: for save and DebugMode.
  struct Source {
    Vars outputs;
    std::vector<Update> updates;
  };

  void optimize();
  void watch(const FunctionOptions& options);
  void record_function(double rewrite_seconds);
  void find_shared();
  /// Points at row-major host arrays of the inputs' dtypes, made in `converted_` where needed.
  void take_inputs(std::span<const Array* const> values);
  void take_input(const Array& value, std::size_t i);
  Array checked_input(const Array& value, std::size_t i) const;
  Results run_call(std::span<const Array* const> values);
  Results run_watched(std::span<const Array* const> values);
  std::string footprint() const;
  const std::string& input_name(std::size_t i) const;
  std::size_t input_named(const std::string& name) const;
  void find_data_sizes();
  Specialised& specialised();
  bool sizes_changed() const;
  std::unique_ptr<Specialised> specialise() const;
  Results run(std::uint32_t call);
  /// The results of the last run; shared variables and private state take their new values.
  Results take_results(const Specialised& ready);
  /// Adds who holds what to an Error of kind memory.
  void tell_memory(Error* error) const;
  void take_updates(const Specialised& ready);
  /// Several calls as one submission, at most so many; returns how many, 0 if calls have to be run
  /// one by one. Nobody gets their results.
  int run_batch(int most);
  /// Fewer than `most` if sizes change on the way. `begin` and `call` are the last one's.
  int note_calls(int most, std::int64_t* begin, std::uint32_t* call);

  std::mutex mutex_;
  std::string name_;
  Origin origin_;
  Mode asked_;  // the user's, with the optimizer that the options name
  RunMode mode_;
  Source source_;
  Graph graph_;
  std::vector<InOptions> in_;
  std::vector<std::string> output_names_;
  std::vector<std::size_t> state_;
  std::size_t visible_outputs_ = 0;
  RewriteLog log_;
  bool merge_kernels_ = true;
  Place place_;
  std::shared_ptr<Observer> own_observer_;
  Observer* observer_ = nullptr;
  std::uint32_t function_id_ = 0;
  std::vector<SharedBox*> boxes_;         // of graph_.shared()
  std::vector<SharedBox*> update_boxes_;  // of graph_.updates()
  std::vector<std::mutex*> locks_;        // of boxes_, in the one order that all functions keep
  // The call at hand; kept between calls, so that a warm one takes no memory.
  std::vector<const Array*> inputs_, shared_;
  std::vector<DType> input_dtypes_;
  bool inputs_as_before_ = false;  // in dims
  std::vector<Array> converted_;
  std::map<std::vector<std::int64_t>, std::unique_ptr<Specialised>> specialised_;
  Specialised* last_ = nullptr;
  std::unique_ptr<StepGuard> guard_;       // null but in modes that check
  std::unique_ptr<DataSizes> data_sizes_;  // null where no size depends on data
  std::vector<std::int64_t> data_key_, last_data_key_, shifts_;
  std::vector<Dims> last_dims_;  // of inputs_, then shared_
};

}  // namespace hypatia
