#pragma once
// The inside of a Function: its optimised graph and one Specialised for each set of sizes seen.

#include <map>
#include <memory>
#include <mutex>

#include "engine/run/function.h"
#include "engine/run/specialised.h"

namespace hypatia {

/// What function() makes. Calls lock it, so that two threads queue.
class FunctionImpl : public Counted {
 public:
  FunctionImpl(Graph graph, const FunctionOptions& options, Origin at);

  Results call(std::span<const Array> values);

  const std::string& name() const { return name_; }

  const Graph& graph() const { return graph_; }

  const RewriteLog& rewrites() const { return log_; }

  std::string source();

 private:
  void optimize(const FunctionOptions& options);
  void watch(const FunctionOptions& options);
  void record_function(double rewrite_seconds);
  std::vector<Array> checked(std::span<const Array> values) const;
  Array checked_input(const Array& value, std::size_t i) const;
  Specialised& specialised(std::span<const Array> inputs, std::span<const Array> shared);
  std::vector<Array> run(std::span<const Array> inputs, std::uint32_t call);

  std::mutex mutex_;
  std::string name_;
  Origin origin_;
  Graph graph_;
  RewriteLog log_;
  Place place_;
  std::shared_ptr<Observer> own_observer_;
  Observer* observer_ = nullptr;
  std::uint32_t function_id_ = 0;
  std::map<std::vector<std::int64_t>, std::unique_ptr<Specialised>> specialised_;
  Specialised* last_ = nullptr;
  std::vector<std::int64_t> last_key_;
};

/// The leaf as printed among a node's operands: its name, its value, or <its type>.
std::string operand_text(const Variable& v);

}  // namespace hypatia
