// Command lines of bwrap, setpriv and prlimit.
#include "exercises/runner/sandbox.h"

#include <filesystem>
#include <thread>
#include <unistd.h>

#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

void add(Words& to, const Words& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// bubblewrap makes a path's folders for root alone.
void add_folders(Words& words, const fs::path& path) {
  std::vector<std::string> folders;
  for (fs::path up = path.parent_path(); up != up.root_path(); up = up.parent_path())
    folders.insert(folders.begin(), up.string());
  for (const std::string& folder : folders)
    add(words, {"--perms", "0755", "--dir", folder});
}

void add_file(Words& words, const std::string& from, const std::string& to) {
  add_folders(words, to);
  add(words, {"--ro-bind", from, to});
}

// /bin and its like: links into /usr, or folders of their own on older systems.
void add_system(Words& words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const char* name : {"bin", "sbin", "lib", "lib32", "lib64"}) {
    const fs::path path = fs::path("/") / name;
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
      add(words, {"--symlink", fs::read_symlink(path, ignored).string(), path.string()});
    } else if (fs::is_directory(path, ignored)) {
      add(words, {"--ro-bind", path.string(), path.string()});
    }
  }
  for (const char* name : {"/etc/alternatives", "/etc/ld.so.cache"}) {
    if (fs::exists(name)) add_file(words, name, name);
  }
  // A course that lies in /usr would show its solutions.
  for (const std::string& own : {root(), build_folder()}) {
    if (own.rfind("/usr/", 0) == 0) add(words, {"--tmpfs", own});
  }
}

// Root is no one there; anyone else stays who they are, in a user namespace.
Words identity(int user) {
  constexpr unsigned first = 2'000'000'000U, most = 1'000'000U;
  const unsigned id =
      first + static_cast<unsigned>(::getpid()) % most * 64U + static_cast<unsigned>(user) % 64U;
  const std::string text = std::to_string(id);
  return {
      "setpriv",
      "--reuid",
      text,
      "--regid",
      text,
      "--clear-groups",
      "--no-new-privs",
      "--bounding-set=-all",
      "--inh-caps=-all",
      "--"};
}

Words bounds(const Limits& limits) {
  constexpr long mega = 1 << 20;
  // Threads count as processes, and an engine has one for each core.
  const long processes = limits.processes + static_cast<long>(std::thread::hardware_concurrency());
  const long seconds = static_cast<long>(limits.seconds * 4) + 1;
  return {
      "prlimit",
      "--nproc=" + std::to_string(processes),
      "--as=" + std::to_string(limits.megabytes * mega),
      "--fsize=" + std::to_string(limits.file_megabytes * mega),
      "--cpu=" + std::to_string(seconds),
      "--nofile=256",
      "--core=0",
      "--"};
}

Words wrapper(const Confined& program) {
  Words words{"bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"};
  add(words, {"--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "grading"});
  add_system(words);
  add(words, {"--proc", "/proc", "--dev", "/dev"});
  const std::string bytes = std::to_string(program.limits.file_megabytes << 20);
  add(words, {"--perms", "1777", "--size", bytes, "--tmpfs", "/tmp"});
  for (const std::string& path : program.readable)
    add_file(words, path, path);
  for (const auto& [from, to] : program.renamed)
    add_file(words, from, to);
  add(words, {"--chdir", program.folder.empty() ? "/tmp" : program.folder});
  if (::geteuid() == 0) {
    add(words, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"});
    words.emplace_back("--");
    add(words, identity(program.user));
  } else {
    add(words, {"--unshare-user", "--"});
  }
  return words;
}

// What to do about a refusal, by bubblewrap's words for it.
std::string help_for(const std::string& refusal) {
  std::string way =
      "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or "
      "kernel.apparmor_restrict_unprivileged_userns=0)";
  if (refusal.find("max_") != std::string::npos) {
    way = "allow more user namespaces (sysctl user.max_user_namespaces=10000)";
  } else if (fs::exists("/.dockerenv") || fs::exists("/run/.containerenv")) {
    way =
        "this is a container: start it with --security-opt seccomp=unconfined --cap-add SYS_ADMIN";
  }
  return way + ", or grade files that you trust with --trust";
}

}  // namespace

Sandbox::Sandbox(bool trust) : trust_(trust) {
  if (trust) return;
  Confined trial;
  trial.words = {"true"};
  Task first = task(trial);
  const Outcome outcome = run(first);
  if (outcome.good()) return;
  if (!outcome.started) {
    throw Stop{
        exit_unsupported,
        "grading runs other people's programs, and bubblewrap, which confines them, is missing",
        "as root: apt-get install bubblewrap; or grade files that you trust with --trust"};
  }
  const std::vector<std::string> said = lines_of(outcome.output);
  throw Stop{
      exit_unsupported,
      "grading runs other people's programs, and this system refuses to confine them: " +
          (said.empty() ? "bubblewrap does not say why" : said.back()),
      help_for(outcome.output)};
}

Task Sandbox::task(const Confined& program) const {
  Task task;
  task.inherit = false;
  task.limit_seconds = program.limits.seconds;
  task.most_output = std::size_t{1} << 16;
  task.environment = {{"HOME", "/tmp"}, {"LANG", "C.UTF-8"}, {"TMPDIR", "/tmp"}};
  if (trust_) {
    task.words = bounds(program.limits);
    task.folder = program.folder.empty() ? "/tmp" : program.folder;
  } else {
    task.words = wrapper(program);
    add(task.words, bounds(program.limits));
  }
  add(task.words, program.words);
  return task;
}

std::string Sandbox::description() const {
  if (trust_) return "not confined (--trust): limits of time, memory and processes alone";
  return std::string("confined by bubblewrap: own pid, network, mount and ") +
         (::geteuid() == 0 ? "ipc namespaces, a user of its own" : "user namespaces") +
         "; limits of time, memory, processes, files and output";
}

void unwrap(Outcome& outcome) {
  if (outcome.signal == 0 && outcome.code > 128 && outcome.code < 128 + 65) {
    outcome.signal = outcome.code - 128;
    outcome.code = 0;
  }
}

}  // namespace hypatia::runner
