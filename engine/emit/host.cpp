// Loop nests in plain C for the host. A kernel runs over a range of its outer loop, so that the
// pool can split it; inner loops are left to the compiler's vectoriser.
#include <algorithm>

#include "engine/core/cores.h"
#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

// Kept elements that one pass over the reduced axes accumulates side by side.
constexpr std::int64_t column_block = 64;
constexpr std::int64_t short_block = 64;      // elements: no more is a short block
constexpr std::int64_t usual_block = 1024;    // elements whose arguments are looked at together
constexpr std::int64_t streamed_bytes = 512;  // that go past the caches at a time

std::string loop(
    const std::string& indent,
    const std::string& i,
    const std::string& first,
    const std::string& last) {
  return indent + "for (long " + i + " = " + first + "; " + i + " < " + last + "; ++" + i + ") {\n";
}

/// Lines that split a flat number into indices of some axes, last axis fastest.
std::string decode(
    const NestText& text,
    const std::string& indent,
    const std::string& flat,
    const std::vector<int>& axes) {
  std::string lines;
  std::string rest = flat;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const int axis = axes[k];
    const std::string size = text.number(text.nest().extents[axis]);
    std::string value = rest;
    if (k > 0) value += " % " + size;
    lines += indent + "const long " + axis_name(axis) + " = " + value + ";\n";
    rest = k > 0 ? (rest == flat ? flat : rest) + " / " + size : rest;
  }
  return lines;
}

class HostKernel {
 public:
  HostKernel(const KernelWork& work, const std::string& name, Helpers* helpers)
      : work_(work), name_(name), text_(work, Dialect::host_c, helpers) {}

  KernelText run() {
    if (work_.nest.folds.empty()) {
      elementwise();
    } else if (work_.chunks > 0) {
      chunks();
    } else if (column_shaped()) {
      columns();
    } else {
      rows();
    }
    return std::move(result_);
  }

 private:
  const Dims& extents() const { return work_.nest.extents; }

  /// The last axis is kept and the operands are contiguous along it.
  bool column_shaped() const {
    const int last = extents().rank() - 1;
    if (last < 1 || text_.is_reduced(last)) return false;
    for (const Located& at : work_.nest.loads) {
      if (at.layout.strides[last] > 1 || at.layout.strides[last] < 0) return false;
    }
    return true;
  }

  void add_function(
      const std::string& name, const std::string& body, std::int64_t items, double cost) {
    std::string& out = result_.text;
    out +=
        "static void " + name + "_range(" + text_.parameter_list() + ", long first, long last) {\n";
    out += body + "}\n\n";
    out += "void " + name + "(void* const* args, long first, long last) {\n  " + name + "_range(";
    const auto& types = text_.parameter_types();
    for (std::size_t i = 0; i < types.size(); ++i) {
      out += "*(" + types[i] + "*)args[" + std::to_string(i) + "], ";
    }
    out += "first, last);\n}\n\n";
    Launch launch;
    launch.items = items;
    launch.grain = static_cast<std::int64_t>(worth_a_thread / std::max(cost, 0.01)) + 1;
    const double cached = cost * cached_point_cost(work_.nest) / point_cost(work_.nest);
    if (static_cast<double>(items) * cached < worth_calling) launch.grain = items;
    result_.launches.push_back({name, launch});
  }

  void elementwise() {
    const int rank = extents().rank();
    const std::vector<std::string> index = axis_names(rank);
    const double cost = point_cost(work_.nest);
    if (rank == 0) {
      add_function(name_, "  (void)first, (void)last;\n" + text_.body("  ", index), 1, cost);
      return;
    }
    if (rank == 1) {
      add_function(name_, streams() ? streamed(index) : along(index), extents()[0], cost);
      return;
    }
    std::vector<int> outer;
    std::int64_t items = 1;
    for (int axis = 0; axis + 1 < rank; ++axis) {
      outer.push_back(axis);
      items *= extents()[axis];
    }
    const std::string& inner = index.back();
    std::string body = loop("  ", "row", "first", "last") + decode(text_, "    ", "row", outer);
    body += loop("    ", inner, "0", text_.number(extents()[rank - 1]));
    body += text_.body("      ", index) + "    }\n  }\n";
    add_function(name_, body, items, cost * static_cast<double>(extents()[rank - 1]));
  }

