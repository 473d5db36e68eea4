#pragma once
// What happens with a recording when the program ends: the text report, where a flag asks for it.

#include <string>

namespace hypatia {

/// Prints the text report of a closed recording to where `profiling.destination` says (standard
/// error by default), if the flag `profile` is set. Never throws: what fails is told there too.
void report_at_exit(const std::string& path);

}  // namespace hypatia
