#include "engine/run/specialised.h"

#include "engine/core/error.h"
#include "engine/run/interpret.h"
#include "engine/run/start_up.h"
#include "engine/trace/clock.h"

namespace hypatia {

namespace {

Dims byte_strides(const Layout& layout, DType dtype) {
  Dims strides = layout.strides;
  for (std::int64_t& s : strides)
    s *= size_of(dtype);
  return strides;
}

std::string plan_dims(const Plan& plan, const Graph& graph) {
  std::string text;
  for (const Buffer& b : plan.buffers) {
    if (b.kind != BufferKind::input && b.kind != BufferKind::shared) continue;
    const Vars& leaves = b.kind == BufferKind::input ? graph.inputs() : graph.shared();
    const std::string& name = leaves[static_cast<std::size_t>(b.number)].name();
    text += (text.empty() ? "" : ", ") + (name.empty() ? "?" : name) + ": " +
            std::to_string(b.bytes) + " bytes";
  }
  return text;
}

}  // namespace

Specialised::Specialised(const FunctionContext& context, Plan plan)
    : context_(context), plan_(std::move(plan)), bound_(plan_.steps.size()) {
  addresses_.resize(plan_.buffers.size());
  storages_.resize(plan_.buffers.size());
  offsets_.resize(plan_.buffers.size());
  compile(Dialect::host_c);
  if (!context_.place.on_host()) compile(Dialect::cuda_c);
  bind();
  make_constants();
  if (context_.observer) record_plan();
}

void Specialised::compile(Dialect dialect) {
  EmittedModule emitted = emit_module(plan_, context_.graph, dialect, context_.name);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    if (!emitted.kernels[s].buffers.empty()) bound_[s].buffers = emitted.kernels[s].buffers;
  }
  if (emitted.source.entries.empty()) return;
  source_ += emitted.source.text;
  const bool on_host = dialect == Dialect::host_c;
  if (on_host && context_.interpret_only) return;
  Ref<Module> module;
  try {
    module = device_at(on_host ? host : context_.place).compile(emitted.source);
  } catch (const Error& error) {
    // Without a compiler the interpreter runs the same loops.
    if (!on_host || error.kind() != Error::Kind::compile) throw;
    return;
  }
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    for (const EmittedLaunch& l : emitted.kernels[s].launches) {
      bound_[s].launches.push_back({&module->find(l.entry), l.launch});
    }
  }
  modules_.push_back(std::move(module));
}

void Specialised::bind() {
  std::vector<bool> copied_out(plan_.buffers.size(), false);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    for (int buffer : bound_[s].buffers) {
      bound_[s].arguments.push_back(&addresses_[static_cast<std::size_t>(buffer)]);
    }
    const auto note = [&](const Located& at) {
      if (copied_out[static_cast<std::size_t>(at.buffer)]) bound_[s].awaited.push_back(at.buffer);
    };
    const Step& step = plan_.steps[s];
    if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
      const Buffer& to = plan_.buffers[static_cast<std::size_t>(copy->to.buffer)];
      const Buffer& from = plan_.buffers[static_cast<std::size_t>(copy->from.buffer)];
      if (to.place.on_host() && !from.place.on_host()) {
        copied_out[static_cast<std::size_t>(copy->to.buffer)] = true;
      }
      note(copy->from);
    } else if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
      for (const Located& at : kernel->nest.loads)
        note(at);
    } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
      note(product->a);
      note(product->b);
    } else {
      for (const Located& at : std::get<HostWork>(step.work).in)
        note(at);
    }
  }
}

void Specialised::make_constants() {
  for (const Buffer& b : plan_.buffers) {
    if (b.kind != BufferKind::constant) continue;
    constants_.resize(plan_.constants.size());
    const auto i = static_cast<std::size_t>(b.number);
    constants_[i] = on_place(plan_.constants[i], b.place);
  }
}