  std::string along(const std::vector<std::string>& index) {
    if (work_.chunk <= short_block && stores_narrow()) return in_short_blocks(index);
    const std::string inner = text_.body("    ", index);
    for (const std::string exp : {"hy_exp", "hy_expf"}) {
      const bool other = inner.find(exp == "hy_exp" ? "hy_expf(" : "hy_exp(") != std::string::npos;
      if (inner.find(exp + "(") != std::string::npos && !other && !overwrites())
        return usual_first(index, exp);
    }
    return unrolled() + loop("  ", index[0], "first", "last") + inner + "  }\n";
  }

  bool stores_narrow() const {
    return std::any_of(
        work_.nest.stores.begin(), work_.nest.stores.end(), [](const LoopNest::Store& store) {
          return size_of(store.to.dtype) < 4;
        });
  }

  /// A short block's narrow results are stored by a loop of their own, which is returned: the
  /// compiler sizes a loop's vectors by its narrowest element, and 64 bytes of bools are more than
  /// the block.
  std::string widen_stores(
      std::string* inner, std::string* declared, const std::vector<std::string>& index) {
    std::string after;
    for (std::size_t s = 0; s < work_.nest.stores.size(); ++s) {
      const Located& to = work_.nest.stores[s].to;
      if (size_of(to.dtype) >= 4) continue;
      const std::string wide = "wide" + std::to_string(s), out = text_.element(to, index);
      const std::string place = wide + "[" + index[0] + " - begin]";
      inner->replace(inner->rfind(out + " = "), out.size(), place);
      *declared += "    int " + wide + "[" + text_.number(work_.chunk) + "];\n";
      after +=
          loop("    ", index[0], "begin", "end") + "      " + out + " = " + place + ";\n    }\n";
    }
    return after;
  }

  /// A loop over blocks of the range, each from `begin` to `end`.
  std::string open_blocks(std::int64_t elements) const {
    const std::string size = text_.number(elements);
    return "  for (long begin = first; begin < last; begin += " + size +
           ") {\n    const long end = begin + " + size + " < last ? begin + " + size + " : last;\n";
  }

  std::string in_short_blocks(const std::vector<std::string>& index) {
    std::string body = open_blocks(work_.chunk);
    std::string inner = text_.body("      ", index);
    const std::string after = widen_stores(&inner, &body, index);
    return body + loop("    ", index[0], "begin", "end") + inner + "    }\n" + after + "  }\n";
  }

  /// A result lies where an operand lay.
  bool overwrites() const {
    for (const LoopNest::Store& store : work_.nest.stores) {
      for (const Located& at : work_.nest.loads) {
        if (at.buffer == store.to.buffer) return true;
      }
    }
    return false;
  }

  /// Blocks whose arguments of exp are all of usual size get by without what the others need.
  std::string usual_first(const std::vector<std::string>& index, const std::string& exp) {
    const std::string call = exp + "_usual(", integer = exp == "hy_exp" ? "long" : "int";
    const std::string inner = text_.body("      ", index);
    std::string usual = inner;
    for (std::size_t i = usual.find(exp + "("); i != std::string::npos;) {
      usual.replace(i, exp.size() + 1, call);
      usual.insert(end_of_call(usual, i + call.size()), ", &largest");
      i = usual.find(exp + "(", i);
    }
    text_.use(exp + "_usual");
    return open_blocks(usual_block) + "    " + integer + " largest = 0;\n  " + unrolled() +
           loop("    ", index[0], "begin", "end") + usual + "    }\n    if (" + exp +
           "_was_usual(largest)) continue;\n" + loop("    ", index[0], "begin", "end") + inner +
           "    }\n  }\n";
  }

