#pragma once
// SHA-256, the name under which snapshots are kept.

#include <string>
#include <string_view>

namespace hypatia::runner {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace hypatia::runner
