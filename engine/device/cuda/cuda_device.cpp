#include "engine/device/cuda/cuda_device.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/device/cuda/blas.h"
#include "engine/device/cuda/convolution.h"
#include "engine/device/cuda/plain_product.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

CUdeviceptr at(const Storage& storage, std::size_t offset) {
  return reinterpret_cast<CUdeviceptr>(storage.data()) + offset;
}

char* host_address(const Storage& storage, std::size_t offset) {
  return static_cast<char*>(storage.data()) + offset;
}

}  // namespace

CudaDevice::CudaDevice(
    const Driver& driver,
    CUdevice device,
    CUcontext context,
    DeviceInfo info,
    Place place,
    CudaSettings settings)
    : Device(place),
      info_(std::move(info)),
      settings_(std::move(settings)),
      context_(driver, device, context, info_.name),
      default_reference_(new CudaQueue(context_, nullptr)),
      default_queue_(static_cast<CudaQueue*>(default_reference_.get())),
      memory_(context_, *this, place, settings_),
      pinned_(context_),
      staging_(context_) {}

CudaDevice::~CudaDevice() {
  context_.try_use();
  context_.driver().synchronize();
}

Ref<Module> CudaDevice::compile(const KernelSource& source) {
  const Capability capability{info_.capability_major, info_.capability_minor};
  KernelSource with_options = source;
  for (const std::string& option : settings_.options) {
    const auto& own = source.options;
    if (std::find(own.begin(), own.end(), option) == own.end()) {
      with_options.options.push_back(option);
    }
  }
  const CudaBinary binary = compile_for(with_options, capability, settings_.kernel_folder);
  return Ref<Module>(new CudaModule(context_, source, binary));
}

CUstream CudaDevice::stream_of(const CudaQueue& queue) const {
  const Capturing& capturing = this_threads_capture();
  return capturing.queue == &queue ? capturing.stream : queue.stream();
}

CudaReplay* CudaDevice::capture_on(const CudaQueue& queue) const {
  const Capturing& capturing = this_threads_capture();
  if (capturing.queue != &queue) return nullptr;
  return static_cast<CudaReplay*>(capturing.replay.get());
}

void CudaDevice::submit_kernel(
    const CudaKernel& kernel, const Launch& launch, void* const* args, CUstream stream) {
  kernel.allow_shared(launch.shared_bytes);
  const CUresult result = context_.driver().launch(
      kernel.function(),
      launch.grid[0],
      launch.grid[1],
      launch.grid[2],
      launch.block[0],
      launch.block[1],
      launch.block[2],
      launch.shared_bytes,
      stream,
      const_cast<void**>(args),
      nullptr);
  if (result == CUDA_ERROR_INVALID_VALUE) kernel.explain(launch);
  context_.check_launch(result, kernel.kept_name());
  context_.launched(kernel.kept_name());
}

void CudaDevice::launch(
    const Kernel& kernel, const Launch& launch, void* const* args, Queue* queue) {
  context_.use();
  const auto& entry = static_cast<const CudaKernel&>(kernel);
  CudaQueue& target = resolve(queue);
  const CUstream stream = stream_of(target);
  submit_kernel(entry, launch, args, stream);
  if (CudaReplay* replay = capture_on(target)) {
    replay->captured_launch(stream, entry);
  } else if (context_.blocking()) {
    context_.check_launch(context_.driver().synchronize_stream(stream), entry.kept_name());
  }
}

void CudaDevice::multiply(const MatrixProduct& product, Queue* queue) {
  if (product.m == 0 || product.n == 0 || product.batches == 0) return;
  context_.use();
  CudaQueue& target = resolve(queue);
  const ColumnMajor form = column_major(product);
  if (!form.possible) {
    multiply_plainly(product, target);
    return;
  }
  const std::lock_guard lock(target.blas_mutex);
  if (!target.blas) target.blas = std::make_unique<BlasHandle>(context_, settings_.tf32);
  target.blas->multiply(product, form, stream_of(target));
}

void CudaDevice::multiply_plainly(const MatrixProduct& product, CudaQueue& queue) {
  {
    const std::lock_guard lock(products_mutex_);
    if (!products_) products_ = compile(plain_product_source());
  }
  PlainProduct plain(product);
  const auto& kernel = static_cast<const CudaKernel&>(products_->find(plain.entry()));
  submit_kernel(kernel, plain.launch(), plain.arguments(), stream_of(queue));
}

