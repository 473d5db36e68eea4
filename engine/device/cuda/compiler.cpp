// Runs NVRTC on a kernel's text, and turns what it says into an Error at the user's line.
#include "engine/device/cuda/compiler.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/core/error.h"
#include "engine/device/cuda/content_cache.h"
#include "engine/device/cuda/nvrtc.h"

namespace hypatia {

namespace {

const Nvrtc& need_nvrtc() {
  const FoundNvrtc found = find_nvrtc();
  if (!found.nvrtc) throw Error(Error::Kind::device, "no kernel can be compiled: " + found.reason);
  return *found.nvrtc;
}

/// Ends the program that NVRTC holds for us.
class Program {
 public:
  Program(const Nvrtc& nvrtc, const KernelSource& source) : nvrtc_(nvrtc) {
    const nvrtcResult result = nvrtc.create(
        &program_, source.text.c_str(), file_name(source).c_str(), 0, nullptr, nullptr);
    if (result != NVRTC_SUCCESS) {
      throw Error(
          Error::Kind::compile,
          "NVRTC refuses kernel '" + source.name + "': " + nvrtc.error_text(result));
    }
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  ~Program() { nvrtc_.destroy(&program_); }

  nvrtcProgram get() const { return program_; }

  std::string log() const {
    std::size_t size = 0;
    if (nvrtc_.log_size(program_, &size) != NVRTC_SUCCESS || size <= 1) return "";
    std::string text(size, '\0');
    nvrtc_.log(program_, text.data());
    text.resize(text.find('\0'));
    return text;
  }

  static std::string file_name(const KernelSource& source) {
    return source.name.empty() ? "kernel" : source.name;
  }

 private:
  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(lines, line)) return "";
  }
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

/// One line of NVRTC's log, as in "train(12): error: identifier "y" is undefined".
struct Complaint {
  std::string file, message;
  int line = 0;
};

Complaint first_error(const std::string& log) {
  std::istringstream lines(log);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t mark = line.find(": error");
    const std::size_t open = line.rfind('(', mark);
    if (mark == std::string::npos || open == std::string::npos) continue;
    const std::size_t text = line.find(": ", mark + 2);
    return {
        line.substr(0, open),
        text == std::string::npos ? line.substr(mark + 2) : line.substr(text + 2),
        std::atoi(line.c_str() + open + 1),
    };
  }
  return {};
}

[[noreturn]] void throw_compile_error(const KernelSource& source, const std::string& log) {
  const Complaint complaint = first_error(log);
  std::string summary = "kernel '" + source.name + "' does not compile";
  if (complaint.line > 0) {
    summary += ": " + complaint.message + ", at line " + std::to_string(complaint.line);
    if (complaint.file != Program::file_name(source)) summary += " of " + complaint.file;
  }
  Error error(Error::Kind::compile, summary, "the compiler's whole message stands above");
  // A #line directive in the text moves the numbers to a file that the message names.
  if (complaint.line > 0 && complaint.file == Program::file_name(source)) {
    const std::string line = line_of(source.text, complaint.line);
    if (!line.empty()) error.note(std::to_string(complaint.line) + " | " + line);
  }
  error.note("NVRTC says:\n" + log);
  throw error;
}

std::vector<std::string> all_options(const KernelSource& source, const std::string& architecture) {
  std::vector<std::string> options{"--gpu-architecture=" + architecture, "--std=c++17"};
  options.insert(options.end(), source.options.begin(), source.options.end());
  return options;
}

std::string compile(const KernelSource& source, const std::vector<std::string>& options, bool ptx) {
  const Nvrtc& nvrtc = need_nvrtc();
  const Program program(nvrtc, source);
  std::vector<const char*> words;
  for (const std::string& option : options)
    words.push_back(option.c_str());
  const nvrtcResult result =
      nvrtc.compile(program.get(), static_cast<int>(words.size()), words.data());
  if (result != NVRTC_SUCCESS) {
    const std::string log = program.log();
    throw_compile_error(source, log.empty() ? nvrtc.error_text(result) : log);
  }
  std::size_t size = 0;
  (ptx ? nvrtc.ptx_size : nvrtc.cubin_size)(program.get(), &size);
  std::string code(size, '\0');
  (ptx ? nvrtc.ptx : nvrtc.cubin)(program.get(), code.data());
  return code;
}

std::string version_of(const Nvrtc& nvrtc) {
  int major = 0, minor = 0;
  nvrtc.version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

/// The architectures NVRTC can compile for, ascending: 75, 80, … 90.
std::vector<int> architectures(const Nvrtc& nvrtc) {
  int count = 0;
  nvrtc.architecture_count(&count);
  std::vector<int> all(static_cast<std::size_t>(std::max(count, 0)));
  if (!all.empty()) nvrtc.architectures(all.data());
  std::sort(all.begin(), all.end());
  return all;
}

/// "sm_90" where NVRTC knows the device, "compute_100" (PTX, for the driver to finish) where the
/// device is newer than NVRTC.
std::string architecture_for(const Nvrtc& nvrtc, Capability device) {
  const int wanted = device.major * 10 + device.minor;
  const std::vector<int> known = architectures(nvrtc);
  if (std::find(known.begin(), known.end(), wanted) != known.end()) {
    return "sm_" + std::to_string(wanted);
  }
  const auto newer = std::upper_bound(known.begin(), known.end(), wanted);
  if (newer == known.begin()) {
    throw Error(
        Error::Kind::device,
        "NVRTC " + version_of(nvrtc) + " no longer compiles for compute capability " +
            std::to_string(device.major) + "." + std::to_string(device.minor),
        "install an older CUDA Toolkit: version 12 for capability 5.0 to 7.0");
  }
  return "compute_" + std::to_string(*(newer - 1));
}

std::string cache_key(const KernelSource& source, const std::vector<std::string>& options) {
  std::string key = "NVRTC " + nvrtc_version();
  for (const std::string& option : options)
    key += "\n" + option;
  return key + "\n" + source.name + "\n" + source.text;
}

}  // namespace

std::string nvrtc_reason() {
  return find_nvrtc().reason;
}

std::string nvrtc_version() {
  const FoundNvrtc found = find_nvrtc();
  return found.nvrtc ? version_of(*found.nvrtc) : "";
}

std::string compile_to_ptx(const KernelSource& source, const std::string& arch) {
  std::string ptx = compile(source, all_options(source, arch), true);
  ptx.resize(ptx.find('\0'));
  return ptx;
}

CudaBinary compile_for(const KernelSource& source, Capability device, const std::string& folder) {
  const std::string architecture = architecture_for(need_nvrtc(), device);
  const std::vector<std::string> options = all_options(source, architecture);
  const std::string key = cache_key(source, options);
  const ContentCache cache(folder);
  if (std::optional<std::string> code = cache.read(key)) {
    return {std::move(*code), true, cache.file(key)};
  }
  const bool ptx = architecture.rfind("compute_", 0) == 0;
  std::string code = compile(source, options, ptx);
  std::string file = cache.write(key, code);
  return {std::move(code), false, std::move(file)};
}

}  // namespace hypatia
