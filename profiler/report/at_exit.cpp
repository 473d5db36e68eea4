#include "profiler/report/at_exit.h"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "engine/core/config.h"

#include "profiler/record/device_tracer.h"
#include "profiler/record/open_devices.h"
#include "profiler/record/profiled_functions.h"
#include "profiler/report/text.h"

namespace hypatia {

namespace {

std::size_t positive(const char* flag) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, config().integer(flag)));
}

TextOptions options_of_flags() {
  TextOptions options;
  options.rows = positive("profiling.n_apply");
  options.op_rows = positive("profiling.n_ops");
  options.least_bytes = config().integer("profiling.min_memory_size");
  options.memory = config().profile_memory();
  // Theano's own default is for files; a terminal has fewer columns.
  const bool asked = config().source("profiling.output_line_width") != "default";
  if (asked) options.columns = positive("profiling.output_line_width");
  return options;
}

void print(const std::string& text) {
  const std::string destination = config().get("profiling.destination");
  if (destination.ends_with(".hyp") || destination == "stderr") {
    std::fputs(text.c_str(), stderr);
  } else if (destination == "stdout") {
    std::fputs(text.c_str(), stdout);
  } else if (std::FILE* file = std::fopen(destination.c_str(), "w")) {
    std::fputs(text.c_str(), file);
    std::fclose(file);
  } else {
    std::fprintf(
        stderr, "can't write the profile to \"%s\"\n%s", destination.c_str(), text.c_str());
  }
}

/// A program that will be profiled attaches to the driver before it makes its context.
void before_device(std::string_view spec) {
  const bool real = spec.starts_with("cuda");
  if (real && (config().profile() || recordings_under_way())) prepare_device_tracer();
}

struct Registration {
  Registration() {
    when_finished(report_at_exit);
    when_device_opens(before_device);
  }
};

const Registration registration;

}  // namespace

void report_at_exit(const std::string& path) {
  try {
    if (!config().profile()) return;
    print(text_report(*Recording::open(path), options_of_flags()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "no report of %s: %s\n", path.c_str(), error.what());
  }
}

}  // namespace hypatia
