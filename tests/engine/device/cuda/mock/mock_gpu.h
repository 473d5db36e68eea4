#pragma once
// A CUDA driver and a cuDNN without a GPU, in one library under all their file names. Device memory
// is host memory, streams run at once, captures keep what they were given, and cuDNN's convolutions
// are loops. There is nobody to run kernels.

#include <cstddef>
#include <functional>

struct CUstream_st;

/// What goes wrong, and what was seen; zero is a healthy library.
struct MockGpu {
  int create_result = 0;         // of cudnnCreate
  int find_result = 0;           // when asked for an algorithm
  int run_result = 0;            // of convolutions
  bool only_random = false;      // every algorithm adds up in no fixed order
  std::size_t workspace = 1024;  // bytes that algorithms want

  int handles = 0, descriptors = 0;  // that live
  int asked = 0;                     // for an algorithm
  int runs = 0;                      // convolutions, those of replays included
  int captured = 0;                  // convolutions that were captured
  int graphs = 0;                    // graphs launched
  int synchronized = 0;              // waits for the context
  int math = -1;                     // of the last descriptor asked about
  int algorithm = -1;                // of the last convolution
  const void* stream = nullptr;      // of the last convolution
  const char* broken = nullptr;      // a rule of cuDNN's that a call did not keep
};

extern "C" {
MockGpu* mock_gpu();
}

/// Runs the work, or keeps it in the stream's capture.
void mock_submit(CUstream_st* stream, const std::function<void()>& work);