  /// Where the parenthesis closes that opened before `i`.
  static std::size_t end_of_call(const std::string& text, std::size_t i) {
    for (int depth = 1; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    return i;
  }

  /// One result without gaps, not written over an operand, and more than the caches hold.
  bool streams() const {
    const LoopNest& nest = work_.nest;
    if (nest.stores.size() != 1 || nest.stores[0].to.layout.strides[0] != 1) return false;
    std::int64_t bytes = size_of(nest.stores[0].to.dtype);
    for (const Located& at : nest.loads) {
      if (at.buffer == nest.stores[0].to.buffer) return false;
      if (at.layout.strides[0] != 0) bytes += size_of(at.dtype);
    }
    return bytes * extents()[0] >= streamed_from();
  }

  /// Several vectors at a time keep the processor busy while their operands come from memory; long
  /// programs do so by themselves.
  std::string unrolled() const {
    constexpr std::size_t most_steps = 8;
    const bool is_short = work_.nest.program.steps.size() <= most_steps;
    return is_short ? "  _Pragma(\"GCC unroll 4\")\n" : "";
  }

  /// Blocks that stay in the first-level cache and go to memory from there, in whole lines. The
  /// number of elements is a constant for all but the first and the last.
  std::string streamed(const std::vector<std::string>& index) {
    const Located& to = work_.nest.stores[0].to;
    const std::string type(type_name(to.dtype, Dialect::host_c)), &i = index[0];
    const std::string size = text_.number(streamed_bytes / size_of(to.dtype));
    const std::string out = text_.element(to, index);
    std::string inner = text_.body("    ", index);
    inner.replace(inner.rfind(out + " = "), out.size(), "block[" + i + " - begin]");
    text_.use("hy_stream");
    result_.text += "static inline __attribute__((always_inline)) void " + name_ + "_block(" +
                    text_.parameter_list() + ", const long begin, const long count) {\n  " + type +
                    " block[" + size + "];\n" + loop("  ", i, "begin", "begin + count") + inner +
                    "  }\n  hy_stream(&" + text_.element(to, {"begin"}) +
                    ", block, count * (long)sizeof(" + type + "));\n}\n\n";
    const auto block = [&](const std::string& begin, const std::string& count) {
      return name_ + "_block(" + text_.arguments("") + ", " + begin + ", " + count + ");\n";
    };
    return "  const long ahead = hy_stream_ahead(&" + text_.element(to, {"first"}) +
           ") / (long)sizeof(" + type +
           ");\n  const long head = ahead < last - first ? ahead : last - first;\n  " +
           block("first", "head") + "  long begin = first + head;\n  for (; begin + " + size +
           " <= last; begin += " + size + ")\n    " + block("begin", size) + "  " +
           block("begin", "last - begin") + "  hy_stream_end();\n";
  }

  std::string accumulators(const std::string& indent) {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      lines += indent + text_.accumulator_type(f) + " acc" + std::to_string(f) + " = " +
               text_.identity(f) + ";\n";
    }
    return lines;
  }

