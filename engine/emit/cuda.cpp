// Loop nests in CUDA C, for NVRTC and for the simulated GPU: one thread an element, or for folds
// one thread, a block, or a column of a block an element. Sums go through fixed trees, so that
// results repeat to the bit.
#include <algorithm>

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

// Reductions over fewer points than this are done by one thread each.
constexpr std::int64_t short_reduction = 32;
// Elements side by side in memory that one block folds, and its threads; with more elements than
// the limit there are enough for a thread each.
constexpr std::int64_t columns_per_block = 16, threads_per_tile = 512, most_tiled = 8192;

std::uint32_t blocks_for(std::int64_t items, std::int64_t a_block) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>((items + a_block - 1) / a_block, 1));
}

/// How the threads share a nest's points.
enum class Split : std::uint8_t { elements, chunks, thread_each, block_each, columns };

class CudaKernel {
 public:
  CudaKernel(const KernelWork& work, const std::string& name, Helpers* helpers)
      : work_(work), name_(name), text_(work, Dialect::cuda_c, helpers), split_(find_split()) {
    threads_ = best_threads();
  }

  /// The threads of a block that suit this nest best.
  std::int64_t threads() const { return threads_; }

  KernelText run() {
    write();
    return std::move(result_);
  }

  /// The nest as a function of a block's number, for a kernel of several nests.
  KernelText run_as_part(std::int64_t threads) {
    threads_ = threads;
    block_ = "block";
    write();
    return std::move(result_);
  }

  const NestText& text() const { return text_; }

 private:
  void write() {
    switch (split_) {
      case Split::elements:
        return elementwise();
      case Split::chunks:
        return chunks();
      case Split::thread_each:
        return thread_each();
      case Split::block_each:
        return block_each();
      case Split::columns:
        return columns();
    }
  }

  Split find_split() const {
    if (work_.nest.folds.empty()) return Split::elements;
    if (work_.chunks > 0) return Split::chunks;
    // Where nothing is kept no thread may store: threads with an item each ask for their number.
    if (product(text_.reduced()) < short_reduction || product(text_.kept()) == 0)
      return Split::thread_each;
    const int last = extents().rank() - 1;
    if (text_.is_reduced(last)) return Split::block_each;
    return product(text_.kept()) >= most_tiled ? Split::thread_each : Split::columns;
  }

  std::int64_t best_threads() const {
    if (split_ == Split::columns) return threads_per_tile;
    if (split_ != Split::block_each) return threads_per_block;
    const std::int64_t length = product(text_.reduced());
    return length > 1024 ? threads_per_block : length > 256 ? 128 : 64;
  }

  const Dims& extents() const { return work_.nest.extents; }

  std::int64_t product(const std::vector<int>& axes) const {
    std::int64_t n = 1;
    for (int axis : axes)
      n *= extents()[axis];
    return n;
  }

  std::string index_type() const { return text_.index_type(); }

  std::string decode(
      const std::string& indent, const std::string& flat, const std::vector<int>& axes) const {
    std::string lines, rest = flat;
    for (std::size_t k = axes.size(); k-- > 0;) {
      const std::string size = text_.number(extents()[axes[k]]);
      lines += indent + "const " + index_type() + " " + axis_name(axes[k]) + " = " + rest +
               (k > 0 ? " % " + size : "") + ";\n";
      rest += " / " + size;
    }
    return lines;
  }

  void add_function(const std::string& name, const std::string& body, std::uint32_t blocks) {
    const bool part = block_ == "block";
    result_.text += part ? "static __device__ void " : "extern \"C\" __global__ void ";
    result_.text += name + "(" + (part ? "const int block, " : "") + text_.parameter_list() +
                    ") {\n" + body + "}\n\n";
    Launch launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {static_cast<std::uint32_t>(threads_), 1, 1};
    const Cost cost = cost_of(work_.nest);
    if (result_.launches.empty()) {
      launch.flops = cost.flops;
      launch.bytes = cost.bytes;
    }
    result_.launches.push_back({name, launch});
  }

  /// "const int n = this thread's number; if (n >= items) return;"
  std::string thread_number(const std::string& name, std::int64_t items) const {
    const std::string type = index_type();
    const std::string cast = type == "int" ? "" : "(long long)";
    return "  const " + type + " " + name + " = " + cast + block_ +
           " * blockDim.x + threadIdx.x;\n" + "  if (" + name + " >= " + text_.number(items) +
           ") return;\n";
  }

  void elementwise() {
    const int rank = extents().rank();
    const std::int64_t items = elements(extents());
    const std::vector<std::string> index = axis_names(rank);
    std::string body;
    if (rank == 1) {
      body = thread_number(index[0], items);
    } else {
      body = thread_number("n", items) + decode("  ", "n", text_.kept());
    }
    body += text_.body("  ", index);
    add_function(name_, body, blocks_for(items, threads_));
  }

