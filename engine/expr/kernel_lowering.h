#pragma once
// KernelLowering: an op that brings the text of its own kernel.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/type.h"

namespace hypatia {

struct CostCall;

/// How many threads run a kernel's text.
struct KernelGrid {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;
};

/// A whole number that a kernel's text knows by name.
struct KernelConstant {
  std::string_view name;
  std::int64_t value = 0;
};

/// A kernel in its author's words. The engine writes its head, and these names: x0, x1, … are the
/// inputs and z0, z1, … the outputs (pointers to their first elements); x0_t is an element's type,
/// x0_size the number of elements, x0_dim0, x0_dim1, … and x0_stride0, … (in elements) the layout;
/// index_t is int where that can count the elements of each, else long long (in C: long). On a GPU
/// inputs that decide sizes are left out: their values are the host's.
struct KernelLowering {
  /// Statements of plain C for elements first … last - 1 of z0, which may run on several threads.
  std::string_view host_c = "";
  /// Statements of CUDA C for one thread.
  std::string_view cuda_c = "";
  /// Functions that the statements call, for both dialects: in C __device__ means nothing.
  std::string_view support = "";
  /// More names for the head, by the op's attributes and sizes.
  std::vector<KernelConstant> (*constants)(const CostCall& call) = nullptr;
  /// By default a thread for each element of z0, 256 a block.
  KernelGrid (*grid)(const CostCall& call) = nullptr;
  /// The input over which output 0 is written: z0 begins with its values; -1: none.
  int inplace = -1;
  /// Takes inputs of any strides, negative ones too; else they come row-major without gaps.
  bool strided = false;

  /// True if the op can run on that side by its text.
  bool has_text(Place place) const { return !(place.on_host() ? host_c : cuda_c).empty(); }
};

}  // namespace hypatia