FoundConvolution CudaDevice::convolution(const Convolution& wanted) {
  const std::string_view algorithm = configured_algorithm(wanted.makes);
  const std::lock_guard lock(convolutions_mutex_);
  const auto known = convolutions_.find({wanted, algorithm});
  if (known != convolutions_.end()) return known->second;
  const cudnn::FoundCalls found = cudnn::find_calls();
  if (!found.calls) return {nullptr, found.reason};
  return convolutions_.emplace(std::pair(wanted, algorithm), ask_cudnn(wanted, algorithm))
      .first->second;
}

FoundConvolution CudaDevice::ask_cudnn(const Convolution& wanted, std::string_view algorithm) {
  constexpr std::int64_t much = std::int64_t{1} << 30U;
  const auto allowed = static_cast<std::int64_t>(settings_.memory_limit);
  const std::int64_t sixteenth = (allowed > 0 ? allowed : info_.limits.memory_bytes) / 16;
  AlgorithmLimits limits;
  limits.wanted = algorithm;
  // float64 has no shorter form that tensor cores could round it to.
  limits.fma_only = wanted.dtype == DType::float32 && !settings_.tf32;
  limits.most_workspace = static_cast<std::size_t>(std::min(much, sixteenth));
  context_.use();
  const WorkOwner starts("library", "cuDNN");
  try {
    const std::lock_guard lock(default_queue_->dnn_mutex);
    if (!default_queue_->dnn) default_queue_->dnn = std::make_unique<CudnnHandle>(context_);
    return {
        Ref<const LibraryConvolution>(new CudnnConvolution(wanted, *default_queue_->dnn, limits)),
        "",
    };
  } catch (const Error& error) {
    return {nullptr, error.summary()};
  }
}

void CudaDevice::convolve(
    const LibraryConvolution& how, const ConvolutionMemory& memory, Queue* queue) {
  context_.use();
  CudaQueue& target = resolve(queue);
  const CUstream stream = stream_of(target);
  {
    const std::lock_guard lock(target.dnn_mutex);
    if (!target.dnn) target.dnn = std::make_unique<CudnnHandle>(context_);
    target.dnn->aim(stream);
    static_cast<const CudnnConvolution&>(how).submit(*target.dnn, memory);
  }
  if (!context_.blocking() || capture_on(target)) return;
  context_.check(context_.driver().synchronize_stream(stream), "a convolution");
}

void CudaDevice::copied(CudaQueue& queue, CUstream stream) {
  if (CudaReplay* replay = capture_on(queue)) {
    replay->captured_copy(stream);
  } else if (context_.blocking()) {
    queue.synchronize();
  }
}

void CudaDevice::copy_in(
    Storage& to, std::size_t to_offset, const void* from, std::size_t bytes, Queue* queue) {
  if (bytes == 0) return;
  context_.use();
  CudaQueue& target = resolve(queue);
  const CUstream stream = stream_of(target);
  const bool capturing = capture_on(target) != nullptr;
  const Ref<Storage> pinned = pinned_.find(from, bytes);
  if (!pinned && !capturing) {
    staging_.copy_in(at(to, to_offset), from, bytes, stream);
    return;
  }
  context_.check(
      context_.driver().copy_in(at(to, to_offset), from, bytes, stream), "a copy to the device");
  // The bytes stay reserved, and wait() keeps their owner from changing them, until they are read.
  if (pinned && !capturing) pinned_.own(*pinned)->mark(stream);
  copied(target, stream);
}

void CudaDevice::copy_out(
    Storage& to,
    std::size_t to_offset,
    Storage& from,
    std::size_t from_offset,
    std::size_t bytes,
    Queue* queue) {
  if (bytes == 0) return;
  context_.use();
  CudaQueue& target = resolve(queue);
  const CUstream stream = stream_of(target);
  const bool capturing = capture_on(target) != nullptr;
  PinnedStorage* pinned = pinned_.own(to);
  char* address = host_address(to, to_offset);
  if (!pinned && !capturing) {
    staging_.copy_out(address, at(from, from_offset), bytes, stream);
    return;
  }
  context_.check(
      context_.driver().copy_out(address, at(from, from_offset), bytes, stream),
      "a copy to the host");
  if (pinned && !capturing) pinned->mark(stream);
  copied(target, stream);
}

