#pragma once
// C of single values in a dialect: type names, literals, and the lines of a scalar program.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/ops/composite.h"

namespace hypatia {

/// "float", "long", "unsigned char": a dtype's type. int64 is `long` on the host and `long long`
/// in CUDA C.
std::string_view type_name(DType dtype, Dialect dialect);
/// A constant that reads back to the same value: "0.5f", "3L", "(1.0f / 0.0f)".
std::string literal_text(const Array& value, Dialect dialect);
/// The value converted: "(float)v3", or "v3" if it has that dtype.
std::string converted(const std::string& value, DType from, DType to, Dialect dialect);

/// Names of helper functions that emitted text calls; the module's prelude defines them.
using Helpers = std::set<std::string, std::less<>>;

/// An op's scalar text with operands filled in; math names and numbers are spelled for `dtype`.
std::string spelled(
    std::string_view text,
    const std::vector<std::string>& operands,
    DType dtype,
    Dialect dialect,
    Helpers* helpers);

/// The line "float v3 = expf(v2);" of the program's next step: `values` are the texts of all values
/// before it, and gets its own.
std::string next_line(
    const ScalarProgram& program,
    std::string_view indent,
    Dialect dialect,
    std::vector<std::string>* values,
    Helpers* helpers);

/// The lines of all of a program's steps. `inputs` are the texts of its inputs;
/// the texts of all values come back in `values`.
std::string program_lines(
    const ScalarProgram& program,
    const std::vector<std::string>& inputs,
    std::string_view indent,
    Dialect dialect,
    std::vector<std::string>* values,
    Helpers* helpers);

/// Definitions of the helpers used, for the head of a module.
std::string prelude(const Helpers& helpers, Dialect dialect);

}  // namespace hypatia
