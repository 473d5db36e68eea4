// Translates signals, time limits and sanitizer reports.
#include "exercises/runner/diagnose.h"

#include <csignal>
#include <fmt/core.h>
#include <regex>

#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

struct SanitizerWords {
  const char* found;  // in a sanitizer's report
  const char* tag;
  const char* message;
};

constexpr SanitizerWords sanitizer_words[] = {
    {"heap-buffer-overflow", "out-of-bounds", "it reads or writes beyond the end of an array"},
    {"stack-buffer-overflow", "out-of-bounds", "it reads or writes beyond a local array"},
    {"global-buffer-overflow", "out-of-bounds", "it reads or writes beyond a static array"},
    {"heap-use-after-free", "use-after-free", "it uses memory that was freed before"},
    {"stack-use-after-", "use-after-free", "it uses a local variable after its scope has ended"},
    {"attempting double-free", "use-after-free", "it frees the same memory twice"},
    {"detected memory leaks", "leak", "it never frees memory it allocated"},
    {"data race", "race", "two threads touch the same memory without order"},
    {"signed integer overflow", "overflow", "an integer grew beyond its type"},
    {"division by zero", "division", "an integer is divided by zero"},
    {"runtime error:", "undefined", "it does something the language leaves undefined"},
};

Diagnosis of_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return {"segfault", "it touched memory it does not own (segmentation fault)", "", 0};
    case SIGBUS:
      return {"segfault", "it touched memory that is not there (bus error)", "", 0};
    case SIGFPE:
      return {"division", "it divided an integer by zero", "", 0};
    case SIGILL:
      return {"illegal", "it ran an instruction this machine does not have", "", 0};
    case SIGABRT:
      return {
          "abort", "it ended itself: an assertion failed or an exception was not caught", "", 0};
    case SIGKILL:
      return {"killed", "the system killed it, most likely for want of memory", "", 0};
    default:
      return {"signal", fmt::format("signal {} ended it", signal), "", 0};
  }
}

// "what():" of an exception that nobody caught says more than the abort.
void add_exception(const std::string& output, Diagnosis& diagnosis) {
  const std::size_t at = output.find("what():");
  if (at == std::string::npos || diagnosis.tag != "abort") return;
  const std::string rest = output.substr(at + 7, 600);
  diagnosis.tag = "exception";
  diagnosis.message = "an exception was not caught:" + tail(rest, 12);
  while (!diagnosis.message.empty() && diagnosis.message.back() == '\n')
    diagnosis.message.pop_back();
}

void add_place(const std::string& output, Diagnosis& diagnosis) {
  static const std::regex place(R"((\S*(?:exercise|solution)\.cpp):(\d+))");
  std::smatch part;
  if (std::regex_search(output, part, place)) {
    diagnosis.file = part[1];
    diagnosis.line = std::stoi(part[2]);
  }
}

}  // namespace

Diagnosis diagnose(const Outcome& outcome, double limit_seconds) {
  if (outcome.timed_out) {
    return {
        "timeout",
        fmt::format("it was still running after {} and was stopped", duration(limit_seconds)),
        "",
        0};
  }
  for (const SanitizerWords& words : sanitizer_words) {
    if (outcome.output.find(words.found) == std::string::npos) continue;
    if (outcome.output.find("anitizer") == std::string::npos &&
        std::string(words.found) != "runtime error:") {
      continue;
    }
    Diagnosis diagnosis{words.tag, words.message, "", 0};
    add_place(outcome.output, diagnosis);
    return diagnosis;
  }
  Diagnosis diagnosis =
      outcome.signal ? of_signal(outcome.signal)
                     : Diagnosis{"exit", fmt::format("it ended with code {}", outcome.code), "", 0};
  add_exception(outcome.output, diagnosis);
  return diagnosis;
}

}  // namespace hypatia::runner
