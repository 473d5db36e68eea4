#include "engine/run/raw/device_array.h"

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/run/raw/gpu.h"
#include "engine/trace/device_hooks.h"

namespace hypatia::cuda {

namespace {

Array array_in(const Ref<Storage>& storage, DType dtype, const Dims& dims) {
  Dims strides = row_major(dims);
  for (std::int64_t& s : strides)
    s *= size_of(dtype);
  return Array(storage, dtype, dims, strides, 0);
}

std::size_t bytes_of(DType dtype, const Dims& dims) {
  return static_cast<std::size_t>(elements(dims)) * static_cast<std::size_t>(size_of(dtype));
}

void require_alike(const Array& from, const Array& to) {
  if (from.dtype() == to.dtype() && from.dims() == to.dims()) {
    if (from.contiguous() && to.contiguous()) return;
    throw Error(
        Error::Kind::shape,
        "copy wants row-major arrays without gaps",
        "take a.copy() of a view first");
  }
  throw Error(
      Error::Kind::shape,
      "copy wants two arrays of one dtype and one shape",
      "make the target like the source, or convert with astype")
      .with({"from", brief(from.type()), "", {}})
      .with({"to", brief(to.type()), "", {}});
}

}  // namespace

Array empty(DType dtype, const Dims& dims, const std::string& target) {
  return array_in(gpu(target).allocate(bytes_of(dtype, dims)), dtype, dims);
}

Array zeros(DType dtype, const Dims& dims, const std::string& target) {
  const Heard heard;
  const WorkOwner owner("an array", "");
  Array all = empty(dtype, dims, target);
  gpu(target).fill(*all.storage(), 0, 0, all.bytes(), nullptr);
  return all;
}

Array pinned(DType dtype, const Dims& dims) {
  return array_in(gpu("").allocate_pinned(bytes_of(dtype, dims)), dtype, dims);
}

Array to_device(const Array& value, const std::string& target) {
  const Array here = asarray(value).contiguous_on_host();
  Array there = empty(here.dtype(), here.dims(), target);
  copy(here, there);
  return there;
}

void copy(const Array& from, const Array& to, const Stream& stream) {
  require_alike(from, to);
  const Heard heard;
  const WorkOwner owner("an array", "");
  const auto start = [](const Array& a) { return static_cast<std::size_t>(a.offset()); };
  if (from.on_host() && to.on_host()) return copy_elements(from, to);
  Device& device = device_at(to.on_host() ? from.place() : to.place());
  if (from.on_host()) {
    from.sync();
    device.copy_in(*to.storage(), start(to), from.address(), from.bytes(), stream.queue());
  } else if (to.on_host()) {
    device.copy_out(
        *to.storage(), start(to), *from.storage(), start(from), from.bytes(), stream.queue());
  } else if (from.place() == to.place()) {
    device.copy_on(
        *to.storage(), start(to), *from.storage(), start(from), from.bytes(), stream.queue());
  } else {
    copy(asarray(from), to, stream);
  }
}

}  // namespace hypatia::cuda