void Specialised::record_plan() {
  PlanRecord record;
  record.function = context_.function_id;
  record.dims = plan_dims(plan_, context_.graph);
  if (!source_.empty()) record.sources.push_back(source_);
  for (const Step& step : plan_.steps) {
    const bool has_source = std::holds_alternative<KernelWork>(step.work) && !source_.empty();
    record.steps.push_back({
        step.name,
        step.side,
        step.shares,
        step.flops,
        step.bytes,
        has_source ? 0 : -1,
        "",
    });
  }
  for (const Buffer& b : plan_.buffers) {
    const int node = b.maker ? context_.graph.position(b.maker) : -1;
    if (node < 0) continue;
    record.buffers.push_back({
        static_cast<std::uint32_t>(node),
        b.bytes,
        b.first_step,
        b.last_step,
        static_cast<std::int32_t>(b.arena_offset),
        'c',
        !b.place.on_host(),
    });
  }
  const std::uint32_t first = context_.observer->add_plan(record);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    bound_[s].id = first + static_cast<std::uint32_t>(s);
  }
}

void Specialised::set_buffer(std::size_t buffer, Ref<Storage> storage, std::int64_t offset) {
  addresses_[buffer] = static_cast<char*>(storage->data()) + offset;
  offsets_[buffer] = offset;
  storages_[buffer] = std::move(storage);
}

Ref<Storage> Specialised::new_result(const Buffer& buffer) {
  const auto bytes = static_cast<std::size_t>(buffer.bytes);
  if (!buffer.place.on_host()) return device_at(buffer.place).allocate(bytes);
  // Results that a GPU fills are pinned, so that the copy need not be waited for.
  if (!context_.place.on_host()) return device_at(context_.place).allocate_pinned(bytes);
  return allocate_host(bytes);
}

void Specialised::take_memory(std::span<const Array> inputs, std::span<const Array> shared) {
  Ref<Storage> host_arena, device_arena;
  if (plan_.host_arena) {
    const auto bytes = static_cast<std::size_t>(plan_.host_arena);
    host_arena = context_.place.on_host() ? allocate_host(bytes)
                                          : device_at(context_.place).allocate_pinned(bytes);
  }
  if (plan_.device_arena) {
    device_arena = device_at(context_.place).allocate(static_cast<std::size_t>(plan_.device_arena));
  }
  for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
    const Buffer& buffer = plan_.buffers[b];
    const auto number = static_cast<std::size_t>(buffer.number);
    switch (buffer.kind) {
      case BufferKind::input:
        set_buffer(b, inputs[number].storage(), inputs[number].offset());
        break;
      case BufferKind::shared:
        set_buffer(b, shared[number].storage(), shared[number].offset());
        break;
      case BufferKind::constant:
        set_buffer(b, constants_[number].storage(), constants_[number].offset());
        break;
      case BufferKind::temporary:
        if (buffer.arena_offset >= 0) {
          set_buffer(b, buffer.place.on_host() ? host_arena : device_arena, buffer.arena_offset);
        }
        break;
      case BufferKind::output:
      case BufferKind::update:
        set_buffer(b, new_result(buffer), 0);
        break;
    }
  }
}

std::vector<Array> Specialised::run(
    std::span<const Array> inputs,
    std::span<const Array> shared,
    std::vector<Array>* updates,
    std::uint32_t call) {
  take_memory(inputs, shared);
  Observer* const observer = context_.observer;
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    if (!observer) {
      run_step(s);
      continue;
    }
    const std::int64_t begin = now();
    observer->begin_step(call, bound_[s].id);
    run_step(s);
    observer->end_step(call, bound_[s].id, begin);
  }
  std::vector<Array> results;
  results.reserve(plan_.outputs.size());
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    results.push_back(result(plan_.outputs[i], plan_.output_types[i]));
  }
  for (std::size_t i = 0; i < plan_.updates.size(); ++i) {
    updates->push_back(result(plan_.updates[i], plan_.update_types[i]));
  }
  for (Ref<Storage>& storage : storages_)
    storage = nullptr;
  return results;
}

