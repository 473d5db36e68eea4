#pragma once
// The bytes of a .npy, wherever they stand: in a file of their own or inside a .npz.

#include <functional>
#include <string>

#include "engine/core/array.h"

namespace hypatia {

/// Where bytes come from: fills `to` and returns how many there were.
using ReadBytes = std::function<std::size_t(void* to, std::size_t count)>;

/// The bytes before the elements of a contiguous array.
std::string npy_header(DType dtype, const Dims& dims);
/// Reads one array. `available` is the length of the source, `where` its name for errors.
Array read_npy(const ReadBytes& read, std::size_t available, const std::string& where);

/// A whole .npy as bytes, and back.
std::string npy_text(const Array& value);
Array npy_array(const std::string& text, const std::string& where);

}  // namespace hypatia
