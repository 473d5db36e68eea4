// Loops over time inside a kernel. A CUDA thread takes one element through all steps, its earlier
// results in registers. On the host a block of neighbouring elements goes together, so that the
// inner loop fills vectors and the block's earlier results stay in the first-level cache. Single
// values beside the elements, like a condition to stop, are computed once a step and block.
#include <algorithm>

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

constexpr std::int64_t cuda_block = 128;
// Earlier results of a host block: vectors enough that none waits for the one before it.
constexpr std::int64_t host_block_bytes = 512;

class RecurrenceText {
 public:
  RecurrenceText(const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers)
      : nest_(work.nest),
        time_(*work.nest.recurrence),
        name_(name),
        dialect_(dialect),
        helpers_(helpers),
        text_(work, dialect, helpers),
        rank_(nest_.extents.rank()),
        block_(host_block_bytes / widest()) {
    for (int axis = 0; axis < rank_; ++axis)
      index_.push_back(axis_name(axis));
    find_singles();
  }

  KernelText run() {
    if (dialect_ == Dialect::cuda_c) {
      cuda();
    } else {
      host();
    }
    const Cost cost = cost_of(nest_);
    const double steps = static_cast<double>(std::max<std::int64_t>(time_.steps, 1));
    result_.launches[0].launch.flops = cost.flops * steps;
    result_.launches[0].launch.bytes = cost.bytes * steps;
    return std::move(result_);
  }

 private:
  /// Bytes of the widest earlier result's element.
  std::int64_t widest() const {
    std::int64_t bytes = 4;
    for (const LoopNest::Recurrence::Chain& chain : time_.chains)
      bytes = std::max<std::int64_t>(bytes, size_of(nest_.loads[at(chain.loads[0])].dtype));
    return bytes;
  }

  std::string integer() const { return dialect_ == Dialect::cuda_c ? "long long" : "long"; }