  std::string accumulators(const std::string& indent) const {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      lines += indent + text_.accumulator_type(f) + " acc" + std::to_string(f) + " = " +
               text_.identity(f) + ";\n";
    }
    return lines;
  }

  std::string combine_all(const std::string& indent) const {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string part = "part" + std::to_string(f);
      lines += indent + "const " + text_.accumulator_type(f) + " " + part + " = " +
               text_.folded_value(f) + ";\n";
      lines += indent + text_.combine(f, "acc" + std::to_string(f), part) + "\n";
    }
    return lines;
  }

  std::string store_all(const std::string& indent, const std::vector<std::string>& index) const {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      lines += text_.store_fold(f, "acc" + std::to_string(f), indent, index);
    }
    return lines;
  }

  /// What is made of the finished accumulators.
  std::string finish(const std::string& indent, const std::vector<std::string>& index) const {
    return store_all(indent, index) + text_.epilogue(indent, index);
  }

  /// Joins the accumulators of a block's threads whose number modulo `columns` is the same, in the
  /// first ones: lanes of a warp in pairs, then the warps in order.
  std::string block_total(const std::string& indent, std::int64_t columns) const {
    const std::string wide = std::to_string(columns);
    const std::string warps = std::to_string(threads_ / 32);
    std::string pairs, keep, join;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string n = std::to_string(f), shared = "shared" + n, acc = "acc" + n;
      const std::string other = "const " + text_.accumulator_type(f) + " other" + n + " = ";
      pairs += indent + "  " + other + "__shfl_down_sync(0xffffffffu, " + acc + ", step);\n";
      pairs += indent + "  " + text_.combine(f, acc, "other" + n) + "\n";
      keep += indent + "__shared__ " + text_.accumulator_type(f) + " " + shared + "[" +
              std::to_string(threads_ / 32 * columns) + "];\n";
      keep += indent + "if (threadIdx.x % 32 < " + wide + ") " + shared + "[threadIdx.x / 32 * " +
              wide + " + threadIdx.x % 32] = " + acc + ";\n";
      join += indent + "    " + other + shared + "[warp * " + wide + " + threadIdx.x];\n";
      join += indent + "    " + text_.combine(f, acc, "other" + n) + "\n";
    }
    return indent + "for (int step = 16; step >= " + wide + "; step /= 2) {\n" + pairs + indent +
           "}\n" + keep + indent + "__syncthreads();\n" + indent + "if (threadIdx.x < " + wide +
           ") {\n" + indent + "  for (int warp = 1; warp < " + warps + "; ++warp) {\n" + join +
           indent + "  }\n" + indent + "}\n";
  }

  void thread_each() {
    const std::int64_t items = product(text_.kept());
    const std::vector<std::string> index = axis_names(extents().rank());
    std::string body = thread_number("item", items) + decode("  ", "item", text_.kept());
    body += accumulators("  ");
    std::string indent = "  ", close;
    for (int axis : text_.reduced()) {
      const std::string i = axis_name(axis);
      body += indent + "for (" + index_type() + " " + i + " = 0; " + i + " < " +
              text_.number(extents()[axis]) + "; ++" + i + ") {\n";
      close = indent + "}\n" + close;
      indent += "  ";
    }
    body += text_.body(indent, index);
    body += combine_all(indent);
    body += close;
    // In a scope of its own: a fold over no axes has its values outside of any loop.
    body += "  {\n" + finish("    ", index) + "  }\n";
    add_function(name_, body, blocks_for(items, threads_));
  }

  /// The loop of one thread over every `stride`th reduced point from `first` on.
  std::string strided_loop(
      const std::string& indent, const std::string& first, std::int64_t stride) {
    std::string text = indent + "for (" + index_type() + " r = " + first + "; r < " +
                       text_.number(product(text_.reduced())) + "; r += " + std::to_string(stride) +
                       ") {\n";
    text += decode(indent + "  ", "r", text_.reduced());
    text += text_.body(indent + "  ", axis_names(extents().rank()));
    text += combine_all(indent + "  ");
    return text + indent + "}\n";
  }

  void block_each() {
    const std::vector<std::string> index = axis_names(extents().rank());
    std::string body = "  const " + index_type() + " item = " + block_ + ";\n";
    body += decode("  ", "item", text_.kept()) + accumulators("  ");
    body += strided_loop("  ", "threadIdx.x", threads_);
    body += block_total("  ", 1);
    body += "  if (threadIdx.x == 0) {\n" + finish("    ", index) + "  }\n";
    add_function(name_, body, blocks_for(product(text_.kept()), 1));
  }

  /// A block folds elements that lie side by side, so that its reads do, too.
  void columns() {
    const std::int64_t items = product(text_.kept());
    const std::string wide = std::to_string(columns_per_block);
    const std::string there = "item < " + text_.number(items);
    const std::vector<std::string> index = axis_names(extents().rank());
    std::string body = "  const " + index_type() + " item = " + block_ + " * " + wide +
                       " + threadIdx.x % " + wide + ";\n";
    body += decode("  ", "item", text_.kept()) + accumulators("  ");
    body += "  if (" + there + ") {\n";
    body += strided_loop("    ", "threadIdx.x / " + wide, threads_ / columns_per_block) + "  }\n";
    body += block_total("  ", columns_per_block);
    body +=
        "  if (threadIdx.x < " + wide + " && " + there + ") {\n" + finish("    ", index) + "  }\n";
    add_function(name_, body, blocks_for(items, columns_per_block));
  }

  std::string scratch(std::size_t f, const std::string& chunk) const {
    return "((" + text_.accumulator_type(f) + "*)(scratch + " +
           text_.number(static_cast<std::int64_t>(f) * work_.chunks) + "))[" + chunk + "]";
  }

  /// A fold of a whole array: a block a chunk, then one block over the chunks' results.
  void chunks() {
    const std::vector<std::string> index = axis_names(1);
    const std::string type = index_type();
    std::string body =
        "  const " + type + " begin = blockIdx.x * " + text_.number(fold_chunk) + ";\n";
    body += "  const " + type + " end = min(begin + " + text_.number(fold_chunk) + ", " +
            (type == "int" ? "" : "(long long)") + text_.number(extents()[0]) + ");\n";
    body += accumulators("  ");
    body += "  for (" + type + " " + index[0] + " = begin + threadIdx.x; " + index[0] + " < end; " +
            index[0] + " += " + std::to_string(threads_per_block) + ") {\n";
    body += text_.body("    ", index);
    body += combine_all("    ");
    body += "  }\n";
    body += block_total("  ", 1) + "  if (threadIdx.x == 0) {\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      body += "    " + scratch(f, "blockIdx.x") + " = acc" + std::to_string(f) + ";\n";
    }
    add_function(name_, body + "  }\n", static_cast<std::uint32_t>(work_.chunks));

    std::string text = accumulators("  ");
    text += "  for (int chunk = threadIdx.x; chunk < " + text_.number(work_.chunks) +
            "; chunk += " + std::to_string(threads_per_block) + ") {\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string part = "part" + std::to_string(f);
      text += "    const " + text_.accumulator_type(f) + " " + part + " = " + scratch(f, "chunk") +
              ";\n";
      text += "    " + text_.combine(f, "acc" + std::to_string(f), part) + "\n";
    }
    text += "  }\n" + block_total("  ", 1);
    text += "  if (threadIdx.x == 0) {\n" + finish("    ", index) + "  }\n";
    add_function(name_ + "_finish", text, 1);
  }

  const KernelWork& work_;
  std::string name_;
  NestText text_;
  Split split_;
  std::int64_t threads_ = threads_per_block;
  std::string block_ = "blockIdx.x";
  KernelText result_;
};

