// Loop nests in CUDA C, for NVRTC and for the simulated GPU: one thread an element, or a block a
// reduced element. Sums go through fixed trees, so that results repeat to the bit.
#include <algorithm>

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

constexpr std::int64_t threads_per_block = 256;
// Reductions over fewer points than this are done by one thread each.
constexpr std::int64_t short_reduction = 32;

std::string axis_name(int axis) {
  return std::string(1, static_cast<char>('i' + axis));
}

std::vector<std::string> axis_names(int rank) {
  std::vector<std::string> names;
  for (int axis = 0; axis < rank; ++axis)
    names.push_back(axis_name(axis));
  return names;
}

std::uint32_t blocks_for(std::int64_t items) {
  return static_cast<std::uint32_t>((items + threads_per_block - 1) / threads_per_block);
}

class CudaKernel {
 public:
  CudaKernel(const KernelWork& work, const std::string& name, Helpers* helpers)
      : work_(work), name_(name), text_(work, Dialect::cuda_c, helpers) {}

  KernelText run() {
    if (work_.nest.folds.empty()) {
      elementwise();
    } else if (work_.chunks > 0) {
      chunks();
    } else {
      reduce();
    }
    const Cost cost = cost_of(work_.nest);
    result_.launches[0].launch.flops = cost.flops;
    result_.launches[0].launch.bytes = cost.bytes;
    return std::move(result_);
  }

 private:
  const Dims& extents() const { return work_.nest.extents; }

  std::int64_t product(const std::vector<int>& axes) const {
    std::int64_t n = 1;
    for (int axis : axes)
      n *= extents()[axis];
    return n;
  }

  /// The narrowest index type that can address every element: int where it is enough.
  std::string index_type() const {
    double largest = static_cast<double>(elements(extents()));
    const auto note = [&](const Layout& layout) {
      double end = static_cast<double>(std::max<std::int64_t>(layout.offset, -layout.offset));
      for (int axis = 0; axis < layout.dims.rank(); ++axis) {
        const std::int64_t step = std::max(layout.strides[axis], -layout.strides[axis]);
        end += static_cast<double>(step) * static_cast<double>(layout.dims[axis]);
      }
      largest = std::max(largest, end);
    };
    for (const Located& at : work_.nest.loads)
      note(at.layout);
    for (const auto& store : work_.nest.stores)
      note(store.to.layout);
    constexpr double room = 2.0e9;
    return largest < room ? "int" : "long long";
  }

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

  void add_function(
      const std::string& name,
      const std::string& body,
      std::uint32_t blocks,
      std::int64_t threads = threads_per_block) {
    result_.text += "extern \"C\" __global__ void " + name + "(" + text_.parameter_list() +
                    ") {\n" + body + "}\n\n";
    Launch launch;
    launch.grid = {std::max<std::uint32_t>(blocks, 1), 1, 1};
    launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
    result_.launches.push_back({name, launch});
  }

  /// "const int n = this thread's number; if (n >= items) return;"
  std::string thread_number(const std::string& name, std::int64_t items) const {
    const std::string type = index_type();
    const std::string cast = type == "int" ? "" : "(long long)";
    return "  const " + type + " " + name + " = " + cast +
           "blockIdx.x * blockDim.x + threadIdx.x;\n" + "  if (" + name +
           " >= " + text_.number(items) + ") return;\n";
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
    add_function(name_, body, blocks_for(items));
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

  /// The accumulators of a block's threads, joined pairwise in shared memory.
  std::string block_tree(const std::string& indent, std::int64_t threads) const {
    std::string lines;
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string n = std::to_string(f), shared = "shared" + n, acc = "acc" + n;
      lines += indent + "__shared__ " + text_.accumulator_type(f) + " " + shared + "[" +
               std::to_string(threads) + "];\n";
      lines += indent + shared + "[threadIdx.x] = " + acc + ";\n";
    }
    lines +=
        indent + "for (int half = " + std::to_string(threads / 2) + "; half > 0; half /= 2) {\n";
    lines += indent + "  __syncthreads();\n" + indent + "  if (threadIdx.x < half) {\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string n = std::to_string(f), shared = "shared" + n, acc = "acc" + n;
      lines += indent + "    const " + text_.accumulator_type(f) + " other" + n + " = " + shared +
               "[threadIdx.x + half];\n";
      lines += indent + "    " + text_.combine(f, acc, "other" + n) + "\n";
      lines += indent + "    " + shared + "[threadIdx.x] = " + acc + ";\n";
    }
    return lines + indent + "  }\n" + indent + "}\n";
  }

  void reduce() {
    const std::int64_t items = product(text_.kept()), length = product(text_.reduced());
    const int last = extents().rank() - 1;
    const bool coalesced_by_thread = last >= 0 && !text_.is_reduced(last) && items >= 1024;
    if (length < short_reduction || coalesced_by_thread) {
      thread_each(items);
    } else {
      block_each(items, length);
    }
  }

  void thread_each(std::int64_t items) {
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
    body += store_all("  ", index);
    add_function(name_, body, blocks_for(items));
  }

  void block_each(std::int64_t items, std::int64_t length) {
    const std::vector<std::string> index = axis_names(extents().rank());
    const std::int64_t threads = length >= 2 * threads_per_block ? threads_per_block : 64;
    std::string body = "  const " + index_type() + " item = blockIdx.x;\n";
    body += decode("  ", "item", text_.kept()) + accumulators("  ");
    body += "  for (" + index_type() + " r = threadIdx.x; r < " + text_.number(length) +
            "; r += " + std::to_string(threads) + ") {\n";
    body += decode("    ", "r", text_.reduced());
    body += text_.body("    ", index);
    body += combine_all("    ");
    body += "  }\n";
    body += block_tree("  ", threads);
    body += "  if (threadIdx.x == 0) {\n" + store_all("    ", index) + "  }\n";
    add_function(name_, body, static_cast<std::uint32_t>(items), threads);
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
    body += block_tree("  ", threads_per_block) + "  if (threadIdx.x == 0) {\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      body += "    " + scratch(f, "blockIdx.x") + " = acc" + std::to_string(f) + ";\n";
    }
    add_function(name_, body + "  }\n", static_cast<std::uint32_t>(work_.chunks));

    std::string finish = accumulators("  ");
    finish += "  for (int chunk = threadIdx.x; chunk < " + text_.number(work_.chunks) +
              "; chunk += " + std::to_string(threads_per_block) + ") {\n";
    for (std::size_t f = 0; f < work_.nest.folds.size(); ++f) {
      const std::string part = "part" + std::to_string(f);
      finish += "    const " + text_.accumulator_type(f) + " " + part + " = " +
                scratch(f, "chunk") + ";\n";
      finish += "    " + text_.combine(f, "acc" + std::to_string(f), part) + "\n";
    }
    finish += "  }\n" + block_tree("  ", threads_per_block);
    finish += "  if (threadIdx.x == 0) {\n" + store_all("    ", index) + "  }\n";
    add_function(name_ + "_finish", finish, 1);
  }

  const KernelWork& work_;
  std::string name_;
  NestText text_;
  KernelText result_;
};

}  // namespace

KernelText emit_cuda(const KernelWork& work, const std::string& name, Helpers* helpers) {
  return CudaKernel(work, name, helpers).run();
}

}  // namespace hypatia
