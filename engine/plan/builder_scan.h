#pragma once
// How PlanBuilder makes loops. A body is planned as a graph of its own; its buffers become rows of
// the loop's. Where all of it is elementwise the whole loop is one kernel.

#include "engine/loop/scan_op.h"
#include "engine/plan/builder.h"

namespace hypatia {

/// True if each row lies without gaps, and if all does.
bool dense_rows(const Layout& layout);
bool dense(const Layout& layout);
/// Rows of a layout, from the first one.
Located rows_of(const Located& all, std::int64_t first, std::int64_t count);

/// Plans one loop.
class PlanBuilder::ScanBuilder {
 public:
  ScanBuilder(PlanBuilder& plan, int n);
  /// False if the loop can't run as steps of a plan.
  bool run();

 private:
  using TypeMap = std::unordered_map<Variable, Type, VariableHash>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Type& type_of(const Variable& v) const { return plan_.concrete_.type(v); }

  /// How many trips there are at most: the value of n_steps, or what the sizes say.
  bool find_trips();

  TypeMap body_types() const;

  /// What a body's input is: a sequence, a tap of a carry, or a constant.
  struct Role {
    enum class Kind : std::uint8_t { sequence, tap, constant };

    Kind kind = Kind::constant;
    int input = 0;  // of the node
    int carry = 0, tap = 0;
  };

  Role role_of(int input) const;

  /// How many last rows of output i are wanted, and how many there are with those before the loop.
  std::int64_t total(int i) const { return trips_ + attrs_.rows_before(i); }

  std::int64_t kept(int i) const;

  std::int64_t row_elements(int i) const;

  const Buffer& inner_buffer(int b) const { return inner_.buffers[at(b)]; }

  /// An operand of the joined program: a load, a literal, or what an earlier kernel stored.
  struct Source {
    enum class Kind : std::uint8_t { load, literal, made };

    Kind kind = Kind::load;
    int index = 0;  // of loads or literals; the inner buffer of what was made
  };

  // As one kernel, in builder_recurrence.cpp.
  /// The whole loop as one kernel; false if the body is more than elementwise work on its rows.
  bool one_kernel();

  /// Loads for each step that carry c looks back, from its start.
  void chain(int c);

  /// The elements that the loop takes through its steps: those of the largest kernel.
  bool find_extents();

  /// Strides over the extents of a row: 0 where it is a single value beside them.
  Layout row_layout(bool single, std::int64_t offset) const;

  bool covers(const Layout& layout, bool single) const;

  /// A kernel's nest over the loop's extents; nothing if it is no loop over those or over one
  /// point.
  std::optional<LoopNest> lifted(const Step& step) const;

  static bool single(const Buffer& buffer, DType dtype) { return buffer.bytes == size_of(dtype); }

  bool take_operands(const LoopNest& inner);

  bool take_load(const Located& load, Source* source);

  int add_load(const Located& load, std::int64_t stride);

  bool append(const LoopNest& inner, const std::vector<Source>& sources);

  void finish_kernel();

  /// Where the number of steps goes; from a GPU it is copied out after the kernel.
  void place_taken();

  void copy_taken();

  /// Output i's rows that are kept: those from before the loop are copied, the others stored.
  void store_rows(int i);

  /// `count` rows of carry c's start, from the first one on, to the beginning of `to`.
  void copy_start(int c, const Located& to, std::int64_t first, std::int64_t count);

  /// A body's nodes share the one step by what their kernels would have cost.
  void share_out(Step* step) const;

  /// The number of a body's node among those that a recording knows: the time of a loop inside
  /// another's body counts as one node's.
  std::uint32_t number_of(std::uint32_t inner) const {
    return static_cast<std::uint32_t>(plan_.options_.in_body ? n_ : first_node_) +
           (plan_.options_.in_body ? 0 : inner);
  }

  // As steps that run again and again.
  void loop();

  /// Where output i's rows go: to the result itself, or, where few are wanted, round a ring.
  void place_rows(int i);

  /// The rows of a ring that are wanted, in order.
  void unroll(int i);

  int moving(const Located& base, std::int64_t row, std::int64_t ring, std::int64_t bytes);

  int add_moving(const Move& move, int base, std::int64_t bytes);

  void map_buffers();

  int mapped(const Buffer& inner);

  int mapped_input(const Buffer& inner);

  /// The condition on the host, which reads it after each step.
  void bring_condition();

  void add_copy_out(int from, int to, DType dtype);

  void remap(Located* at_inner) const;

  void remap(KernelWork* kernel) const;

  void remap(ProductWork* product) const;

  void remap(ConvolutionWork* convolution) const;

  void remap(LoopWork* loop) const;

  void remap(Step* step) const;

  /// Where an output's rows are; `ring` rows round and round, or all if 0.
  struct Rows {
    Located to;
    std::int64_t ring = 0;
  };

  PlanBuilder& plan_;
  int n_;
  const Apply& node_;
  const ScanAttrs& attrs_;
  Place place_;
  Graph body_;
  Plan inner_;
  std::int64_t trips_ = 0;
  int first_node_ = 0;
  std::vector<Located> from_;  // the node's inputs; nothing for n_steps
  // One kernel:
  LoopNest nest_;
  LoopNest::Recurrence time_;
  std::vector<LoopNest> kernels_;             // the inner steps, over the loop's extents
  std::vector<std::vector<Source>> sources_;  // likewise
  std::unordered_map<int, int> made_;         // value of an inner buffer
  std::unordered_map<int, int> results_;      // value of a body's output
  // Steps again and again:
  std::vector<Rows> rows_;
  std::vector<int> map_;  // the plan's buffer of an inner one
  LoopWork loop_;
};

}  // namespace hypatia