  /// Tells the vectoriser that sums may be taken in any order.
  std::string reduction_pragma(const std::string& indent) {
    std::string names;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      if (work_.nest.folds[f].kind != Reduction::sum) continue;
      names += (names.empty() ? "" : ", ") + ("acc" + std::to_string(f));
    }
    const bool only_sums = std::all_of(
        work_.nest.folds.begin(), work_.nest.folds.end(), [](const LoopNest::Fold& fold) {
          return fold.kind == Reduction::sum;
        });
    return only_sums ? indent + "_Pragma(\"omp simd reduction(+:" + names + ")\")\n" : "";
  }

  std::string combine_all(const std::string& indent) {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      lines += indent + text_.combine(f, "acc" + std::to_string(f), text_.folded_value(f)) + "\n";
    }
    return lines;
  }

  /// One accumulation for each kept element, over all reduced axes.
  void rows() {
    const std::vector<std::string> index = axis_names(extents().rank());
    std::int64_t items = 1, length = 1;
    for (int axis : text_.kept())
      items *= extents()[axis];
    for (int axis : text_.reduced())
      length *= extents()[axis];
    std::string body = loop("  ", "item", "first", "last");
    body +=
        text_.kept().empty() ? "    (void)item;\n" : decode(text_, "    ", "item", text_.kept());
    body += accumulators("    ");
    std::string indent = "    ", close;
    for (std::size_t k = 0; k < text_.reduced().size(); ++k) {
      const int axis = text_.reduced()[k];
      if (k + 1 == text_.reduced().size()) body += reduction_pragma(indent);
      body += loop(indent, axis_name(axis), "0", text_.number(extents()[axis]));
      close = indent + "}\n" + close;
      indent += "  ";
    }
    body += text_.body(indent, index);
    body += combine_all(indent);
    body += close;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      body += text_.store_fold(f, "acc" + std::to_string(f), "    ", index);
    }
    body += "  }\n";
    add_function(name_, body, items, point_cost(work_.nest) * static_cast<double>(length));
  }

  /// Blocks of neighbouring kept elements accumulate side by side while the reduced axes go by.
  void columns() {
    const int last = extents().rank() - 1;
    std::vector<std::string> index = axis_names(extents().rank());
    const std::int64_t width = extents()[last];
    const std::int64_t blocks = (width + column_block - 1) / column_block;
    std::int64_t items = blocks, length = column_block;
    std::vector<int> outer;
    for (int axis : text_.kept()) {
      if (axis == last) continue;
      outer.push_back(axis);
      items *= extents()[axis];
    }
    for (int axis : text_.reduced())
      length *= extents()[axis];
    std::string body = loop("  ", "item", "first", "last");
    const std::string count = text_.number(blocks);
    body += "    const long begin = item % " + count + " * " + text_.number(column_block) + ";\n";
    body += "    const long end = begin + " + text_.number(column_block) + " < " +
            text_.number(width) + " ? begin + " + text_.number(column_block) + " : " +
            text_.number(width) + ";\n";
    if (!outer.empty()) {
      body +=
          "    const long outer = item / " + count + ";\n" + decode(text_, "    ", "outer", outer);
    }
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string acc = "acc" + std::to_string(f);
      body += "    " + text_.accumulator_type(f) + " " + acc + "[" + text_.number(column_block) +
              "];\n";
      body += "    for (long c = 0; c < " + text_.number(column_block) + "; ++c) " + acc +
              "[c] = " + text_.identity(f) + ";\n";
    }
    std::string indent = "    ", close;
    for (int axis : text_.reduced()) {
      body += loop(indent, axis_name(axis), "0", text_.number(extents()[axis]));
      close = indent + "}\n" + close;
      indent += "  ";
    }
    body += loop(indent, axis_name(last), "begin", "end") + text_.body(indent + "  ", index);
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string acc = "acc" + std::to_string(f) + "[" + axis_name(last) + " - begin]";
      body += indent + "  " + text_.combine(f, acc, text_.folded_value(f)) + "\n";
    }
    body += indent + "}\n" + close;
    body += loop("    ", axis_name(last), "begin", "end");
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string acc = "acc" + std::to_string(f) + "[" + axis_name(last) + " - begin]";
      body += text_.store_fold(f, acc, "      ", index);
    }
    body += "    }\n  }\n";
    add_function(name_, body, items, point_cost(work_.nest) * static_cast<double>(length));
  }

  std::string scratch(std::size_t f, const std::string& chunk) const {
    return "((" + text_.accumulator_type(f) + "*)(scratch + " +
           text_.number(static_cast<std::int64_t>(f) * work_.chunks) + "))[" + chunk + "]";
  }

  /// A fold of a whole array: chunks of fixed size in parallel, then their results in order, so
  /// that the sum does not depend on the number of threads.
  void chunks() {
    const std::vector<std::string> index = axis_names(1);
    const std::string size = text_.number(extents()[0]), chunk = text_.number(work_.chunk);
    std::string body = loop("  ", "chunk", "first", "last");
    body += "    const long begin = chunk * " + chunk + ";\n";
    body += "    const long end = begin + " + chunk + " < " + size + " ? begin + " + chunk + " : " +
            size + ";\n";
    std::string inner = text_.body("      ", index), after;
    if (work_.chunk <= short_block) after = widen_stores(&inner, &body, index);
    body += accumulators("    ") + reduction_pragma("    ");
    body += loop("    ", index[0], "begin", "end");
    body += inner + combine_all("      ");
    body += "    }\n" + after;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      body += "    " + scratch(f, "chunk") + " = acc" + std::to_string(f) + ";\n";
    }
    body += "  }\n";
    const double cost = point_cost(work_.nest) * static_cast<double>(work_.chunk);
    add_function(name_, body, work_.chunks, cost);

    std::string finish = "  (void)first, (void)last;\n" + accumulators("  ");
    finish += loop("  ", "chunk", "0", text_.number(work_.chunks));
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string part = "part" + std::to_string(f);
      finish += "    const " + text_.accumulator_type(f) + " " + part + " = " +
                scratch(f, "chunk") + ";\n";
      finish += "    " + text_.combine(f, "acc" + std::to_string(f), part) + "\n";
    }
    finish += "  }\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      finish += text_.store_fold(f, "acc" + std::to_string(f), "  ", index);
    }
    add_function(name_ + "_finish", finish, 1, 1);
  }

  const KernelWork& work_;
  std::string name_;
  NestText text_;
  KernelText result_;
};

}  // namespace

std::int64_t streamed_from() {
  static const std::int64_t cache = core_cache_bytes();
  const std::int64_t caches = cache * std::min(working_threads(), usable_cores());
  return std::max<std::int64_t>(caches, 8 << 20);
}

KernelText emit_host(const KernelWork& work, const std::string& name, Helpers* helpers) {
  return HostKernel(work, name, helpers).run();
}

}  // namespace hypatia
