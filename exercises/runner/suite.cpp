// Test programs in parallel, and their output read.
#include "exercises/runner/suite.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include "exercises/runner/diagnose.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

// The name in "[ RUN      ] Suite.Name (3 ms)"; empty if the line does not begin with `mark`.
std::string test_after(const std::string& line, const char* mark) {
  const std::string start(mark);
  if (line.rfind(start, 0) != 0) return "";
  const std::size_t begin = start.size();
  return line.substr(begin, line.find_first_of(", (", begin) - begin);
}

Sums read_one(const Job& job, const Outcome& outcome) {
  Sums sums;
  if (outcome.good()) {
    sums.passed = 1;
  } else {
    const std::string how = diagnose(outcome, job.task.limit_seconds).message;
    // Of a long list of proofs, those that failed first.
    std::string faults;
    for (const std::string& line : lines_of(outcome.output))
      if (line.find("  fail  ") != std::string::npos) faults += line + "\n";
    sums.failed.push_back({job.part, how + "\n" + faults + tail(outcome.output, 40)});
  }
  return sums;
}

}  // namespace

void Sums::add(const Sums& other) {
  passed += other.passed;
  failed.insert(failed.end(), other.failed.begin(), other.failed.end());
  skipped.insert(skipped.end(), other.skipped.begin(), other.skipped.end());
  seconds += other.seconds;
}

Sums read_google_test(const std::string& part, const Outcome& outcome) {
  Sums sums;
  std::string running, said;
  for (const std::string& line : lines_of(outcome.output)) {
    if (const std::string name = test_after(line, "[ RUN      ] "); !name.empty()) {
      running = part + ": " + name;
      said.clear();
    } else if (running.empty()) {
      continue;
    } else if (!test_after(line, "[       OK ] ").empty()) {
      ++sums.passed;
      running.clear();
    } else if (!test_after(line, "[  FAILED  ] ").empty()) {
      sums.failed.push_back({running, said});
      running.clear();
    } else if (!test_after(line, "[  SKIPPED ] ").empty()) {
      sums.skipped.push_back({running, said});
      running.clear();
    } else {
      said += line + "\n";
    }
  }
  if (!running.empty()) {
    sums.failed.push_back({running, said + diagnose(outcome, outcome.seconds).message + "\n"});
  } else if (!outcome.good() && sums.failed.empty()) {
    sums.failed.push_back(
        {part, diagnose(outcome, outcome.seconds).message + "\n" + tail(outcome.output, 30)});
  }
  return sums;
}

std::vector<Sums> run_jobs(const std::vector<Job>& jobs, int threads) {
  std::vector<Sums> results(jobs.size());
  std::atomic<std::size_t> next{0};
  std::mutex printing;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const Outcome outcome = run(jobs[i].task);
      results[i] = jobs[i].google_test ? read_google_test(jobs[i].part, outcome)
                                       : read_one(jobs[i], outcome);
      results[i].seconds = outcome.seconds;
      const std::lock_guard lock(printing);
      for (const Remark& failure : results[i].failed) {
        std::printf(
            "%s %s\n%s",
            paint(Colour::bad, "FAILED").c_str(),
            failure.test.c_str(),
            failure.text.c_str());
      }
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i)
    workers.emplace_back(work);
  for (std::thread& worker : workers)
    worker.join();
  return results;
}

}  // namespace hypatia::runner
