#pragma once
// The system's C compiler: where it is, how it is called, and its stages when called one by one.

#include <optional>
#include <string>
#include <vector>

namespace hypatia {

/// A compiler as a command, "gcc" or "ccache clang", with the flags for kernels.
struct Toolchain {
  std::vector<std::string> command;  // command[0] is a path
  std::string identity;              // differs when the compiler is another
};

/// The stages of a gcc driver for one C file to a shared object. Words equal to the placeholders
/// stand for files.
struct Stages {
  std::vector<std::string> compile, assemble, link;
};

inline constexpr const char* source_word = "@source";
inline constexpr const char* assembly_word = "@assembly";
inline constexpr const char* object_word = "@object";
inline constexpr const char* library_word = "@library";

/// A line's words, parted by spaces.
std::vector<std::string> words_of(const std::string& text);

/// The compiler named by `command` ("" searches for cc, gcc and clang), or nothing if it isn't
/// there.
std::optional<Toolchain> find_toolchain(const std::string& command);

/// True if the compiler calls itself clang.
bool is_clang(const Toolchain& toolchain);

/// Flags that make fast kernels without changing what they mean: no -ffast-math, which would let
/// NaN and infinity go wrong and switch denormals off in the whole process.
std::vector<std::string> kernel_flags(bool clang);

/// The stages as the driver itself prints them for `flags` (by -###), with ld called directly.
/// Nothing on any surprise: another compiler than gcc, a wrapper, unknown stages.
std::optional<Stages> ask_stages(const Toolchain& toolchain, const std::vector<std::string>& flags);

}  // namespace hypatia
