#pragma once
// Makes a launch's arguments fit a kernel's parameters, or says why they don't.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/device/kernel.h"
#include "engine/run/raw/argument.h"
#include "engine/run/raw/signature.h"

namespace hypatia::cuda {

/// Throws Error unless there are as many arguments as parameters and each fits its own: arrays of
/// the dtype that a pointer points to and on `place` or on the host, numbers that the type holds.
void check_arguments(
    const std::string& kernel,
    std::span<const Parameter> parameters,
    std::span<const Argument> arguments,
    Place place);

/// A number as the bytes that a parameter of this type reads; the check has passed.
std::array<std::byte, 8> bytes_of_number(const Argument& argument, DType dtype);

/// Grid, block and shared memory as devices take them. Throws Error on more than three sizes, on
/// sizes below 1 and on ones that no device can count; the device itself knows its own limits.
Launch launch_of(const Sizes& grid, const Sizes& block, std::int64_t shared_bytes);

}  // namespace hypatia::cuda
