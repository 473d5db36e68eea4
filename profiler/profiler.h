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

#include "engine/run/function.h"

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

/// The report of one function up to now, as f.profile.summary() gave it: of a function that the
/// flag profile, or its own option, has recorded. Throws Error of kind value if none was recorded.
std::string profile_summary(const Function& f);
/// The same of a recorder of one's own.
std::string profile_summary(Recorder& recorder, const std::string& function);

}  // namespace hypatia