void CudaDevice::copy_on(
    Storage& to,
    std::size_t to_offset,
    Storage& from,
    std::size_t from_offset,
    std::size_t bytes,
    Queue* queue) {
  if (bytes == 0) return;
  context_.use();
  CudaQueue& target = resolve(queue);
  const CUstream stream = stream_of(target);
  context_.check(
      context_.driver().copy(at(to, to_offset), at(from, from_offset), bytes, stream),
      "a copy on the device");
  copied(target, stream);
}

void CudaDevice::fill(
    Storage& to, std::size_t offset, std::uint8_t value, std::size_t bytes, Queue* queue) {
  if (bytes == 0) return;
  context_.use();
  context_.check(
      context_.driver().fill(at(to, offset), value, bytes, stream_of(resolve(queue))), "a fill");
}

void CudaDevice::mark_written(Storage& to, Queue* queue) {
  context_.use();
  CudaQueue& target = resolve(queue);
  PinnedStorage* pinned = pinned_.own(to);
  if (pinned && !capture_on(target)) pinned->mark(target.stream());
}

void CudaDevice::read_device(const void* from, void* to, std::size_t bytes) {
  const WorkOwner owner("an array", "");
  settle();
  staging_.copy_out(to, reinterpret_cast<CUdeviceptr>(from), bytes, default_queue_->stream());
}

void CudaDevice::write_device(void* to, const void* from, std::size_t bytes) {
  const WorkOwner owner("an array", "");
  settle();
  staging_.copy_in(reinterpret_cast<CUdeviceptr>(to), from, bytes, default_queue_->stream());
  default_queue_->synchronize();
}

Ref<Queue> CudaDevice::make_queue() {
  // What the pool hands out from here on may be used on the new queue, so that work on memory that
  // was freed before must be done.
  default_queue_->synchronize();
  return Ref<Queue>(new CudaQueue(context_, &side_));
}

Ref<Marker> CudaDevice::record(Queue* queue) {
  return Ref<Marker>(new CudaMarker(context_, stream_of(resolve(queue))));
}

void CudaDevice::wait(Queue* queue, Marker& marker) {
  context_.use();
  context_.check(
      context_.driver().wait_event(
          stream_of(resolve(queue)), static_cast<CudaMarker&>(marker).event(), 0),
      "ordering queues");
}

void CudaDevice::synchronize() {
  default_queue_->synchronize();
  for (CUstream stream : side_.all())
    context_.check(context_.driver().synchronize_stream(stream), "waiting for a queue");
}

void CudaDevice::begin_capture(Queue* queue) {
  Capturing& capturing = this_threads_capture();
  if (capturing.queue) internal_error("this thread captures already");
  context_.use();
  const Driver& driver = context_.driver();
  CUstream stream = nullptr;
  context_.check(driver.create_stream(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
  const CUresult result = driver.begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (result != CUDA_SUCCESS) driver.destroy_stream(stream);
  context_.check(result, "beginning a capture");
  capturing = {&resolve(queue), stream, Ref<Replay>(new CudaReplay(context_))};
}

Ref<Replay> CudaDevice::end_capture(Queue* queue) {
  Capturing& capturing = this_threads_capture();
  if (capturing.queue != &resolve(queue)) internal_error("this thread does not capture this queue");
  context_.use();
  const Capturing done = std::exchange(capturing, {});
  auto& replay = static_cast<CudaReplay&>(*done.replay);
  try {
    replay.finish(done.stream);
  } catch (...) {
    context_.driver().destroy_stream(done.stream);
    throw;
  }
  context_.driver().destroy_stream(done.stream);
  count_capture();
  return done.replay;
}

void CudaDevice::submit(Replay& replay, Queue* queue) {
  context_.use();
  CudaQueue& target = resolve(queue);
  static_cast<CudaReplay&>(replay).submit(target.stream());
  count_submission();
  if (context_.blocking()) target.synchronize();
}

}  // namespace hypatia
