#include "engine/run/interpret.h"

#include <algorithm>
#include <cstring>

#include "engine/emit/emit.h"
#include "engine/ops/reduce.h"

namespace hypatia {

namespace {

constexpr std::int64_t block_size = 1024;

template <class T>
void gather_as(const char* from, std::int64_t stride, std::int64_t n, void* to) {
  const T* in = reinterpret_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = in[i * stride];
}

template <class T>
void scatter_as(const void* from, char* to, std::int64_t stride, std::int64_t n) {
  const T* in = static_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  for (std::int64_t i = 0; i < n; ++i)
    out[i * stride] = in[i];
}

/// Calls f with an unsigned integer of an element's size.
template <class F>
void by_size(int size, F f) {
  switch (size) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

/// Values of n elements in another dtype.
void convert(const void* from, DType from_dtype, void* to, DType to_dtype, std::int64_t n) {
  const auto array = [n](const void* data, DType dtype) {
    const Ref<Storage> storage =
        borrow_host(const_cast<void*>(data), static_cast<std::size_t>(n * size_of(dtype)));
    return Array(storage, dtype, Dims{n}, Dims{size_of(dtype)}, 0);
  };
  copy_elements(array(from, from_dtype), array(to, to_dtype));
}

class Interpreter {
 public:
  Interpreter(const KernelWork& work, std::span<void* const> addresses)
      : nest_(work.nest), buffers_(parameters(work)), addresses_(addresses) {
    const int rank = nest_.extents.rank();
    for (int axis = 0; axis < rank; ++axis) {
      if (!is_reduced(axis)) kept_.push_back(axis);
    }
    order_ = kept_;
    order_.insert(order_.end(), nest_.reduced.begin(), nest_.reduced.end());
    for (std::size_t v = 0; v < nest_.program.inputs.size(); ++v) {
      inputs_.emplace_back(nest_.program.inputs[v], Dims{block_size});
    }
    for (std::size_t i = 0; i < nest_.literals.size(); ++i) {
      fill_literal(nest_.literals[i], inputs_[nest_.loads.size() + i]);
    }
    accumulators_.resize(nest_.folds.size());
    scratch_.resize(static_cast<std::size_t>(block_size));
    add_outputs();
  }

  void run() {
    std::int64_t items = 1;
    for (int axis : kept_)
      items *= nest_.extents[axis];
    const std::size_t kept =
        nest_.folds.empty() && !order_.empty() ? order_.size() - 1 : kept_.size();
    if (nest_.folds.empty()) {
      items = 1;
      for (std::size_t k = 0; k < kept; ++k)
        items *= nest_.extents[order_[k]];
    }
    for (std::int64_t item = 0; item < items; ++item)
      run_item(item, kept);
  }

 private:
  using Index = std::array<std::int64_t, max_rank>;

  bool is_reduced(int axis) const {
    return std::binary_search(nest_.reduced.begin(), nest_.reduced.end(), axis);
  }

  static void fill_literal(const Array& value, const Array& block) {
    const Dims dims{block_size}, still{0};
    copy_elements(Array(value.storage(), value.dtype(), dims, still, value.offset()), block);
  }

  void add_outputs() {
    program_ = nest_.program;
    program_.outputs.clear();
    for (const auto& store : nest_.stores)
      program_.outputs.push_back(store.value);
    for (const auto& fold : nest_.folds)
      program_.outputs.push_back(fold.value);
    for (int value : program_.outputs)
      results_.emplace_back(program_.dtype(value), Dims{block_size});
  }

  void decode(std::int64_t flat, std::size_t begin, std::size_t end, Index* index) const {
    for (std::size_t k = end; k-- > begin;) {
      const std::int64_t size = nest_.extents[order_[k]];
      (*index)[static_cast<std::size_t>(order_[k])] = flat % size;
      flat /= size;
    }
  }

  /// All points that share the first `kept` axes' indices.
  void run_item(std::int64_t item, std::size_t kept) {
    Index index{};
    decode(item, 0, kept, &index);
    for (std::size_t f = 0; f < nest_.folds.size(); ++f) {
      start_fold(nest_.folds[f].kind, nest_.folds[f].accumulator, &accumulators_[f]);
    }
    const int last = order_.empty() ? -1 : order_.back();
    const std::int64_t length = last < 0 ? 1 : nest_.extents[last];
    std::int64_t outer = 1;
    for (std::size_t k = kept; k + 1 < order_.size(); ++k)
      outer *= nest_.extents[order_[k]];
    for (std::int64_t o = 0; o < outer; ++o) {
      if (order_.size() > kept + 1) decode(o, kept, order_.size() - 1, &index);
      for (std::int64_t begin = 0; begin < length; begin += block_size) {
        if (last >= 0) index[static_cast<std::size_t>(last)] = begin;
        run_block(index, last, std::min(block_size, length - begin));
      }
    }
    store_folds(index);
  }

  /// A coordinate's values.
  static void count(
      const Located& at, const Index& index, int axis, std::int64_t n, std::int64_t* to) {
    std::int64_t first = at.layout.offset;
    for (int a = 0; a < at.layout.dims.rank(); ++a)
      first += at.layout.strides[a] * index[static_cast<std::size_t>(a)];
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = first + i * stride_along(at, axis);
  }

  /// Loads elements whose places earlier loads decide; false if none do.
  bool gather(std::size_t load, const Index& index, int axis, std::int64_t n) {
    std::vector<LoopNest::Gather> by;
    for (const LoopNest::Gather& g : nest_.gathers) {
      if (g.load == static_cast<int>(load)) by.push_back(g);
    }
    if (by.empty()) return false;
    const Located& at = nest_.loads[load];
    const char* from = address(at, index, false);
    const std::int64_t size = size_of(at.dtype);
    char* to = static_cast<char*>(inputs_[load].address());
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t place = i * stride_along(at, axis);
      for (const LoopNest::Gather& g : by) {
        const void* moves = inputs_[static_cast<std::size_t>(g.by)].address();
        place += static_cast<const std::int64_t*>(moves)[i] * g.stride;
      }
      std::memcpy(to + i * size, from + place * size, static_cast<std::size_t>(size));
    }
    return true;
  }

  char* address(const Located& at, const Index& index, bool kept_only) const {
    const auto found = std::find(buffers_.begin(), buffers_.end(), at.buffer);
    std::int64_t place = at.layout.offset;
    for (int axis = 0; axis < at.layout.dims.rank(); ++axis) {
      const int nest_axis = kept_only ? kept_[static_cast<std::size_t>(axis)] : axis;
      place += at.layout.strides[axis] * index[static_cast<std::size_t>(nest_axis)];
    }
    return static_cast<char*>(addresses_[static_cast<std::size_t>(found - buffers_.begin())]) +
           place * size_of(at.dtype);
  }

  static std::int64_t stride_along(const Located& at, int axis) {
    return axis < 0 ? 0 : at.layout.strides[axis];
  }

  void run_block(const Index& index, int axis, std::int64_t n) {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (std::size_t i = 0; i < nest_.loads.size(); ++i) {
      const Located& at = nest_.loads[i];
      if (at.buffer < 0) {
        count(at, index, axis, n, static_cast<std::int64_t*>(inputs_[i].address()));
        continue;
      }
      if (gather(i, index, axis, n)) continue;
      by_size(size_of(at.dtype), [&](auto element) {
        gather_as<decltype(element)>(
            address(at, index, false), stride_along(at, axis), n, inputs_[i].address());
      });
    }
    for (const Array& a : inputs_)
      in.push_back(a.address());
    for (const Array& a : results_)
      out.push_back(a.address());
    run_program(program_, in.data(), out.data(), n);
    for (std::size_t s = 0; s < nest_.stores.size(); ++s)
      store(s, index, axis, n);
    for (std::size_t f = 0; f < nest_.folds.size(); ++f) {
      const auto& fold = nest_.folds[f];
      const Array& values = results_[nest_.stores.size() + f];
      convert(values.address(), values.dtype(), scratch_.data(), fold.accumulator, n);
      fold_values(fold.kind, fold.accumulator, scratch_.data(), n, &accumulators_[f]);
    }
  }

  void store(std::size_t s, const Index& index, int axis, std::int64_t n) {
    const Located& to = nest_.stores[s].to;
    convert(results_[s].address(), results_[s].dtype(), scratch_.data(), to.dtype, n);
    by_size(size_of(to.dtype), [&](auto element) {
      scatter_as<decltype(element)>(
          scratch_.data(), address(to, index, false), stride_along(to, axis), n);
    });
  }

  void store_folds(const Index& index) {
    for (std::size_t f = 0; f < nest_.folds.size(); ++f) {
      const auto& fold = nest_.folds[f];
      convert(&accumulators_[f], fold.accumulator, address(fold.to, index, true), fold.to.dtype, 1);
    }
  }

  const LoopNest& nest_;
  std::vector<int> buffers_, kept_, order_;
  std::span<void* const> addresses_;
  ScalarProgram program_;
  std::vector<Array> inputs_, results_;
  std::vector<std::uint64_t> accumulators_, scratch_;
};

}  // namespace

void interpret(const KernelWork& work, std::span<void* const> addresses) {
  if (elements(work.nest.extents) == 0 && work.nest.folds.empty()) return;
  if (work.own) return interpret_own(work, addresses);
  if (work.nest.recurrence) return interpret_recurrence(work, addresses);
  Interpreter(work, addresses).run();
}

}  // namespace hypatia
