#pragma once
// How a profiler learns of devices: before one is opened, in time to attach to its driver, and once
// it is open, with the streams and threads that work for it.

#include <cstdint>
#include <string>
#include <string_view>

namespace hypatia {

class Device;

/// Null where nobody wants to know. Devices that are open live as long as the process.
struct DeviceHooks {
  void (*opening)(std::string_view spec) = nullptr;  // "cuda0"
  void (*opened)(Device& device) = nullptr;
  // What WorkOwner tells; `owned` returns false if nobody wants to know.
  bool (*owned)(const std::string& owner) = nullptr;
  void (*disowned)() = nullptr;
  // A stream of a real GPU, by its driver's handle, and a thread of the engine's, by the system's
  // number, have got a name.
  void (*named_stream)(void* stream, const std::string& name) = nullptr;
  void (*named_thread)(std::uint64_t thread, const std::string& name) = nullptr;
};

void set_device_hooks(const DeviceHooks& hooks);

/// Called by whoever opens devices.
void announce_opening(std::string_view spec);
void announce_opened(Device& device);
/// Called by whoever makes streams.
void announce_stream(void* stream, const std::string& name);
/// Names the calling thread for the system, of at most 15 letters, and for who wants to know.
void name_this_thread(const std::string& name);

/// Says whose device work this thread submits outside of a plan's steps, such as
/// {"shared variable", "w"}. Inside of a step or of another owner it says nothing.
class WorkOwner {
 public:
  WorkOwner(std::string_view what, const std::string& name);
  ~WorkOwner();

  WorkOwner(const WorkOwner&) = delete;
  WorkOwner& operator=(const WorkOwner&) = delete;

 private:
  bool outermost_ = false, told_ = false;
};

/// "shared variable w" in the scope of a WorkOwner of this thread, else "".
const std::string& work_owner();

}  // namespace hypatia
