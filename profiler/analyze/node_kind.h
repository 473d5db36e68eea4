#pragma once
// What a node is, wherever it runs, and whose a function is.

#include <string>

#include "engine/trace/records.h"

namespace hypatia {

/// The op without what says where or how it runs: "gemm" for CGemv{inplace} and
/// GpuGemm{no_inplace}.
std::string kind_of(const NodeRecord& node);

/// "(float32, (False,))" for "TensorType(float32, vector)" and "GpuArrayType<None>(float32,
/// (False,))", which hold the same values. A text that is no type stays as it is.
std::string values_of(const std::string& type);

/// True for functions that the engine compiles for its own checks: those of verify_grad and
/// check_op.
bool is_the_engines(const FunctionRecord& function);

}  // namespace hypatia
