#include "engine/device/cuda/settings.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "engine/core/config.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

// The options of nvcc that change how kernels compute or are compiled, which NVRTC has too. The
// rest of nvcc's are about hosts, files and linking.
constexpr std::array<std::string_view, 15> known{
    "--use_fast_math",
    "-use_fast_math",
    "--ftz=",
    "-ftz=",
    "--prec-div=",
    "-prec-div=",
    "--prec-sqrt=",
    "-prec-sqrt=",
    "--fmad=",
    "-fmad=",
    "--maxrregcount=",
    "-maxrregcount=",
    "-D",
    "-lineinfo",
    "--generate-line-info",
};

bool is_known(std::string_view option) {
  return std::any_of(known.begin(), known.end(), [&](std::string_view name) {
    return option.substr(0, name.size()) == name;
  });
}

}  // namespace

std::vector<std::string> nvrtc_options(std::string_view nvcc_flags, bool fast_math) {
  std::vector<std::string> options;
  std::istringstream words{std::string(nvcc_flags)};
  for (std::string word; words >> word;) {
    if (!is_known(word)) {
      throw Error(
          Error::Kind::config,
          "nvcc.flags has '" + word + "', which means nothing to NVRTC, the compiler used here",
          "it takes --use_fast_math, --ftz=, --prec-div=, --prec-sqrt=, --fmad=, --maxrregcount=, "
          "-D… and -lineinfo");
    }
    // NVRTC wants two dashes where nvcc takes one.
    if (word[1] != '-' && word[1] != 'D' && word != "-lineinfo") word.insert(0, "-");
    options.push_back(word);
  }
  const std::string fast = "--use_fast_math";
  const bool there = std::find(options.begin(), options.end(), fast) != options.end();
  if (fast_math && !there) options.push_back(fast);
  return options;
}

CudaSettings configured_cuda_settings() {
  const Config& now = config();
  CudaSettings settings;
  settings.preallocate = now.preallocate();
  settings.tf32 = now.tf32();
  settings.kernel_folder = now.compiledir() + "/cuda";
  settings.options = nvrtc_options(now.get("nvcc.flags"), now.boolean("nvcc.fastmath"));
  return settings;
}

}  // namespace hypatia
