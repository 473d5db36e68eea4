#pragma once
// Warnings: one line to stderr, unless the program takes them.

#include <string>

namespace hypatia {

/// What hears warnings; called on the thread that warns.
using WarningHandler = void (*)(const std::string& text);

/// Says something that is not an error, once for each call.
void warn(const std::string& text);
/// Sends warnings elsewhere; returns what heard them before. Null: back to stderr.
WarningHandler set_warning_handler(WarningHandler handler);

}  // namespace hypatia
