#pragma once
// Warnings: one line to stderr, unless the program takes them.

#include <string>
#include <string_view>

namespace hypatia {

class Error;

/// What hears warnings; called on the thread that warns.
using WarningHandler = void (*)(const std::string& text);

/// Says something that is not an error, once for each call.
void warn(const std::string& text);
/// Sends warnings elsewhere; returns what heard them before. Null: back to stderr.
WarningHandler set_warning_handler(WarningHandler handler);
/// Does with a finding what a flag says: "ignore" nothing, "warn" a warning, "raise" throws it;
/// "pdb" stops in the debugger that runs the process, if there is one, and throws it too.
void report(std::string_view action, const Error& finding);

}  // namespace hypatia
