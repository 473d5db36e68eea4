#pragma once
// Makes a recording from tables of steps: each call walks a table on a host clock and a device
// clock, as an asynchronous run would.

#include <initializer_list>
#include <string>
#include <vector>

#include "profiler/record/recording.h"
#include "profiler/record/synthetic.h"

namespace hypatia {

/// What one step of a table does; times are in nanoseconds.
struct Work {
  std::string name;
  std::vector<StepShare> nodes;
  std::int64_t host;    // the step's own host time, the driver's call included
  std::int64_t device;  // 0: the host does it
  EventKind kind;       // of the device's part
  double flops, bytes;
  bool waits;  // for the device, at its end
  std::string shapes;
};

class Synthesizer {
 public:
  explicit Synthesizer(const SyntheticOptions& options);

  RecordingData data;

  /// A source file's name that lives as long as the data.
  const char* file(const char* name) { return data.keep(name); }

  /// Adds a plan and what its steps do.
  void plan(std::uint32_t function, std::string dims, std::vector<Work> works);

  /// One call of a plan (counting from 0), `gap` nanoseconds after the last.
  void call(std::size_t plan, std::int64_t gap);

  void compile(std::int64_t nanoseconds, std::string what);

 private:
  void lane(LaneRecord::Kind kind, std::string device, std::uint64_t id, std::string name);

  void add(const Event& event) { data.events.push_back(event); }

  void buffer(PlanRecord& record, const Work& work) const;
  std::uint32_t detail(const Work& work);
  std::int64_t vary(std::int64_t time);
  void run(const Work& work, std::uint32_t step);

  SyntheticOptions options_;
  std::vector<std::vector<Work>> works_;
  std::vector<std::uint32_t> first_step_;
  std::vector<std::uint32_t> details_;  // by step id - 1
  std::uint32_t next_step_ = 1;
  std::uint32_t calls_ = 0;
  std::int64_t host_ = 1'000'000'000, device_ = 0;
  std::uint64_t random_ = 22;
};

/// What a node reads: another node's output, or a leaf (-1) with its name.
struct Reads {
  std::int32_t node;
  const char* name;
  const char* type;
};

/// A node whose class is its name up to the brace.
NodeRecord synthetic_node(
    std::string name,
    std::string op,
    Side side,
    std::initializer_list<Reads> inputs,
    std::string type,
    Origin origin);

FunctionRecord synthetic_function(std::string name, const SyntheticOptions& options, Origin at);
void fill_header(RecordingHeader& header, const SyntheticOptions& options);

namespace synthetic_types {
inline constexpr const char* vector = "TensorType(float32, vector)";
inline constexpr const char* matrix = "TensorType(float32, matrix)";
inline constexpr const char* gpu_vector = "GpuArrayType(float32, vector)";
inline constexpr const char* gpu_matrix = "GpuArrayType(float32, matrix)";
}  // namespace synthetic_types

}  // namespace hypatia
