// The C functions of hypatia_array.h: each is one of Array's, with errors as text.
#include <atomic>
#include <cstring>
#include <string>

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/expr/leaves.h"
#include "engine/include/hypatia_array.h"
#include "engine/ops/transfer.h"
#include "engine/run/dlpack.h"
#include "engine/run/start_up.h"

struct hypatia_array {
  hypatia::Array value;
  std::atomic<int> owners{1};
};

namespace {

using hypatia::Array;
using hypatia::Dims;

std::string& last_error() {
  static thread_local std::string text;
  return text;
}

/// What `make` gives, or `failed` with the error kept.
template <class Make>
auto guarded(Make make, decltype(make()) failed) {
  try {
    last_error().clear();
    return make();
  } catch (const std::exception& error) {
    last_error() = error.what();
    return failed;
  }
}

template <class Make>
hypatia_array* made(Make make) {
  return guarded([&] { return new hypatia_array{make()}; }, nullptr);
}

Dims dims_of(int rank, const std::int64_t* dims) {
  if (rank < 0 || rank > hypatia::max_rank) {
    throw hypatia::Error(
        hypatia::Error::Kind::shape, "an array can't have " + std::to_string(rank) + " axes");
  }
  Dims out;
  for (int axis = 0; axis < rank; ++axis)
    out.push_back(dims[axis]);
  return out;
}

hypatia::DType dtype_named(const char* name) {
  return hypatia::DTypeChoice(name).dtype;
}

hypatia::Place place_of(const char* name) {
  if (!name) return hypatia::host;
  if (!*name) return hypatia::default_place();
  return hypatia::open_place(hypatia::place_named(name));
}

Array on(const Array& value, hypatia::Place place) {
  return hypatia::on_place(value, place);
}

}  // namespace

extern "C" {

hypatia_array* hypatia_array_new(
    const char* dtype, int rank, const int64_t* dims, const char* place) {
  return made([&] {
    const hypatia::Place at = place_of(place);
    const Array here(dtype_named(dtype), dims_of(rank, dims));
    if (at.on_host()) return here;
    const auto storage = hypatia::device_at(at).allocate(here.bytes());
    return Array(storage, here.dtype(), here.dims(), here.strides(), 0);
  });
}

hypatia_array* hypatia_array_of(
    const void* data, const char* dtype, int rank, const int64_t* dims, const char* place) {
  return made([&] {
    const Array here(dtype_named(dtype), dims_of(rank, dims));
    if (here.bytes() > 0) std::memcpy(here.address(), data, here.bytes());
    return on(here, place_of(place));
  });
}

hypatia_array* hypatia_array_retain(hypatia_array* array) {
  ++array->owners;
  return array;
}

void hypatia_array_release(hypatia_array* array) {
  if (array && --array->owners == 0) delete array;
}

const char* hypatia_array_dtype(const hypatia_array* array) {
  return hypatia::name(array->value.dtype()).data();
}

int hypatia_array_rank(const hypatia_array* array) {
  return array->value.rank();
}

const int64_t* hypatia_array_dims(const hypatia_array* array) {
  return array->value.dims().begin();
}

const int64_t* hypatia_array_strides(const hypatia_array* array) {
  return array->value.strides().begin();
}

void* hypatia_array_data(const hypatia_array* array) {
  return array->value.address();
}

int hypatia_array_on_host(const hypatia_array* array) {
  return array->value.on_host() ? 1 : 0;
}

hypatia_array* hypatia_array_slice(
    const hypatia_array* array, int axis, int64_t first, int64_t last, int64_t step) {
  return made([&] { return array->value.slice(axis, first, last, step); });
}

hypatia_array* hypatia_array_transpose(const hypatia_array* array) {
  return made([&] { return array->value.transpose(); });
}

hypatia_array* hypatia_array_to(const hypatia_array* array, const char* place) {
  return made([&] { return on(array->value, place_of(place)); });
}

int hypatia_array_read(const hypatia_array* array, void* to, size_t bytes) {
  const auto read = [&] {
    const Array here = hypatia::asarray(array->value).contiguous_on_host();
    if (bytes < here.bytes()) {
      throw hypatia::Error(
          hypatia::Error::Kind::value,
          "the array has " + std::to_string(here.bytes()) + " bytes, and there is room for " +
              std::to_string(bytes));
    }
    here.sync();
    if (here.bytes() > 0) std::memcpy(to, here.address(), here.bytes());
    return 0;
  };
  return guarded(read, 1);
}

int hypatia_array_sync(const hypatia_array* array) {
  const auto sync = [&] {
    array->value.sync();
    return 0;
  };
  return guarded(sync, 1);
}

size_t hypatia_array_text(const hypatia_array* array, char* to, size_t size) {
  const auto print = [&] {
    const std::string text = hypatia::to_text(hypatia::asarray(array->value));
    if (size > 0) {
      const std::size_t kept = text.size() < size ? text.size() : size - 1;
      std::memcpy(to, text.data(), kept);
      to[kept] = '\0';
    }
    return text.size();
  };
  return guarded(print, std::size_t{0});
}

void* hypatia_array_to_dlpack(const hypatia_array* array) {
  const auto give = [&]() -> void* { return hypatia::to_dlpack(array->value); };
  return guarded(give, nullptr);
}

hypatia_array* hypatia_array_from_dlpack(void* managed_tensor) {
  return made(
      [&] { return hypatia::from_dlpack(static_cast<hypatia::DlManagedTensor*>(managed_tensor)); });
}

const char* hypatia_error(void) {
  return last_error().c_str();
}

}  // extern "C"
