#pragma once
// Which records CUPTI is asked for.

#include <array>

#include "profiler/cupti/api.h"

namespace hypatia::cupti {

inline constexpr std::array<Kind, 10> traced_kinds{
    Kind::kernel,
    Kind::memcpy,
    Kind::memcpy_peer,
    Kind::memset,
    Kind::driver,
    Kind::runtime,
    Kind::external_correlation,
    Kind::synchronization,
    Kind::overhead,
    Kind::memory,
};

}  // namespace hypatia::cupti
