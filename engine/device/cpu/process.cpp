// Starts a child by vfork, which costs the same in a process of any size, and reads its output.
#include "engine/device/cpu/process.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hypatia {

namespace {

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

/// The child's side: only system calls, since it shares our memory until it is another program.
[[noreturn]] void become(char* const* arguments, int output) {
  // Ends with its parent thread, also when that is killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& command) {
  std::vector<std::string> copy = command;
  std::vector<char*> arguments;
  for (std::string& word : copy)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  Outcome outcome;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    outcome.output = std::string("no pipe: ") + std::strerror(errno);
    return outcome;
  }
  const pid_t child = vfork();
  if (child == 0) become(arguments.data(), ends[1]);
  close(ends[1]);
  if (child < 0) {
    outcome.output = std::string("no process: ") + std::strerror(errno);
  } else {
    outcome.output = read_all(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  }
  close(ends[0]);
  return outcome;
}

std::string find_program(const std::string& name, const std::string& search_path) {
  const auto runs = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) return runs(name) ? name : "";
  std::string folders = search_path;
  if (folders.empty()) {
    const char* path = std::getenv("PATH");
    folders = path ? path : "/usr/local/bin:/usr/bin:/bin";
  }
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    std::string path = folders.substr(start, end - start) + '/' + name;
    if (end > start && runs(path)) return path;
    start = end + 1;
  }
  return "";
}

}  // namespace hypatia
