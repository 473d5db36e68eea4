// The part of Specialised that runs one step, and shows what it made to a guard.
#include "engine/core/error.h"
#include "engine/device/cpu/row_pass.h"
#include "engine/expr/infer.h"
#include "engine/run/data_sizes.h"
#include "engine/run/interpret.h"
#include "engine/run/observed_step.h"
#include "engine/run/specialised.h"

namespace hypatia {

namespace {

/// What a step writes, but for mere copies.
std::vector<Located> written(const Step& step) {
  std::vector<Located> all;
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    for (const LoopNest::Store& store : kernel->nest.stores)
      all.push_back(store.to);
    for (const LoopNest::Fold& fold : kernel->nest.folds)
      all.push_back(fold.to);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    all.push_back(product->c);
  } else if (const auto* convolution = std::get_if<ConvolutionWork>(&step.work)) {
    all.push_back(convolution->made);
  } else if (const auto* rows = std::get_if<RowsWork>(&step.work)) {
    for (const LoopNest::Store& store : rows->loop.nest.stores)
      all.push_back(store.to);
    for (const LoopNest::Fold& fold : rows->loop.nest.folds)
      all.push_back(fold.to);
  } else if (const auto* host_work = std::get_if<HostWork>(&step.work)) {
    all = host_work->out;
  }
  return all;
}

}  // namespace

void Specialised::run_observed(std::uint32_t call) {
  observe_steps(call, 0, capture_begin_, false);
  if (capture_begin_ < bound_.size()) run_captured(call);
}

void Specialised::tell_steps(
    std::uint32_t call, std::size_t begin, std::size_t end, bool captured) {
  heard_by(context_.observer) ? observe_steps(call, begin, end, captured) : run_steps(begin, end);
}

void Specialised::observe_steps(
    std::uint32_t call, std::size_t begin, std::size_t end, bool captured) {
  for (std::size_t s = begin; s < end; ++s) {
    if (leaves_out(s)) continue;
    if (const auto* loop = std::get_if<LoopWork>(&plan_.steps[s].work)) {
      // The time of a loop is that of its steps.
      run_loop(*loop, s, [&](std::size_t first, std::size_t last) {
        observe_steps(call, first, last, captured);
      });
      s += static_cast<std::size_t>(loop->steps);
      continue;
    }
    const ObservedStep step(context_.observer, call, bound_[s].id, captured);
    run_step(s);
  }
}

void Specialised::run_loop(
    const LoopWork& loop,
    std::size_t s,
    FunctionRef<void(std::size_t begin, std::size_t end)> trip) {
  const std::size_t first = s + 1, last = first + static_cast<std::size_t>(loop.steps);
  std::int64_t t = 0;
  for (bool stop = false; t < loop.trips && !stop; ++t) {
    for (int number : loop.moving) {
      const auto b = static_cast<std::size_t>(number);
      const auto base = static_cast<std::size_t>(plan_.buffers[b].base);
      const Move& move = plan_.moves[static_cast<std::size_t>(plan_.buffers[b].number)];
      memory_.set(
          b, *memory_.storages[base], memory_.offsets[base] + move.at(t) * size_of(move.dtype));
    }
    trip(first, last);
    if (loop.until >= 0) {
      const auto until = static_cast<std::size_t>(loop.until);
      memory_.storages[until]->wait();  // a GPU may still fill it
      stop = *static_cast<const bool*>(memory_.addresses[until]);
    }
  }
  if (loop.taken >= 0) {
    *static_cast<std::int64_t*>(memory_.addresses[static_cast<std::size_t>(loop.taken)]) = t;
  }
}

void Specialised::run_guarded() {
  // What several steps put together is shown when it is complete.
  std::vector<std::size_t> last_writers(plan_.buffers.size(), 0);
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    for (const Located& at : written(plan_.steps[s]))
      last_writers[static_cast<std::size_t>(at.buffer)] = s;
  }
  for (std::size_t s = 0; s < bound_.size(); ++s) {
    if (const auto* loop = std::get_if<LoopWork>(&plan_.steps[s].work)) {
      // The nodes of a loop's step are those of another graph: its users are looked at.
      const auto steps = static_cast<std::size_t>(loop->steps);
      run_steps(s, s + 1);
      s += steps;
      continue;
    }
    run_step(s);
    show(s, last_writers);
  }
}

void Specialised::show(std::size_t s, const std::vector<std::size_t>& last_writers) {
  const auto* host_work = std::get_if<HostWork>(&plan_.steps[s].work);
  int output = 0;
  for (const Located& at : written(plan_.steps[s])) {
    const auto buffer = static_cast<std::size_t>(at.buffer);
    const Apply* maker = host_work ? host_work->node : plan_.buffers[buffer].maker;
    if (maker && last_writers[buffer] == s) {
      context_.guard->made(*maker, host_work ? output : 0, asarray(array_of(at)));
    }
    ++output;
  }
}

void Specialised::run_step(std::size_t s) {
  const Step& step = plan_.steps[s];
  const BoundStep& bound = bound_[s];
  for (int buffer : bound.awaited)
    memory_.storages[static_cast<std::size_t>(buffer)]->wait();
  if (const auto* kernel = std::get_if<KernelWork>(&step.work)) {
    run_kernel(*kernel, bound);
  } else if (const auto* product = std::get_if<ProductWork>(&step.work)) {
    run_product(*product, *bound.device);
  } else if (const auto* convolution = std::get_if<ConvolutionWork>(&step.work)) {
    run_convolution(*convolution, *bound.device);
  } else if (const auto* copy = std::get_if<CopyWork>(&step.work)) {
    run_copy(*copy, *bound.device);
  } else if (const auto* rows = std::get_if<RowsWork>(&step.work)) {
    run_rows(*rows, bound);
  } else {
    run_host(std::get<HostWork>(step.work));
  }
}

