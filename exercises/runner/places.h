#pragma once
// Where things are: the checkout, the build folder, the learner's state.

#include <string>
#include <string_view>

namespace hypatia::runner {

/// The checkout's root: HYPATIA_ROOT, else where this program was built from.
const std::string& root();
/// The build folder: HYPATIA_BUILD, else the one this program lies in.
const std::string& build_folder();
/// root()/.hypatia, made on first use: journal, snapshots, recordings.
std::string state_folder();
/// The built program of that name, e.g. "solution_01_exp_test"; empty if it was not built.
std::string program(std::string_view name);
/// True when programs run as they are: nothing is configured or built.
bool no_setup();
/// A path as people read it: relative to the current folder where it lies below it.
std::string shown(const std::string& path);

/// Which right to the path is missing, in a sentence that names the folder or file: to enter a
/// folder on the way, or to read what is there; "" if none is.
std::string missing_right(const std::string& path);

/// A whole file. Throws Stop (environment) if it can't be read.
std::string read_file(const std::string& path);
/// Writes a file of the course's own, with its folders; beside and renamed, so that it is never
/// half there. Throws Stop (environment) with the system's reason.
void write_file(const std::string& path, std::string_view text);

}  // namespace hypatia::runner
