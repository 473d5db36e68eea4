// Child processes: fork, pipes, a poll loop with a deadline, and the end of the whole group.
#include "exercises/runner/process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/status_line.h"

namespace hypatia::runner {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int failed_to_start = 127;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Pipe {
  int read = -1, write = -1;

  void open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Stop{exit_environment, "can't open a pipe: too many open files?", ""};
    }
    read = ends[0];
    write = ends[1];
    ::fcntl(read, F_SETFL, O_NONBLOCK);
  }

  void close_read() { close_one(read); }

  void close_write() { close_one(write); }

  static void close_one(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  ~Pipe() {
    close_read();
    close_write();
  }
};

// Groups that an interrupt must end; several threads of `test` run one each.
std::array<std::atomic<pid_t>, 64> live_groups{};

std::atomic<pid_t> stoppable_group{0};
std::atomic<void (*)()> last_action{nullptr};

void end_groups_and_leave(int signal) {
  wipe_status_line();
  if (const auto action = last_action.load()) action();
  for (const std::atomic<pid_t>& group : live_groups) {
    if (const pid_t id = group.load(); id > 0) ::kill(-id, SIGKILL);
  }
  ::_exit(128 + signal);
}

// Keeps a group in the list for as long as its leader runs.
class LiveGroup {
 public:
  explicit LiveGroup(pid_t id) {
    for (std::atomic<pid_t>& slot : live_groups) {
      pid_t none = 0;
      if (slot.compare_exchange_strong(none, id)) {
        slot_ = &slot;
        return;
      }
    }
  }

  LiveGroup(const LiveGroup&) = delete;
  LiveGroup& operator=(const LiveGroup&) = delete;

  ~LiveGroup() {
    if (slot_) slot_->store(0);
  }

 private:
  std::atomic<pid_t>* slot_ = nullptr;
};

void catch_interrupts() {
  static const bool once = [] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      std::signal(signal, end_groups_and_leave);
    return true;
  }();
  static_cast<void>(once);
}

// Only calls that are safe between fork and exec in a program with threads.
struct Prepared {
  std::vector<char*> words, environment;
  std::vector<std::string> environment_text;
};

Prepared prepare(const Task& task, int report_end) {
  Prepared ready;
  for (const std::string& word : task.words)
    ready.words.push_back(const_cast<char*>(word.c_str()));
  ready.words.push_back(nullptr);
  std::vector<std::pair<std::string, std::string>> added = task.environment;
  if (report_end >= 0) added.emplace_back("HYPATIA_REPORT", std::to_string(report_end));
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (!task.inherit && name != "PATH") continue;
    const bool replaced = std::any_of(
        added.begin(), added.end(), [&](const auto& pair) { return pair.first == name; });
    if (!replaced) ready.environment_text.push_back(text);
  }
  for (const auto& [name, value] : added)
    ready.environment_text.push_back(name + "=" + value);
  for (std::string& text : ready.environment_text)
    ready.environment.push_back(text.data());
  ready.environment.push_back(nullptr);
  return ready;
}

[[noreturn]] void start(const Task& task, const Prepared& ready, int output_end, int report_end) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (output_end >= 0) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(output_end, 1);
    ::dup2(output_end, 2);
  }
  for (const int end : {report_end, task.keep_open}) {
    if (end >= 0) ::fcntl(end, F_SETFD, 0);
  }
  if (!task.folder.empty() && ::chdir(task.folder.c_str()) != 0) ::_exit(failed_to_start);
  ::execvpe(ready.words[0], ready.words.data(), ready.environment.data());
  ::_exit(failed_to_start);
}

// Moves what is there into `to`; false at the end of the stream. A program that prints without end
// must not keep its clock from being looked at.
bool drain(int from, std::string& to, std::size_t most, bool& cut) {
  std::array<char, 16384> block{};
  for (int blocks = 0; blocks < 64; ++blocks) {
    const ssize_t got = ::read(from, block.data(), block.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    const std::size_t room = most > to.size() ? most - to.size() : 0;
    const std::size_t taken = std::min(room, static_cast<std::size_t>(got));
    to.append(block.data(), taken);
    cut = cut || taken < static_cast<std::size_t>(got);
  }
  return true;
}

// Reads both pipes until the child has ended or its time is over. A pidless wait would miss a child
// whose grandchildren keep the pipes open, so the child itself is asked for every few milliseconds.
bool wait_for(const Task& task, pid_t child, Pipe& output, Pipe& report, Outcome& outcome) {
  const Clock::time_point begin = Clock::now();
  int status = 0;

  struct rusage usage {};

  int pause_ms = 1;
  bool ended = false;
  while (!ended) {
    std::array<pollfd, 2> watched{pollfd{output.read, POLLIN, 0}, pollfd{report.read, POLLIN, 0}};
    ::poll(watched.data(), watched.size(), pause_ms);
    pause_ms = std::min(pause_ms * 2, 20);
    if (output.read >= 0 && !drain(output.read, outcome.output, task.most_output, outcome.cut)) {
      output.close_read();
    }
    if (report.read >= 0 && !drain(report.read, outcome.report, task.most_report, outcome.cut)) {
      report.close_read();
    }
    ended = ::wait4(child, &status, WNOHANG, &usage) == child;
    const bool late = task.limit_seconds > 0 && since(begin) > task.limit_seconds;
    const bool stopped = task.stop && task.stop->load();
    if (!ended && (late || stopped)) {
      outcome.timed_out = late;
      outcome.stopped = stopped;
      ::kill(-child, SIGKILL);
      ended = ::wait4(child, &status, 0, &usage) == child;
    }
  }
  outcome.seconds = since(begin);
  for (const timeval& part : {usage.ru_utime, usage.ru_stime}) {
    outcome.cpu_seconds +=
        static_cast<double>(part.tv_sec) + static_cast<double>(part.tv_usec) * 1e-6;
  }
  outcome.peak_kilobytes = usage.ru_maxrss;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return !outcome.timed_out;
}

}  // namespace

Outcome run(const Task& task) {
  catch_interrupts();
  Pipe output, report;
  if (task.capture) output.open();
  if (task.report) report.open();
  const Prepared ready = prepare(task, report.write);
  const pid_t child = ::fork();
  if (child < 0) throw Stop{exit_environment, "can't start another process", ""};
  if (child == 0) start(task, ready, output.write, report.write);
  ::setpgid(child, child);
  const LiveGroup group(child);
  if (task.stoppable) stoppable_group.store(child);
  output.close_write();
  report.close_write();
  Outcome outcome;
  wait_for(task, child, output, report, outcome);
  if (task.stoppable) stoppable_group.store(0);
  ::kill(-child, SIGKILL);  // whatever it left behind
  if (output.read >= 0) drain(output.read, outcome.output, task.most_output, outcome.cut);
  if (report.read >= 0) drain(report.read, outcome.report, task.most_report, outcome.cut);
  outcome.started = !(outcome.code == failed_to_start && outcome.output.empty());
  return outcome;
}

void stop_running() {
  if (const pid_t id = stoppable_group.load(); id > 0) ::kill(-id, SIGKILL);
}

void on_interrupt(void (*action)()) {
  last_action.store(action);
  catch_interrupts();
}

void become(const std::vector<std::string>& words) {
  std::vector<char*> raw;
  for (const std::string& word : words)
    raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  ::execvp(raw[0], raw.data());
}

}  // namespace hypatia::runner
