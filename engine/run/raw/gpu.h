#pragma once
// Where raw kernels run, and who hears of it.

#include <string>

#include "engine/core/array.h"
#include "engine/trace/observer.h"

namespace hypatia {

class Device;

namespace cuda {

/// The place of a target: "" is the default context, "dev1" one of the flag `contexts`. Throws
/// Error if no GPU is there, not even a simulated one.
Place gpu_place(const std::string& target);
Device& gpu(const std::string& target);

/// The recorder of this process if the flag `profile` is set, else null.
Observer* process_observer();

/// While it lives, what this thread submits outside of any call is heard by the recorder.
class Heard {
 public:
  Heard();
  ~Heard();
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;

 private:
  CurrentStep outer_;
};

}  // namespace cuda

}  // namespace hypatia
