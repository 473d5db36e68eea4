// fork and exec in a process group of its own, one pipe for both outputs.

#include "gui/app/process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "gui/app/base.h"

namespace hypatia::gui {

namespace {

std::vector<char*> pointers_of(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The end to read and the end to write; exec closes both.
std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(Error::Kind::file, std::string("no pipe: ") + std::strerror(errno));
  return ends;
}

}  // namespace

void start_detached(const std::vector<std::string>& arguments) {
  // Exec closes it: what comes through it is why exec failed.
  const std::array<int, 2> ends = new_pipe();
  const std::vector<char*> pointers = pointers_of(arguments);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int output : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        dup2(nothing, output);
      execvp(pointers[0], pointers.data());
      const int why = errno;
      static_cast<void>(!write(ends[1], &why, sizeof(why)));
    }
    _exit(0);
  }
  close(ends[1]);
  int why = child < 0 ? errno : 0;
  if (child > 0) {
    waitpid(child, nullptr, 0);
    static_cast<void>(!read(ends[0], &why, sizeof(why)));
  }
  close(ends[0]);
  if (why != 0)
    throw Error(Error::Kind::file, arguments.at(0) + " can't be started: " + std::strerror(why));
}

Process::~Process() {
  stop();
}

void Process::start(const std::vector<std::string>& arguments) {
  stop();
  const std::array<int, 2> ends = new_pipe();
  const std::vector<char*> pointers = pointers_of(arguments);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw Error(Error::Kind::file, arguments.at(0) + " can't be started: " + std::strerror(errno));
  }
  setpgid(child, child);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pid_ = child;
  pipe_ = ends[0];
  partial_.clear();
}

bool Process::poll() {
  if (pid_ <= 0) return false;
  bool any = false;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = read(pipe_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    any = true;
    partial_.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = partial_.find('\n'); end != std::string::npos;
         end = partial_.find('\n')) {
      lines_.push_back(partial_.substr(0, end));
      partial_.erase(0, end + 1);
    }
  }
  int status = 0;
  if (!any && waitpid(pid_, &status, WNOHANG) == pid_) {
    finish(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    any = true;
  }
  return any;
}

void Process::finish(int status) {
  if (!partial_.empty()) lines_.push_back(std::move(partial_));
  partial_.clear();
  close(pipe_);
  pipe_ = -1;
  pid_ = -1;
  status_ = status;
}

std::vector<std::string> Process::take_lines() {
  return std::exchange(lines_, {});
}

void Process::stop() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGTERM);
  for (int tries = 0; tries < 100; ++tries) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      finish(128 + SIGTERM);
      return;
    }
    usleep(5000);
  }
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  finish(128 + SIGKILL);
}

}  // namespace hypatia::gui
