// Looks for tools and run-time libraries, most of them by trying to load them.
#include "exercises/runner/findings.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <unistd.h>

#include "engine/device/cpu/blas.h"

#include "exercises/runner/places.h"
#include "exercises/runner/process.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr const char* as_root = "as root: apt-get install ";

std::string first_line(const std::vector<std::string>& words) {
  Task task;
  task.words = words;
  task.limit_seconds = 10;
  const Outcome outcome = run(task);
  const std::vector<std::string> lines = lines_of(outcome.output);
  return outcome.good() && !lines.empty() ? lines[0] : "";
}

Finding tool(
    const std::string& name, const std::vector<std::string>& words, const std::string& package) {
  const std::string version = first_line(words);
  if (!version.empty()) return {name, "ok", version, ""};
  return {name, "missing", words[0] + " can't be run", as_root + package};
}

Finding confinement() {
  const std::string version = first_line({"bwrap", "--version"});
  if (!version.empty()) return {"bubblewrap", "ok", version, ""};
  const char* without = "bwrap can't be run: grade can't confine submissions";
  return {"bubblewrap", "warning", without, as_root + std::string("bubblewrap")};
}

// A library that is loaded at run time; tries the names in order.
Finding library(
    const std::string& name,
    std::initializer_list<const char*> files,
    const std::string& fix,
    const std::string& without) {
  for (const char* file : files) {
    void* handle = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) continue;
    return {name, "ok", file, ""};
  }
  return {name, "warning", std::string(*files.begin()) + " can't be loaded: " + without, fix};
}

Finding blas() {
  const BlasFacts& facts = blas_facts();
  if (facts.library.empty()) {
    return {
        "BLAS",
        "warning",
        facts.note + ": matrix products run in plain loops",
        std::string(as_root) + "libopenblas0-pthread"};
  }
  std::string detail = fs::path(facts.library).filename().string();
  if (!facts.core.empty()) detail += ", runs as core " + facts.core;
  if (facts.note.empty()) return {"BLAS", "ok", detail, ""};
  const bool slow = !better_core(facts.core, true, false).empty();
  return {"BLAS", slow ? "warning" : "ok", detail + " (" + facts.note + ")", ""};
}

bool driver_files_exist() {
  return fs::exists("/dev/nvidiactl") || fs::exists("/proc/driver/nvidia/version");
}

void examine_cuda(std::vector<Finding>& all) {
  const bool card = driver_files_exist();
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!card && !driver) {
    all.push_back({"cuda", "none", "no NVIDIA GPU here; sim stands in for it", ""});
    return;
  }
  if (!driver) {
    all.push_back(
        {"cuda driver",
         "missing",
         "there is a card, but libcuda.so.1 can't be loaded",
         std::string(as_root) + "nvidia-driver, then restart"});
    return;
  }
  const DeviceFinding device = look_at_device("cuda");
  all.push_back(
      {"cuda",
       device.usable ? "ok" : "missing",
       device.usable ? device.model + ", " + device.driver : device.reason,
       device.usable ? "" : "nvidia-smi says what the driver thinks"});
  const std::string toolkit = "install the CUDA Toolkit, or set LD_LIBRARY_PATH to its lib64";
  all.push_back(library(
      "NVRTC",
      {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"},
      toolkit,
      "kernels can't be compiled for the GPU"));
  all.push_back(library(
      "cuBLAS",
      {"libcublas.so", "libcublas.so.13", "libcublas.so.12"},
      toolkit,
      "matrix products on the GPU are generated"));
  all.push_back(library(
      "cuDNN",
      {"libcudnn.so", "libcudnn.so.9", "libcudnn.so.8"},
      "install cuDNN 9 for your CUDA Toolkit",
      "large convolutions on the GPU are generated, and slower"));
  all.push_back(library(
      "CUPTI",
      {"libcupti.so", "libcupti.so.13", "libcupti.so.12"},
      toolkit + "/extras/CUPTI",
      "GPU times come from events, not from records"));
}

Finding headers() {
  for (const char* folder : {"/usr/local/cuda", "/usr/lib/cuda", "/opt/cuda"}) {
    if (fs::exists(std::string(folder) + "/include/cuda.h")) {
      return {"CUDA headers", "ok", std::string(folder) + "/include", ""};
    }
  }
  return {
      "CUDA headers",
      "none",
      "the cuda device was not built; cpu and sim were",
      "with a GPU: install the CUDA Toolkit's headers, then start ./hypatia again"};
}

}  // namespace

std::vector<Finding> examine() {
  std::vector<Finding> all{
      tool("compiler", {"c++", "--version"}, "g++"),
      tool("cmake", {"cmake", "--version"}, "cmake"),
      tool("ninja", {"ninja", "--version"}, "ninja-build"),
      blas(),
      library(
          "oneDNN",
          {"libdnnl.so.2", "libdnnl.so.3", "libdnnl.so"},
          std::string(as_root) + "libdnnl2",
          "convolutions run in generated loops"),
      confinement(),
      headers(),
  };
  examine_cuda(all);
  const DeviceFinding sim = look_at_device("sim");
  all.push_back({"sim", sim.usable ? "ok" : "missing", sim.usable ? sim.model : sim.reason, ""});
  const bool gui = !program("hypatia-gui").empty();
  const bool display = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  all.push_back(
      {"GUI",
       gui ? "ok" : "warning",
       !gui      ? "not built"
       : display ? "built; there is a display"
                 : "built; no display here, --screenshot works",
       gui ? ""
           : std::string(as_root) + "libimgui-dev libglfw3-dev libstb-dev libgl-dev "
                                    "libegl-dev libopengl-dev; then ./hypatia"});
  return all;
}

}  // namespace hypatia::runner
