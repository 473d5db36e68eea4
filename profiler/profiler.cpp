#include "profiler/profiler.h"

#include "engine/core/error.h"

#include "profiler/record/profiled_functions.h"

namespace hypatia {

std::string profile_text(const std::string& path) {
  return text_report(*Recording::open(path));
}

std::string profile_summary(Recorder& recorder, const std::string& function) {
  recorder.flush();
  TextOptions options;
  options.function = function;
  return text_report(*Recording::open(recorder.path()), options);
}

std::string profile_summary(const std::string& function) {
  const std::shared_ptr<Recorder> recorder = open_recorder("");
  if (!recorder) {
    throw Error(
        Error::Kind::value,
        "'" + function + "' has no profile: no function of this program is profiled",
        "compile it with {.profile = true}, or set the flag profile=True");
  }
  return profile_summary(*recorder, function);
}

}  // namespace hypatia
