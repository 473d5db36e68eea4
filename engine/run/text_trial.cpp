#include "engine/run/text_trial.h"

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"
#include "engine/emit/emit.h"
#include "engine/expr/leaves.h"
#include "engine/graph/concrete.h"

namespace hypatia {

namespace {

constexpr std::size_t guard_bytes = 256;

/// The op applied to inputs on a place.
Graph applied(const Op& op, const Attrs& attrs, const std::vector<Array>& arrays, Place place) {
  Vars inputs;
  Types in;
  std::vector<const Array*> values;
  for (const Array& a : arrays) {
    Type type(a.dtype(), 0);
    for (std::int64_t d : a.dims())
      type.push_axis(d, d == 1);
    const bool size = op.decides_sizes(static_cast<int>(inputs.size()));
    inputs.push_back(size ? constant_of_type(a.copy(), type, {}) : input(type.with_place(place)));
    in.push_back(inputs.back().type());
    values.push_back(size ? constant_value(inputs.back()) : nullptr);
  }
  Types out;
  op.infer(TypeCall{op, attrs, in, values}, out);
  for (Type& t : out)
    t = t.with_place(place);
  const Ref<const Apply> node = Apply::make_typed(op, inputs, attrs, out, {});
  Vars outputs, free;
  for (int i = 0; i < node->outputs(); ++i)
    outputs.emplace_back(node, static_cast<std::uint32_t>(i));
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(free), is_input);
  return Graph(free, outputs);
}

/// What goes to the device for an input: its elements, or the memory that it is a view of.
std::span<const std::byte> bytes_behind(const Array& a) {
  if (a.contiguous()) return {static_cast<const std::byte*>(a.address()), a.bytes()};
  return {static_cast<const std::byte*>(a.storage()->data()), a.storage()->bytes()};
}

/// How a view lies in that memory, in elements.
Layout layout_of(const Array& a) {
  if (a.contiguous()) return {a.dims(), row_major(a.dims()), 0};
  const std::int64_t size = size_of(a.dtype());
  Dims strides = a.strides();
  for (std::int64_t& stride : strides)
    stride /= size;
  return {a.dims(), strides, a.offset() / size};
}

bool takes_views(const Op& op) {
  const auto* own = std::get_if<KernelLowering>(&op.lowering);
  return own && own->strided;
}

class TextTrial {
 public:
  TextTrial(Graph graph, const std::vector<Array>& inputs, Device& device)
      : graph_(std::move(graph)), device_(device) {
    std::unordered_map<Variable, Type, VariableHash> types;
    for (const Variable& v : graph_.inputs())
      types.emplace(v, v.type());
    plan_ = make_plan(graph_, Concrete(graph_, types));
    const Apply& node = graph_.outputs()[0].node();
    const Vars& all = node.inputs();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_input(all[i])) continue;
      inputs_.push_back(takes_views(node.op()) ? inputs[i] : inputs[i].contiguous_on_host());
      numbers_.push_back(static_cast<int>(i));
    }
    for (Step& step : plan_.steps)
      if (auto* work = std::get_if<KernelWork>(&step.work)) lay_out(*work);
  }

  Trial run() {
    Trial trial;
    const bool texts = std::all_of(plan_.steps.begin(), plan_.steps.end(), [](const Step& step) {
      return std::holds_alternative<KernelWork>(step.work);
    });
    if (!texts || plan_.steps.empty() || !plan_.shifts.empty()) return trial;
    trial.has_text = true;
    try {
      place_buffers();
      for (const Step& step : plan_.steps)
        launch(std::get<KernelWork>(step.work));
      device_.synchronize();
      take(&trial);
    } catch (const Error& error) {
      trial.error = error.what();
    }
    return trial;
  }

 private:
  /// The plan knows inputs without gaps: those that are views lie as they do.
  void lay_out(KernelWork& work) const {
    for (Located& load : work.nest.loads) {
      if (load.buffer < 0) continue;
      const Buffer& buffer = plan_.buffers[static_cast<std::size_t>(load.buffer)];
      if (buffer.kind != BufferKind::input) continue;
      const Array& value = inputs_[static_cast<std::size_t>(buffer.number)];
      if (!value.contiguous()) load.layout = layout_of(value);
    }
  }

  std::size_t size_of_buffer(const Buffer& buffer) const {
    if (buffer.kind != BufferKind::input) return static_cast<std::size_t>(buffer.bytes);
    return bytes_behind(inputs_[static_cast<std::size_t>(buffer.number)]).size();
  }

  void place_buffers() {
    for (const Buffer& buffer : plan_.buffers) {
      const std::size_t bytes = size_of_buffer(buffer);
      storages_.push_back(device_.allocate(bytes + guard_bytes));
      device_.fill(*storages_.back(), 0, trial_pattern, bytes + guard_bytes, nullptr);
      const auto number = static_cast<std::size_t>(std::max(buffer.number, 0));
      const Array* value = buffer.kind == BufferKind::input      ? &inputs_[number]
                           : buffer.kind == BufferKind::constant ? &plan_.constants[number]
                                                                 : nullptr;
      if (value && bytes > 0)
        device_.copy_in(*storages_.back(), 0, bytes_behind(*value).data(), bytes, nullptr);
    }
  }

  void launch(const KernelWork& work) {
    if (elements(work.nest.extents) == 0 && work.nest.folds.empty()) return;
    const Dialect dialect = device_.dialect();
    Helpers helpers;
    const std::string name = "trial" + std::to_string(modules_.size());
    const KernelText text = emit_kernel(work, name, dialect, &helpers);
    KernelSource source;
    source.dialect = dialect;
    source.name = name;
    source.text = prelude(helpers, dialect) + "\n" + text.text;
    for (const EmittedLaunch& l : text.launches)
      source.entries.push_back(l.entry);
    source.nodes.assign(source.entries.size(), std::string(graph_.outputs()[0].node().op().name));
    modules_.push_back(device_.compile(source));
    std::vector<void*> addresses, arguments;
    for (int buffer : parameters(work))
      addresses.push_back(storages_[static_cast<std::size_t>(buffer)]->data());
    for (void*& address : addresses)
      arguments.push_back(&address);
    for (const EmittedLaunch& l : text.launches)
      device_.launch(modules_.back()->find(l.entry), l.launch, arguments.data(), nullptr);
  }

  std::vector<char> bytes_of(std::size_t buffer, std::size_t bytes) {
    const Ref<Storage> here = allocate_host(std::max<std::size_t>(bytes, 1));
    if (bytes > 0) device_.copy_out(*here, 0, *storages_[buffer], 0, bytes, nullptr);
    here->wait();
    const char* data = static_cast<const char*>(here->data());
    return {data, data + bytes};
  }

  void take(Trial* trial) {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      const Buffer& buffer = plan_.buffers[b];
      const std::size_t size = size_of_buffer(buffer);
      const std::vector<char> bytes = bytes_of(b, size + guard_bytes);
      trial->beyond |=
          std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), [](char c) {
            return static_cast<std::uint8_t>(c) != trial_pattern;
          });
      if (buffer.kind != BufferKind::input) continue;
      const auto number = static_cast<std::size_t>(buffer.number);
      if (std::memcmp(bytes.data(), bytes_behind(inputs_[number]).data(), size) != 0)
        trial->changed_input = numbers_[number];
    }
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const Located& at = plan_.outputs[i];
      Array value(at.dtype, at.layout.dims);
      const auto bytes = static_cast<std::size_t>(elements(at.layout.dims) * size_of(at.dtype));
      const std::vector<char> data = bytes_of(static_cast<std::size_t>(at.buffer), bytes);
      if (bytes > 0) std::memcpy(value.address(), data.data(), bytes);
      trial->results.push_back(value);
    }
  }

  Graph graph_;
  Device& device_;
  Plan plan_;
  std::vector<Array> inputs_;
  std::vector<int> numbers_;  // of inputs_ among the op's inputs
  std::vector<Ref<Storage>> storages_;
  std::vector<Ref<Module>> modules_;
};

/// True for an op without text for the place's dialect.
bool runs_on_host_only(const Op& op, Place place) {
  if (const auto* own = std::get_if<KernelLowering>(&op.lowering)) return !own->has_text(place);
  return std::holds_alternative<HostLowering>(op.lowering);
}

}  // namespace

Trial try_text(const Op& op, const Attrs& attrs, const std::vector<Array>& inputs, Device& device) {
  const Place place = device.dialect() == Dialect::host_c ? host : Place{0};
  if (runs_on_host_only(op, place)) return {};
  return TextTrial(applied(op, attrs, inputs, place), inputs, device).run();
}

}  // namespace hypatia
