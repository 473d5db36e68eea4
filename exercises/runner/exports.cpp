#include "exercises/runner/exports.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/file.h"

#include "profiler/profiler.h"
#include "profiler/record/recording_file.h"

namespace hypatia::runner {

namespace {

using Shared = std::shared_ptr<const Recording>;

/// The id of the function that took longest; pictures show one.
std::uint32_t heaviest(const Account& account) {
  std::uint32_t best = 0;
  double most = -1;
  for (const FunctionAccount& function : account.functions) {
    if (function.call_time <= most) continue;
    most = function.call_time;
    best = function.id;
  }
  return best;
}

std::string picture(const Recording& recording, bool svg) {
  const Account account = account_for(recording);
  const std::uint32_t function = heaviest(account);
  return svg ? svg_graph(recording, account, function) : dot_graph(recording, account, function);
}

/// An option that names a file, and the text that goes there.
struct Export {
  const char* option;
  std::string (*text)(const Recording&);
};

constexpr Export exports[] = {
    {"--csv", csv_report},
    {"--trace", chrome_trace},
    {"--html", html_report},
    {"--report", json_report},
    {"--svg", [](const Recording& recording) { return picture(recording, true); }},
    {"--dot", [](const Recording& recording) { return picture(recording, false); }},
};

void say_written(const std::string& file) {
  std::printf("wrote %s\n", file.c_str());
}

/// "5-20" or "5": the numbers of calls to keep.
TrimOptions window_of(const std::string& text) {
  TrimOptions options;
  const int read = std::sscanf(text.c_str(), "%u-%u", &options.first_call, &options.last_call);
  if (read < 1 || options.first_call == 0) {
    throw Stop{exit_usage, "--trim " + text + " names no calls", "write --trim 5-20"};
  }
  if (read == 1) options.last_call = options.first_call;
  return options;
}

std::string output_of(const Arguments& arguments, const char* option) {
  if (arguments.has("--out")) return arguments.value("--out");
  throw Stop{exit_usage, std::string(option) + " makes a recording", "name it with --out FILE"};
}

/// The calls of the window; one that holds none is a mistake.
RecordingData trimmed(const Recording& recording, const std::string& words) {
  const TrimOptions window = window_of(words);
  const std::span<const Call> calls = recording.calls();
  const bool any = std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    return call.number >= window.first_call && call.number <= window.last_call;
  });
  if (any) return trim(recording, window);
  throw Stop{
      exit_usage,
      "--trim " + words + " keeps no call",
      calls.empty() ? "the recording has none"
                    : "the recording has calls " + std::to_string(calls.front().number) + " to " +
                          std::to_string(calls.back().number)};
}

bool make_recordings(const Arguments& arguments, const Shared& recording) {
  if (arguments.has("--trim")) {
    const std::string file = output_of(arguments, "--trim");
    write_recording(trimmed(*recording, arguments.value("--trim")), file);
    say_written(file);
    return true;
  }
  if (arguments.has("--merge")) {
    const std::string file = output_of(arguments, "--merge");
    const std::vector<Shared> both{recording, Recording::open(arguments.value("--merge"))};
    write_recording(merge(both), file);
    say_written(file);
    return true;
  }
  if (!arguments.has("--migrate")) return false;
  const std::string file = output_of(arguments, "--migrate");
  migrate(recording->path(), file);
  say_written(file);
  return true;
}

}  // namespace

bool run_exports(const Arguments& arguments, const std::string& file) {
  const Shared recording = Recording::open(file);
  bool done = make_recordings(arguments, recording);
  for (const Export& entry : exports) {
    if (!arguments.has(entry.option)) continue;
    hypatia::write_file(arguments.value(entry.option), entry.text(*recording));
    say_written(arguments.value(entry.option));
    done = true;
  }
  if (arguments.has("--compare")) {
    const Shared other = Recording::open(arguments.value("--compare"));
    const auto text = arguments.json() ? comparison_json : comparison_report;
    std::printf("%s", text(*recording, *other).c_str());
    done = true;
  }
  return done;
}

}  // namespace hypatia::runner
