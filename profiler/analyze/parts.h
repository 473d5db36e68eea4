#pragma once
// The parts that a node's time is made of, and the three sides that they add up to.

#include <array>
#include <cstddef>

#include "engine/trace/event.h"
#include "engine/trace/records.h"

namespace hypatia {

enum class Part : std::uint8_t {
  own,       // the host's own work: on the cpu device all of it, on a GPU preparing the launch
  launch,    // the driver's calls that submit
  copy_in,   // host to device
  copy_out,  // device to host
  copy_on,   // device to device
  kernel,    // on the device, memory fills included
  queue,     // submitted, but the device was busy with earlier work
  sync,      // the host waited for a device
  compile,
};

inline constexpr std::size_t part_count = 9;

/// "host", "launch", "copy in", …
const char* name(Part part);

/// Nanoseconds by part.
struct Parts {
  std::array<double, part_count> nanoseconds{};

  double& operator[](Part part) { return nanoseconds[static_cast<std::size_t>(part)]; }

  double operator[](Part part) const { return nanoseconds[static_cast<std::size_t>(part)]; }

  /// Adds `share` of the other's parts.
  void add(const Parts& other, double share = 1);

  /// Work on the host's cores.
  double cpu() const { return (*this)[Part::own] + (*this)[Part::launch]; }

  /// Work on the device's cores.
  double gpu() const { return (*this)[Part::kernel] + (*this)[Part::copy_on]; }

  /// Work on the link between them.
  double transfer() const { return (*this)[Part::copy_in] + (*this)[Part::copy_out]; }

  double side(Side side) const;

  /// Resource time: all work, wherever it ran. Waiting and compiling are not work of a node.
  double total() const { return cpu() + gpu() + transfer(); }
};

/// What the clock on the wall is attributed to; at every moment the first of these that goes on.
enum class Wall : std::uint8_t { kernel, transfer, sync, launch, compile, own, call, outside };

inline constexpr std::size_t wall_count = 8;

const char* name(Wall wall);

/// Nanoseconds of the wall clock by cause; they sum to the time that passed.
struct WallTimes {
  std::array<double, wall_count> nanoseconds{};

  double& operator[](Wall wall) { return nanoseconds[static_cast<std::size_t>(wall)]; }

  double operator[](Wall wall) const { return nanoseconds[static_cast<std::size_t>(wall)]; }

  void add(const WallTimes& other, double share = 1);
  double total() const;
};

/// Where an event of this kind counts on the wall; outside for kinds that don't.
Wall wall_of(EventKind kind);

}  // namespace hypatia