  std::string type_of(int load) const {
    return std::string(type_name(nest_.loads[at(load)].dtype, dialect_));
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// By value: the same for all elements.
  void find_singles() {
    for (const Located& load : nest_.loads)
      single_.push_back(is_single(load));
    single_.resize(nest_.program.inputs.size(), true);  // literals
    for (const ScalarStep& step : nest_.program.steps) {
      single_.push_back(
          std::all_of(step.in.begin(), step.in.end(), [&](int v) { return single_[at(v)]; }));
    }
  }

  static bool is_single(const Located& access) {
    const Dims& strides = access.layout.strides;
    return std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 0; });
  }

  bool is_single(const LoopNest::Recurrence::Chain& chain) const {
    return single_[at(chain.loads[0])];
  }

  /// "past0_2": chain 0, two steps back; on the host an element of the block's.
  std::string past(std::size_t chain, std::size_t back) const {
    const std::string name = "past" + std::to_string(chain) + "_" + std::to_string(back + 1);
    return blocked() && !is_single(time_.chains[chain]) ? name + "[c]" : name;
  }

  bool blocked() const { return dialect_ == Dialect::host_c && rank_ > 0; }

  std::string open(
      const std::string& indent,
      const std::string& i,
      const std::string& from,
      const std::string& to) const {
    return indent + "for (" + integer() + " " + i + " = " + from + "; " + i + " < " + to + "; ++" +
           i + ") {\n";
  }

  std::string decode(const std::string& indent, std::string flat, int axes) const {
    std::string lines;
    for (int axis = axes - 1; axis >= 0; --axis) {
      const std::string size = text_.number(nest_.extents[axis]);
      lines += indent + "const " + integer() + " " + axis_name(axis) + " = " + flat +
               (axis > 0 ? " % " + size : "") + ";\n";
      flat += " / " + size;
    }
    return lines;
  }

  /// The block's loop over its elements, or nothing where there is one element.
  template <class Body>
  std::string each(const std::string& indent, Body body) const {
    if (!blocked()) return body(indent);
    const std::string lines = body(indent + "  ");
    if (lines.empty()) return "";
    return unrolled(indent) + open(indent, "c", "0", "count") + indent + "  const long " +
           index_.back() + " = begin + c;\n" + lines + indent + "}\n";
  }

  /// A short step is written out for all vectors of the block: registers have no index.
  std::string unrolled(const std::string& indent) const {
    constexpr std::size_t most_steps = 8;
    if (nest_.program.steps.size() > most_steps) return "";
    return indent + "_Pragma(\"GCC unroll " + text_.number(block_) + "\")\n";
  }

  /// What single values are stored under: the first element's thread or block does.
  std::string only_first() const {
    if (rank_ == 0) return "";
    return dialect_ == Dialect::host_c ? "if (item == 0) "
                                       : "if (" + (rank_ == 1 ? index_[0] : "n") + " == 0) ";
  }

  std::string declare(const std::string& indent) const {
    std::string lines;
    for (std::size_t k = 0; k < time_.chains.size(); ++k) {
      for (std::size_t b = 0; b < time_.chains[k].loads.size(); ++b) {
        std::string name = past(k, b);
        const std::size_t element = name.find("[c]");
        if (element != std::string::npos)
          name.replace(element, 3, "[" + text_.number(block_) + "]");
        lines += indent + type_of(time_.chains[k].loads[b]) + " " + name + ";\n";
      }
    }
    return lines;
  }

  std::string start(const std::string& indent, bool single) const {
    std::string lines;
    for (std::size_t k = 0; k < time_.chains.size(); ++k) {
      if (is_single(time_.chains[k]) != single) continue;
      for (std::size_t b = 0; b < time_.chains[k].loads.size(); ++b) {
        const Located& first = nest_.loads[at(time_.chains[k].loads[b])];
        lines += indent + past(k, b) + " = " + text_.element(first, index_) + ";\n";
      }
    }
    return lines;
  }

  bool in_chain(int load) const {
    return std::any_of(time_.chains.begin(), time_.chains.end(), [&](const auto& chain) {
      return std::find(chain.loads.begin(), chain.loads.end(), load) != chain.loads.end();
    });
  }

  std::vector<std::string> by_time(std::int64_t stride, std::int64_t from) const {
    if (stride == 0) return {};
    const std::string t = from == 0 ? "t" : "(t - " + text_.number(from) + ")";
    return {
        stride == 1
            ? t
            : t + " * " + (stride < 0 ? "(" : "") + text_.number(stride) + (stride < 0 ? ")" : "")};
  }

  /// One step of one element, or of the single values; values are stored that step `phase` stores.
  std::string step(const std::string& indent, std::int64_t phase, bool single) {
    std::string lines = loaded(indent, single);
    lines += computed(indent, single);  // what the rest speaks of
    lines += stored(indent, phase, single);
    return lines + moved_on(indent, single);
  }

  std::string loaded(const std::string& indent, bool single) {
    std::string lines;
    std::vector<std::string> inputs(nest_.loads.size());
    for (std::size_t k = 0; k < time_.chains.size(); ++k) {
      for (std::size_t b = 0; b < time_.chains[k].loads.size(); ++b)
        inputs[at(time_.chains[k].loads[b])] = past(k, b);
    }
    for (std::size_t i = 0; i < nest_.loads.size(); ++i) {
      if (single_[i] != single) continue;
      const std::string name = "v" + std::to_string(i);
      const std::string value =
          in_chain(static_cast<int>(i))
              ? inputs[i]
              : text_.element(nest_.loads[i], index_, by_time(time_.load_strides[i], 0));
      lines +=
          indent + "const " + type_of(static_cast<int>(i)) + " " + name + " = " + value + ";\n";
    }
    return lines;
  }

  std::string computed(const std::string& indent, bool single) {
    values_.clear();
    for (std::size_t i = 0; i < nest_.loads.size(); ++i)
      values_.push_back("v" + std::to_string(i));
    for (const Array& value : nest_.literals)
      values_.push_back(literal_text(value, dialect_));
    std::string lines;
    while (values_.size() < single_.size()) {
      const bool now = single_[values_.size()] == single;
      const std::string line =
          next_line(nest_.program, indent + "const ", dialect_, &values_, helpers_);
      if (now) lines += line;
    }
    return lines;
  }

  std::string value_as(int value, DType dtype) const {
    return converted(values_[at(value)], nest_.program.dtype(value), dtype, dialect_);
  }

  std::string stored(const std::string& indent, std::int64_t phase, bool single) const {
    std::string lines;
    for (std::size_t s = 0; s < nest_.stores.size(); ++s) {
      const LoopNest::Store& store = nest_.stores[s];
      if (time_.store_from[s] > phase || is_single(store.to) != single) continue;
      lines +=
          indent + (single ? only_first() : "") +
          text_.element(store.to, index_, by_time(time_.store_strides[s], time_.store_from[s])) +
          " = " + value_as(store.value, store.to.dtype) + ";\n";
    }
    return lines;
  }

  /// What was made becomes what lies one step back.
  std::string moved_on(const std::string& indent, bool single) const {
    std::string lines;
    for (std::size_t k = 0; k < time_.chains.size(); ++k) {
      const auto& chain = time_.chains[k];
      if (is_single(chain) != single) continue;
      for (std::size_t b = chain.loads.size(); b-- > 1;)
        lines += indent + past(k, b) + " = " + past(k, b - 1) + ";\n";
      const DType dtype = nest_.loads[at(chain.loads[0])].dtype;
      lines += indent + past(k, 0) + " = " + value_as(chain.value, dtype) + ";\n";
    }
    return lines;
  }

  /// The loops over time: a new one begins where another result begins to be stored.
  std::string through_time(const std::string& indent) {
    std::vector<std::int64_t> phases{0};
    for (std::int64_t from : time_.store_from)
      phases.push_back(std::min(from, time_.steps));
    std::sort(phases.begin(), phases.end());
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
    std::string lines;
    if (time_.until >= 0)
      lines += indent + integer() + " taken = " + text_.number(time_.steps) + ";\n";
    for (std::size_t p = 0; p < phases.size(); ++p) {
      const std::int64_t end = p + 1 < phases.size() ? phases[p + 1] : time_.steps;
      if (phases[p] == end) continue;
      lines += open(indent, "t", text_.number(phases[p]), text_.number(end));
      const std::string inner = indent + "  ";
      lines += step(inner, phases[p], true);
      lines += each(inner, [&](const std::string& in) { return step(in, phases[p], false); });
      if (time_.until >= 0) lines += stop(inner);
      lines += indent + "}\n";
    }
    if (time_.taken) {
      lines += indent + only_first() + text_.element(*time_.taken, index_) + " = taken;\n";
    }
    return lines;
  }

  std::string stop(const std::string& indent) const {
    return indent + "if (" + values_[at(time_.until)] + ") {\n" + indent + "  taken = t + 1;\n" +
           indent + "  break;\n" + indent + "}\n";
  }

  void host() {
    std::string body;
    std::int64_t items = 1;
    if (rank_ == 0) {
      body =
          "  (void)first, (void)last;\n" + declare("  ") + start("  ", true) + through_time("  ");
    } else {
      const std::int64_t width = nest_.extents[rank_ - 1];
      const std::int64_t blocks = (width + block_ - 1) / block_;
      items = elements(nest_.extents) / std::max<std::int64_t>(width, 1) * blocks;
      body = open("  ", "item", "first", "last") + in_blocks(width, text_.number(blocks)) + "  }\n";
    }
    host_function(body, items);
  }

  /// All steps of one block. Its number of elements is a constant, so that its earlier results can
  /// stay in registers: the last block of a row, where it is shorter, is code of its own.
  std::string in_blocks(std::int64_t width, const std::string& blocks) {
    const std::int64_t whole = width / block_, rest = width % block_;
    const std::string begin = "item % " + blocks + " * " + text_.number(block_);
    if (whole == 0 || rest == 0) {
      return "    const long begin = " + begin +
             ";\n    const long count = " + text_.number(whole == 0 ? rest : block_) + ";\n" +
             block("    ", blocks);
    }
    result_.text += "static inline __attribute__((always_inline)) void " + name_ + "_block(" +
                    text_.parameter_list() +
                    ", const long item, const long begin, const long count) {\n" +
                    block("  ", blocks) + "}\n\n";
    const auto call = [&](std::int64_t count) {
      return name_ + "_block(" + text_.arguments("") + ", item, begin, " + text_.number(count) +
             ");\n";
    };
    return "    const long begin = " + begin + ";\n    if (begin < " +
           text_.number(whole * block_) + ") {\n      " + call(block_) + "    } else {\n      " +
           call(rest) + "    }\n";
  }

  std::string block(const std::string& indent, const std::string& blocks) {
    std::string lines;
    if (rank_ > 1) {
      lines = indent + "const long outer = item / " + blocks + ";\n" +
              decode(indent, "outer", rank_ - 1);
    }
    const auto starts = [&](const std::string& in) { return start(in, false); };
    lines += declare(indent) + start(indent, true) + each(indent, starts);
    return lines + through_time(indent);
  }

  void host_function(const std::string& body, std::int64_t items) {
    std::string& out = result_.text;
    out += "static void " + name_ + "_range(" + text_.parameter_list() +
           ", long first, long last) {\n" + body + "}\n\n";
    out += "void " + name_ + "(void* const* args, long first, long last) {\n  " + name_ + "_range(";
    const auto& types = text_.parameter_types();
    for (std::size_t i = 0; i < types.size(); ++i)
      out += "*(" + types[i] + "*)args[" + std::to_string(i) + "], ";
    out += "first, last);\n}\n\n";
    const double cost = point_cost(nest_) * static_cast<double>(block_ * time_.steps);
    Launch launch;
    launch.items = items;
    launch.grain = static_cast<std::int64_t>(worth_a_thread / std::max(cost, 0.01)) + 1;
    result_.launches.push_back({name_, launch});
  }

  void cuda() {
    const std::int64_t items = elements(nest_.extents);
    std::string body;
    if (items > 1 || rank_ > 0) {
      const std::string n = rank_ == 1 ? index_[0] : "n";
      body = "  const long long " + n + " = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n" +
             "  if (" + n + " >= " + text_.number(items) + ") return;\n";
      if (rank_ > 1) body += decode("  ", n, rank_);
    }
    body += declare("  ") + start("  ", true) + start("  ", false) + through_time("  ");
    result_.text += "extern \"C\" __global__ void " + name_ + "(" + text_.parameter_list() +
                    ") {\n" + body + "}\n\n";
    const std::int64_t threads = rank_ == 0 ? 1 : cuda_block;
    Launch launch;
    launch.grid = {
        static_cast<std::uint32_t>(std::max<std::int64_t>((items + threads - 1) / threads, 1)),
        1,
        1};
    launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
    result_.launches.push_back({name_, launch});
  }

  const LoopNest& nest_;
  const LoopNest::Recurrence& time_;
  std::string name_;
  Dialect dialect_;
  Helpers* helpers_;
  NestText text_;
  int rank_;
  std::int64_t block_;  // elements that go together on the host
  std::vector<std::string> index_;
  std::vector<bool> single_;         // by value of the program
  std::vector<std::string> values_;  // texts of the program's values
  KernelText result_;
};

}  // namespace

KernelText emit_recurrence(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers) {
  return RecurrenceText(work, name, dialect, helpers).run();
}

}  // namespace hypatia