void Specialised::run_step(std::size_t s) {
  const Step& step = plan_.steps[s];
  for (int buffer : bound_[s].awaited)
    storages_[static_cast<std::size_t>(buffer)]->wait();
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    run_kernel(*kernel, bound_[s], step.place);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    run_product(*product, step.place);
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    run_copy(*copy, step.place);
  } else {
    run_host(std::get<HostWork>(step.work));
  }
}

void Specialised::run_kernel(const KernelWork& work, const BoundStep& bound, Place place) {
  if (bound.launches.empty()) {
    std::vector<void*> addresses;
    for (int buffer : bound.buffers)
      addresses.push_back(addresses_[static_cast<std::size_t>(buffer)]);
    interpret(work, addresses);
    return;
  }
  // Loops over nothing have nothing to store; folds of nothing store their identity.
  if (elements(work.nest.extents) == 0 && work.nest.folds.empty()) return;
  Device& device = device_at(place);
  for (const BoundLaunch& l : bound.launches) {
    device.launch(*l.kernel, l.launch, bound.arguments.data(), nullptr);
  }
}

void Specialised::run_product(const ProductWork& work, Place place) {
  const auto address = [&](const Located& at) {
    return static_cast<char*>(addresses_[static_cast<std::size_t>(at.buffer)]) +
           at.layout.offset * size_of(at.dtype);
  };
  MatrixProduct product;
  product.dtype = work.c.dtype;
  product.m = work.c.layout.dims[0];
  product.n = work.c.layout.dims[1];
  product.k = work.a.layout.dims[1];
  product.a = address(work.a);
  product.b = address(work.b);
  product.c = address(work.c);
  product.a_row = work.a.layout.strides[0];
  product.a_column = work.a.layout.strides[1];
  product.b_row = work.b.layout.strides[0];
  product.b_column = work.b.layout.strides[1];
  product.c_row = work.c.layout.strides[0];
  product.c_column = work.c.layout.strides[1];
  product.alpha = work.alpha;
  product.beta = work.beta;
  device_at(place).multiply(product, nullptr);
}

void Specialised::run_copy(const CopyWork& work, Place place) {
  const auto from = static_cast<std::size_t>(work.from.buffer);
  const auto to = static_cast<std::size_t>(work.to.buffer);
  const auto bytes =
      static_cast<std::size_t>(elements(work.to.layout.dims) * size_of(work.to.dtype));
  if (bytes == 0) return;
  const bool from_host = plan_.buffers[from].place.on_host();
  const bool to_host = plan_.buffers[to].place.on_host();
  Device& device = device_at(place);
  const auto from_offset = static_cast<std::size_t>(offsets_[from]);
  const auto to_offset = static_cast<std::size_t>(offsets_[to]);
  if (from_host) {
    device.copy_in(*storages_[to], to_offset, addresses_[from], bytes, nullptr);
  } else if (to_host) {
    device.copy_out(*storages_[to], to_offset, *storages_[from], from_offset, bytes, nullptr);
  } else {
    device.copy_on(*storages_[to], to_offset, *storages_[from], from_offset, bytes, nullptr);
  }
}

Array Specialised::array_of(const Located& at) const {
  const auto buffer = static_cast<std::size_t>(at.buffer);
  return Array(
      storages_[buffer],
      at.dtype,
      at.layout.dims,
      byte_strides(at.layout, at.dtype),
      offsets_[buffer] + at.layout.offset * size_of(at.dtype));
}

Array Specialised::result(const Located& at, const Type& type) const {
  const Array value = array_of(at);
  return Array(value.storage(), value.dtype(), type.dims(), value.strides(), value.offset());
}

void Specialised::run_host(const HostWork& work) {
  std::vector<Array> in;
  Types types;
  for (const Located& at : work.in)
    in.push_back(array_of(at));
  for (const Located& at : work.out)
    types.emplace_back(at.dtype, at.layout.dims);
  const std::vector<Array> out =
      work.node->op().eval(EvalCall{work.node->op(), work.node->attrs(), in, types});
  for (std::size_t i = 0; i < out.size(); ++i)
    copy_elements(out[i], array_of(work.out[i]));
}

}  // namespace hypatia
