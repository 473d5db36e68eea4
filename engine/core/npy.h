#pragma once
// NumPy's files: one array in a .npy, several named ones in a .npz.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/array.h"

namespace hypatia {

using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// Writes a .npy of version 1 (2 where the header is long), C order, little endian. The file is
/// there whole or not at all. Throws Error of kind file.
void save_npy(const std::string& path, const Array& value);
/// Reads a .npy of version 1 to 3, C or Fortran order, either endianness. Throws Error of kind file
/// on what is damaged, cut off, or of a dtype that arrays don't have.
Array load_npy(const std::string& path);

/// Writes a .npz, deflated if wanted; names are without ".npy". At most 4 GB in all.
void save_npz(const std::string& path, const NamedArrays& arrays, bool compressed = false);
/// Reads every array of a .npz, in the file's order.
NamedArrays load_npz(const std::string& path);
/// Reads one array of a .npz; throws Error that lists the names if it is not there.
Array load_npz(const std::string& path, std::string_view name);

}  // namespace hypatia
