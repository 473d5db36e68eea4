#include "engine/run/dlpack.h"

#include <memory>
#include <vector>

#include "engine/core/contexts.h"
#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/run/start_up.h"

namespace hypatia {

namespace {

constexpr std::int32_t on_cpu = 1, on_cuda = 2, pinned_for_cuda = 3;

enum Code : std::uint8_t { signed_code = 0, unsigned_code = 1, float_code = 2, bool_code = 6 };

DlDType dl_dtype(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  if (dtype == DType::boolean) return {bool_code, bits, 1};
  if (is_float(dtype)) return {float_code, bits, 1};
  const std::string_view word = name(dtype);
  return {word.front() == 'u' ? unsigned_code : signed_code, bits, 1};
}

DType dtype_from(const DlDType& dtype) {
  if (dtype.lanes == 1) {
    for (int d = 0; d < dtype_count; ++d) {
      const auto candidate = static_cast<DType>(d);
      const DlDType known = dl_dtype(candidate);
      if (known.code == dtype.code && known.bits == dtype.bits) return candidate;
    }
  }
  throw Error(
      Error::Kind::dtype,
      "a DLPack tensor has elements of code " + std::to_string(dtype.code) + " with " +
          std::to_string(dtype.bits) + " bits in " + std::to_string(dtype.lanes) +
          " lanes, which no dtype here is",
      "convert it to a bool, an integer, float32 or float64 first");
}

/// The number behind "cuda", or -1.
int cuda_number(const std::string& device) {
  if (device.rfind("cuda", 0) != 0) return -1;
  return device.size() == 4 ? 0 : std::atoi(device.c_str() + 4);
}

DlDevice device_of_array(const Array& array) {
  if (array.on_host()) return {on_cpu, 0};
  const DeviceInfo& info = device_at(array.place()).info();
  const int number = info.simulated ? -1 : cuda_number(info.name);
  if (number >= 0) return {on_cuda, number};
  throw Error(
      Error::Kind::device,
      "the array lies on " + info.name + " (" + info.model +
          "), whose memory other libraries can't read",
      "hand out asarray(a), its copy on the host");
}

Place place_of(const DlDevice& device) {
  if (device.type == on_cpu || device.type == pinned_for_cuda) return host;
  if (device.type == on_cuda) {
    for (int context = 0; context <= named_contexts(); ++context) {
      const Place place{static_cast<std::int8_t>(context)};
      if (cuda_number(device_of(place)) == device.id) return open_place(place);
    }
  }
  throw Error(
      Error::Kind::device,
      "a DLPack tensor lies on device " + std::to_string(device.id) + " of kind " +
          std::to_string(device.type) + ", which is not in use here",
      "copy it to the host, or set HYPATIA_FLAGS=device=cuda" + std::to_string(device.id));
}

/// What keeps an array alive for a tensor.
struct Exported {
  DlManagedTensor tensor;
  Array array;
  std::vector<std::int64_t> shape, strides;
};

/// Memory that a tensor owns.
class Imported final : public Storage {
 public:
  Imported(DlManagedTensor* tensor, std::size_t bytes, Place place)
      : Storage(tensor->dl_tensor.data, bytes, place), tensor_(tensor) {}

  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;

  ~Imported() override {
    if (tensor_->deleter) tensor_->deleter(tensor_);
  }

  void wait() override {
    if (!place_.on_host()) device_at(place_).synchronize();
  }

  void read(std::size_t offset, void* to, std::size_t bytes) override {
    if (place_.on_host()) return Storage::read(offset, to, bytes);
    wait();
    const Ref<Storage> target = borrow_host(to, bytes);
    device_at(place_).copy_out(*target, 0, *this, offset, bytes, nullptr);
  }

  void write(std::size_t offset, const void* from, std::size_t bytes) override {
    if (place_.on_host()) return Storage::write(offset, from, bytes);
    device_at(place_).copy_in(*this, offset, from, bytes, nullptr);
    wait();
  }

 private:
  DlManagedTensor* tensor_;
};

}  // namespace

DlManagedTensor* to_dlpack(const Array& array) {
  auto exported = std::make_unique<Exported>();
  DlTensor& tensor = exported->tensor.dl_tensor;
  tensor.device = device_of_array(array);
  array.sync();
  exported->array = array;
  for (int axis = 0; axis < array.rank(); ++axis) {
    exported->shape.push_back(array.dims()[axis]);
    exported->strides.push_back(array.strides()[axis] / size_of(array.dtype()));
  }
  // The address of the first element: with it, views that run backwards need no negative offset.
  tensor.data = array.address();
  tensor.ndim = array.rank();
  tensor.dtype = dl_dtype(array.dtype());
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  exported->tensor.manager_ctx = exported.get();
  exported->tensor.deleter = [](DlManagedTensor* self) {
    delete static_cast<Exported*>(self->manager_ctx);
  };
  return &exported.release()->tensor;
}

Array from_dlpack(DlManagedTensor* managed) {
  const DlTensor& tensor = managed->dl_tensor;
  const DType dtype = dtype_from(tensor.dtype);
  if (tensor.ndim < 0 || tensor.ndim > max_rank) {
    throw Error(
        Error::Kind::shape,
        "a DLPack tensor has " + std::to_string(tensor.ndim) + " axes; arrays here have at most " +
            std::to_string(max_rank));
  }
  const Place place = place_of(tensor.device);
  Dims dims, strides;
  std::int64_t end = size_of(dtype);
  for (int axis = 0; axis < tensor.ndim; ++axis)
    dims.push_back(tensor.shape[axis]);
  strides = row_major(dims);
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.strides) strides[axis] = tensor.strides[axis];
    strides[axis] *= size_of(dtype);
    if (strides[axis] > 0) end += strides[axis] * (dims[axis] - 1);
  }
  const auto offset = static_cast<std::int64_t>(tensor.byte_offset);
  const Ref<Storage> storage(new Imported(managed, static_cast<std::size_t>(offset + end), place));
  return Array(storage, dtype, dims, strides, offset);
}

}  // namespace hypatia
