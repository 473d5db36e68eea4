#pragma once
// The profiler's public interface. Record a program with
//
//     Recorder recorder("run.hyp");
//     auto f = function({x}, {exp(x)}, {.observer = &recorder});
//     { Annotation epoch(recorder, "epoch 1"); f(data); }
//     recorder.finish();
//     print(profile_text("run.hyp"));
//
// or with the flag profile=True and no line of code. stop() and start() leave parts out.

#include <string>

#include "profiler/analyze/account.h"
#include "profiler/analyze/advice.h"
#include "profiler/analyze/compare.h"
#include "profiler/record/recorder.h"
#include "profiler/record/recording.h"
#include "profiler/record/tools.h"
#include "profiler/report/chrome_trace.h"
#include "profiler/report/comparison.h"
#include "profiler/report/graph_picture.h"
#include "profiler/report/html.h"
#include "profiler/report/json.h"
#include "profiler/report/text.h"

namespace hypatia {

/// The text report of a recording's file. Throws Error of kind file if it can't be read.
std::string profile_text(const std::string& path);

/// The report up to now of the functions of this name, as f.profile.summary() gave it:
/// print(profile_summary(f.name())) where the flag profile, or the function's own option, records.
/// Throws Error of kind value where nothing does.
std::string profile_summary(const std::string& function);
/// The same of a recorder of one's own.
std::string profile_summary(Recorder& recorder, const std::string& function);

}  // namespace hypatia
