#pragma once
// The mathematical functions in host C: which one is called for a dtype, and the text that declares
// or defines it. No header is included by generated code, so that it compiles fast.

#include <span>
#include <string>
#include <string_view>

#include "engine/core/dtype.h"

namespace hypatia {

/// Where a function's code comes from.
enum class MathSource {
  own,       // plain C in the kernel's file, without branches: the compiler vectorises it
  vector,    // glibc's libmvec, by the simd attribute on a prototype
  scalar,    // the C library, one element a call
  hardware,  // an instruction
};

/// One function of one dtype.
struct HostMath {
  std::string_view function;    // "exp"
  DType dtype;                  // float32 or float64
  std::string_view identifier;  // "hy_expf"
  int arity = 1;
  MathSource source = MathSource::scalar;
  int ulp = 1;  // the largest error measured, in units in the last place, rounded up
};

/// Every function and dtype that host C can spell.
std::span<const HostMath> host_math();

/// The C identifier to call for a function of that dtype: ("exp", float32) gives "hy_expf". Throws
/// Error of kind compile on a function or dtype that isn't there.
std::string_view host_spelling(std::string_view function, DType dtype);

/// Declarations and definitions of these identifiers and all that they use, each once. With
/// `has_libmvec` false they call the scalar C library where they would call libmvec.
std::string host_prelude(std::span<const std::string_view> identifiers, bool has_libmvec = true);

}  // namespace hypatia