/// One kernel whose blocks are dealt out to several nests, in order.
KernelText side_by_side(const KernelWork& work, const std::string& name, Helpers* helpers) {
  std::vector<KernelWork> nests{KernelWork{work.nest}};
  for (const LoopNest& nest : work.beside)
    nests.push_back(KernelWork{nest});
  std::vector<CudaKernel> parts;
  std::int64_t threads = 0;
  for (std::size_t i = 0; i < nests.size(); ++i) {
    parts.emplace_back(nests[i], name + "_" + static_cast<char>('a' + i), helpers);
    threads = std::max(threads, parts.back().threads());
  }
  KernelText whole;
  std::string body, parameters;
  Launch launch;
  std::uint32_t blocks = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KernelText part = parts[i].run_as_part(threads);
    const EmittedLaunch& own = part.launches.front();
    const std::string before = std::to_string(blocks), letter(1, static_cast<char>('a' + i));
    blocks += own.launch.grid[0];
    launch.flops += own.launch.flops;
    launch.bytes += own.launch.bytes;
    body += i == 0 ? "  if" : " else if";
    body += " (blockIdx.x < " + std::to_string(blocks) + ") {\n    " + own.entry +
            "(blockIdx.x - " + before + ", " + parts[i].text().arguments(letter + "_") + ");\n  }";
    parameters += (i ? ", " : "") + parts[i].text().parameter_list(letter + "_");
    whole.text += part.text;
  }
  whole.text +=
      "extern \"C\" __global__ void " + name + "(" + parameters + ") {\n" + body + "\n}\n\n";
  launch.grid = {blocks, 1, 1};
  launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
  whole.launches.push_back({name, launch});
  return whole;
}

}  // namespace

KernelText emit_cuda(const KernelWork& work, const std::string& name, Helpers* helpers) {
  return work.beside.empty() ? CudaKernel(work, name, helpers).run()
                             : side_by_side(work, name, helpers);
}

}  // namespace hypatia
