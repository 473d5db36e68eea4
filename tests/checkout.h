#pragma once
// Where the checkout and the tests' own libraries lie.

#include <string>

namespace hypatia::tests {

/// The folder of the sources that were built.
std::string checkout();

/// The folder of a driver and a cuDNN without a GPU; there is none without CUDA's headers.
std::string mock_gpu_folder();

/// The folder of a libcupti.so without a GPU.
std::string mock_cupti();

/// A library that listens to NVTX; there is none where its headers were not found.
std::string mock_nvtx();

}  // namespace hypatia::tests
