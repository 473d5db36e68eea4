#pragma once
// From the file that a compiler named to one that can be opened.

#include <string>

namespace hypatia {

/// The path of a source file of this program: a relative one (compiler caches make them so) is
/// meant from the folder that the program was built in. Itself if there is no such file.
std::string source_file(const char* named);

}  // namespace hypatia
