#pragma once
// The formulas by which a simulated card takes its time. Pure functions of a sheet: the same launch
// takes the same time in every run and on every machine.

#include <cstdint>

#include "engine/device/kernel.h"
#include "engine/device/library.h"
#include "engine/device/sim/sheet.h"

namespace hypatia::sim {

/// Seconds on the device of one kernel with this shape, these flops and bytes.
double kernel_seconds(const Sheet& sheet, const Launch& launch, bool f64 = false);
/// Seconds on the device of a library's matrix product.
double product_seconds(const Sheet& sheet, const MatrixProduct& product);

/// Where the host's end of a copy lies.
enum class HostMemoryKind : std::uint8_t { pageable, pinned };

/// Seconds that a copy's bytes take on the link.
double copy_in_seconds(const Sheet& sheet, std::size_t bytes, HostMemoryKind from);
double copy_out_seconds(const Sheet& sheet, std::size_t bytes, HostMemoryKind to);
/// Seconds that the host needs to move a pageable copy's bytes to page-locked memory, or from
/// there.
double staging_in_seconds(const Sheet& sheet, std::size_t bytes);
double staging_out_seconds(const Sheet& sheet, std::size_t bytes);
/// Within the device: every byte is read and written.
double copy_on_seconds(const Sheet& sheet, std::size_t bytes);
double fill_seconds(const Sheet& sheet, std::size_t bytes);

/// The share of the card's multiprocessors that a launch occupies, in (0, 1].
double occupied_share(const Sheet& sheet, const Launch& launch);

}  // namespace hypatia::sim