void Specialised::run_kernel(const KernelWork& work, const BoundStep& bound) {
  // Loops over nothing have nothing to store; folds of nothing store their identity.
  if (work.nest.folds.empty() && elements(work.nest.extents) == 0) return;
  if (bound.launches.empty()) {
    std::vector<void*> addresses;
    for (int buffer : bound.buffers) {
      addresses.push_back(memory_.addresses[static_cast<std::size_t>(buffer)]);
    }
    interpret(work, addresses);
    return;
  }
  for (const BoundStep::OneLaunch& l : bound.launches) {
    bound.device->launch(*l.kernel, l.launch, bound.arguments.data(), nullptr);
  }
}

MatrixProduct Specialised::product_of(const ProductWork& work) const {
  const auto address = [&](const Located& at) {
    return static_cast<char*>(memory_.addresses[static_cast<std::size_t>(at.buffer)]) +
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
  return product;
}

void Specialised::run_product(const ProductWork& work, Device& device) {
  device.multiply(product_of(work), nullptr);
}

void Specialised::run_convolution(const ConvolutionWork& work, Device& device) {
  const auto address = [&](int buffer) {
    return buffer < 0 ? nullptr : memory_.addresses[static_cast<std::size_t>(buffer)];
  };
  const ConvolutionMemory memory{
      address(work.first.buffer),
      address(work.second.buffer),
      address(work.made.buffer),
      address(work.workspace),
  };
  try {
    device.convolve(*work.how, memory, nullptr);
  } catch (Error& error) {
    error.at(work.node->origin())
        .note("in " + print_name(*work.node) + " of '" + context_.name + "'");
    throw;
  }
}

/// Parts one after the other while the loop has no kernel yet.
void Specialised::run_rows(const RowsWork& work, const BoundStep& bound) {
  if (bound.launches.empty()) {
    run_product(work.product, *bound.device);
    run_kernel(work.loop, bound);
    if (work.back) run_product(*work.back, *bound.device);
    return;
  }
  RowPass pass;
  pass.product = product_of(work.product);
  pass.loop = bound.launches[0].kernel;
  pass.arguments = bound.arguments.data();
  pass.by_chunk = work.loop.chunks > 0;
  pass.block = work.block;
  pass.parts = work.parts;
  if (work.back) {
    pass.back = product_of(*work.back);
    pass.partials = memory_.addresses[static_cast<std::size_t>(work.partials)];
  }
  run_row_pass(pass);
  for (std::size_t l = 1; l < bound.launches.size(); ++l) {
    const BoundStep::OneLaunch& finish = bound.launches[l];
    bound.device->launch(*finish.kernel, finish.launch, bound.arguments.data(), nullptr);
  }
}

void Specialised::run_copy(const CopyWork& work, Device& device) {
  const auto from = static_cast<std::size_t>(work.from.buffer);
  const auto to = static_cast<std::size_t>(work.to.buffer);
  const auto bytes =
      static_cast<std::size_t>(elements(work.to.layout.dims) * size_of(work.to.dtype));
  if (bytes == 0) return;
  const auto from_offset = static_cast<std::size_t>(memory_.offsets[from]);
  const auto to_offset = static_cast<std::size_t>(memory_.offsets[to]);
  Storage& target = *memory_.storages[to];
  Storage& source = *memory_.storages[from];
  if (plan_.buffers[from].place.on_host()) {
    device.copy_in(target, to_offset, memory_.addresses[from], bytes, nullptr);
  } else if (&source == &target) {
    device.mark_written(target, nullptr);  // see write_through.h
  } else if (plan_.buffers[to].place.on_host()) {
    device.copy_out(target, to_offset, source, from_offset, bytes, nullptr);
  } else if (plan_.buffers[to].place == plan_.buffers[from].place) {
    device.copy_on(target, to_offset, source, from_offset, bytes, nullptr);
  } else {
    // Between two GPUs: by way of the host, which waits for both.
    const Ref<Storage> between = allocate_host(bytes);
    source.read(from_offset, between->data(), bytes);
    target.write(to_offset, between->data(), bytes);
  }
}

void Specialised::run_host(const HostWork& work) {
  std::vector<Array> in;
  Types types;
  for (const Located& at : work.in) {
    const auto i = static_cast<int>(in.size());
    const Array* decided =
        context_.data_sizes ? context_.data_sizes->decided(*work.node, i) : nullptr;
    in.push_back(decided ? *decided : array_of(at));
  }
  for (const Located& at : work.out)
    types.emplace_back(at.dtype, at.layout.dims);
  std::vector<Array> out;
  try {
    out = work.node->op().eval(EvalCall{work.node->op(), work.node->attrs(), in, types});
  } catch (Error& error) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      error.with(describe(
          work.node->input(static_cast<int>(i)), in[i].type(), "input " + std::to_string(i)));
    }
    error.at(work.node->origin())
        .note("in " + print_name(*work.node) + " of '" + context_.name + "'");
    throw;
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    copy_elements(out[i], array_of(work.out[i]));
}

}  // namespace hypatia
