#pragma once
// Recorders for functions that were compiled with profile=True: one per file, finished at exit.

#include <memory>
#include <string>
#include <vector>

#include "profiler/record/recorder.h"

namespace hypatia {

/// The recorder that writes this file ("" for the default name), made on first use. Null where the
/// file can't be written; the reason goes to standard error, once, and the program runs unprofiled.
std::shared_ptr<Recorder> recorder_for(const std::string& destination);

/// The one that writes this file already; null if none does.
std::shared_ptr<Recorder> open_recorder(const std::string& destination);

/// Called with each recording's file once it is closed, e.g. to print a report.
using FinishedRecording = void (*)(const std::string& path);
void when_finished(FinishedRecording action);

/// Closes all of them; also happens when the program exits.
void finish_recordings();

}  // namespace hypatia
