// An op's own kernel text with the head that the engine writes: operands by name, their types,
// sizes and strides as constants.
#include <algorithm>
#include <cctype>

#include "engine/emit/nest_text.h"

namespace hypatia {

namespace {

class OwnKernel {
 public:
  OwnKernel(const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers)
      : work_(work),
        name_(name),
        dialect_(dialect),
        text_(work, dialect, helpers),
        lowering_(std::get<KernelLowering>(work.own->node->op().lowering)) {}

  KernelText run() {
    const bool host_side = dialect_ == Dialect::host_c;
    const std::string_view own = host_side ? lowering_.host_c : lowering_.cuda_c;
    std::string body;
    if (own.find("index_t") != own.npos) body = "  typedef " + text_.index_type() + " index_t;\n";
    for (std::size_t i = 0; i < work_.nest.loads.size(); ++i) {
      const int input = work_.own->loaded[i];
      const bool written = lowering_.inplace == input;
      body += operand("x" + std::to_string(input), work_.nest.loads[i], written);
    }
    for (std::size_t i = 0; i < work_.nest.stores.size(); ++i)
      body += operand("z" + std::to_string(i), work_.nest.stores[i].to, true);
    if (lowering_.constants) {
      for (const KernelConstant& c : lowering_.constants(call()))
        body += constant(std::string(c.name), c.value);
    }
    if (!lowering_.support.empty()) result_.text += support();
    body += std::string(own) + "\n";
    host_side ? host(body) : cuda(body);
    return std::move(result_);
  }

 private:
  /// The functions of the op, once in a module however many of its nodes come.
  std::string support() const {
    std::string guard = "SUPPORT_OF_";
    for (char c : work_.own->node->op().name)
      guard += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    const bool host_side = dialect_ == Dialect::host_c;
    return "#ifndef " + guard + "\n#define " + guard + "\n" +
           (host_side ? "#define __device__\n" : "") + std::string(lowering_.support) + "\n" +
           (host_side ? "#undef __device__\n" : "") + "#endif\n\n";
  }

  CostCall call() const {
    const OwnText& own = *work_.own;
    return {own.node->op(), own.node->attrs(), own.in, own.out};
  }

  std::string constant(const std::string& name, std::int64_t value) const {
    const std::string type = dialect_ == Dialect::cuda_c ? "long long" : "long";
    return "  const " + type + " " + name + " = " + std::to_string(value) + "; (void)" + name +
           ";\n";
  }

  std::string operand(const std::string& name, const Located& at, bool written) const {
    const std::string type(type_name(at.dtype, dialect_));
    Located first = at;
    first.layout.strides = Dims::filled(at.layout.dims.rank(), 0);
    const std::vector<std::string> index(static_cast<std::size_t>(at.layout.dims.rank()), "0");
    std::string lines = "  typedef " + type + " " + name + "_t;\n  " + (written ? "" : "const ") +
                        type + "* const " + name + " = &" + text_.element(first, index) + ";\n";
    lines += constant(name + "_size", elements(at.layout.dims));
    for (int axis = 0; axis < at.layout.dims.rank(); ++axis) {
      lines += constant(name + "_dim" + std::to_string(axis), at.layout.dims[axis]);
      lines += constant(name + "_stride" + std::to_string(axis), at.layout.strides[axis]);
    }
    return lines + "  (void)" + name + ";\n";
  }

  void host(const std::string& body) {
    std::string& out = result_.text;
    out += "static void " + name_ + "_range(" + text_.parameter_list() +
           ", long first, long last) {\n" + body + "}\n\n";
    out += "void " + name_ + "(void* const* args, long first, long last) {\n  " + name_ + "_range(";
    const auto& types = text_.parameter_types();
    for (std::size_t i = 0; i < types.size(); ++i)
      out += "*(" + types[i] + "*)args[" + std::to_string(i) + "], ";
    out += "first, last);\n}\n\n";
    Launch launch;
    launch.items = elements(work_.own->out[0].dims());
    launch.grain = 4096;
    result_.launches.push_back({name_, launch});
  }

  void cuda(const std::string& body) {
    result_.text += "extern \"C\" __global__ void " + name_ + "(" + text_.parameter_list() +
                    ") {\n" + body + "}\n\n";
    Launch launch;
    launch.flops = work_.own->cost.flops;
    launch.bytes = work_.own->cost.bytes;
    if (lowering_.grid) {
      const KernelGrid wanted = lowering_.grid(call());
      launch.grid = wanted.grid;
      launch.block = wanted.block;
      launch.shared_bytes = wanted.shared_bytes;
    } else {
      const std::int64_t items = std::max<std::int64_t>(elements(work_.own->out[0].dims()), 1);
      const std::int64_t blocks = (items + threads_per_block - 1) / threads_per_block;
      launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
      launch.block = {static_cast<std::uint32_t>(threads_per_block), 1, 1};
    }
    result_.launches.push_back({name_, launch});
  }

  const KernelWork& work_;
  std::string name_;
  Dialect dialect_;
  NestText text_;
  const KernelLowering& lowering_;
  KernelText result_;
};

}  // namespace

KernelText emit_own(
    const KernelWork& work, const std::string& name, Dialect dialect, Helpers* helpers) {
  return OwnKernel(work, name, dialect, helpers).run();
}

}  // namespace hypatia
