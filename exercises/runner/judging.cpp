// Compiles a submission with the commands that ninja would use, and runs two programs with a pair
// of sockets between them.
#include "exercises/runner/judging.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "exercises/runner/build.h"
#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/diagnose.h"
#include "exercises/runner/places.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace fs = std::filesystem;

namespace {

const char* const seen_as = "/submission/exercise.cpp";

std::vector<std::string> ninja_commands(const std::string& target) {
  Task task;
  task.words = {"ninja", "-C", build_folder(), "-t", "commands", target};
  task.most_output = std::size_t{1} << 26;
  const Outcome outcome = run(task);
  if (!outcome.good()) throw Stop{exit_environment, "ninja does not know " + target, ""};
  return lines_of(outcome.output);
}

// The compiler and its options, without the cache before it and without files.
std::vector<std::string> compiler_of(const std::string& command) {
  std::vector<std::string> words = shell_words(command), kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (kept.empty() && word.find("ccache") != std::string::npos) continue;
    if (word == "-MD") continue;
    if (word == "-MT" || word == "-MF" || word == "-o" || word == "-c") {
      ++i;
      continue;
    }
    kept.push_back(word);
  }
  return kept;
}

// The linker's words with $OBJECT for the solution's object, and the files that it reads.
void read_link(const std::string& command, Judge& judge) {
  for (const std::string& word : shell_words(command)) {
    if (word == ":" || word == "&&") continue;
    const fs::path path = fs::path(build_folder()) / word;
    if (word.find("/solution.cpp.o") != std::string::npos) {
      judge.link.emplace_back("$OBJECT");
      continue;
    }
    if (!judge.link.empty() && judge.link.back() == "-o") {
      judge.link.emplace_back("$PROGRAM");
      continue;
    }
    judge.link.push_back(word);
    if (word[0] != '/' && word[0] != '-' && fs::is_regular_file(path)) {
      judge.readable.push_back(path.string());
    }
  }
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Another thread's child may hold what this process has open for writing, and such a file can't be
// run: another program writes it.
void install(const std::string& bytes, const std::string& path) {
  write_file(path + ".bytes", bytes);
  Task task;
  task.words = {"install", "-m", "755", path + ".bytes", path};
  if (!run(task).good()) throw Stop{exit_environment, "can't write " + shown(path), ""};
}

std::string script_for(const Judge& judge, const std::string& source) {
  std::string compile, link;
  for (const std::string& word : judge.compile)
    compile += quoted(word) + " ";
  for (const std::string& word : judge.link) {
    link += word == "$OBJECT"    ? "\"$TMPDIR/submission.o\" "
            : word == "$PROGRAM" ? "\"$TMPDIR/program\" "
                                 : quoted(word) + " ";
  }
  return compile + "-o \"$TMPDIR/submission.o\" -c " + quoted(source) + " && " + link +
         " && cat \"$TMPDIR/program\" >&\"$HYPATIA_REPORT\"";
}

// The folder that stands for $TMPDIR where nothing is confined.
void settle(Task& task, const Sandbox& sandbox, const std::string& scratch) {
  if (sandbox.confines()) return;
  for (auto& [name, value] : task.environment) {
    if (name == "TMPDIR" || name == "HOME") value = scratch;
  }
}

// The program's bytes; "" with the verdict's reason if there is none.
std::string compiled(
    const Judge& judge, const Submitted& file, const Sandbox& sandbox, Verdict& verdict) {
  const std::string source = file.scratch + "/exercise.cpp";
  write_file(source, file.text);
  Confined program;
  program.words = {"bash", "-c", script_for(judge, sandbox.confines() ? seen_as : source)};
  program.readable = judge.readable;
  program.renamed = {{source, seen_as}};
  program.folder = build_folder();
  program.limits.seconds = judge.exercise->build_seconds;
  program.user = file.slot * 2;
  Task task = sandbox.task(program);
  settle(task, sandbox, file.scratch);
  task.report = true;
  task.most_report = std::size_t{1} << 27;
  Outcome outcome = run(task);
  verdict.build_seconds = outcome.seconds;
  if (outcome.good() && !outcome.report.empty() && outcome.report.size() < task.most_report) {
    return outcome.report;
  }
  verdict.status = outcome.timed_out ? "timeout" : "build";
  verdict.tags = {verdict.status};
  verdict.complaints = complaints_of(outcome.output);
  for (Complaint& complaint : verdict.complaints) {
    if (complaint.file == shown(seen_as)) complaint.file = "exercise.cpp";
  }
  if (outcome.timed_out) {
    verdict.message = "the compiler took longer than " + duration(judge.exercise->build_seconds);
  } else if (verdict.complaints.empty()) {
    verdict.message = tail(outcome.output, 4);
  }
  return "";
}

// Two connected ends; one for each program.
struct Ends {
  int of[2] = {-1, -1};

  Ends() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, of) != 0) {
      throw Stop{exit_environment, "can't open a pair of sockets: too many open files?", ""};
    }
  }

  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  ~Ends() {
    close(0);
    close(1);
  }

  void close(int which) {
    if (of[which] >= 0) ::close(of[which]);
    of[which] = -1;
  }
};

Task program_task(
    const Sandbox& sandbox,
    const Submitted& file,
    const std::string& path,
    const Limits& limits,
    int user,
    int end) {
  Confined program;
  program.words = {"/submission/program"};
  if (!sandbox.confines()) program.words = {path};
  program.renamed = {{path, "/submission/program"}};
  program.limits = limits;
  program.user = user;
  Task task = sandbox.task(program);
  settle(task, sandbox, file.scratch);
  task.environment.emplace_back("HYPATIA_BORDER", std::to_string(end));
  task.environment.emplace_back(
      "HYPATIA_FLAGS",
      "device=" + file.device + ",force_device=True,base_compiledir=" +
          (sandbox.confines() ? std::string("/tmp/kernels") : file.scratch + "/kernels"));
  task.keep_open = end;
  return task;
}

// The check's verdict, and what became of the learner's program if that ended on its own.
void judged(const Outcome& check, Outcome learner, double limit, Verdict& verdict) {
  read_verdict(verdict, check, limit);
  verdict.output = learner.output;
  if (verdict.passed() || learner.stopped) return;
  unwrap(learner);
  if (learner.signal == SIGPIPE) return;  // it wrote on to a check that was done with it
  if (learner.timed_out || learner.signal != 0 || learner.code != 0) {
    const Diagnosis diagnosis = diagnose(learner, limit);
    verdict.status = learner.timed_out ? "timeout" : "crash";
    verdict.message = diagnosis.message;
    if (!diagnosis.tag.empty()) verdict.tags = {diagnosis.tag};
  }
}

void asked(const Judge& judge, const Submitted& file, const Sandbox& sandbox, Verdict& verdict) {
  Limits limits;
  limits.seconds = judge.exercise->test_seconds;
  if (file.most_seconds > 0) limits.seconds = std::min(limits.seconds, file.most_seconds);
  Ends ends;
  Task check = program_task(sandbox, file, judge.check, limits, file.slot * 2 + 1, ends.of[0]);
  check.words.insert(check.words.end(), {"--seed", file.seed});
  check.report = true;
  Limits more = limits;
  more.seconds += 5;  // the check's own limit comes first
  Task learner =
      program_task(sandbox, file, file.scratch + "/program", more, file.slot * 2, ends.of[1]);
  std::atomic<bool> done = false;
  learner.stop = &done;
  Outcome of_learner;
  std::thread beside([&] {
    of_learner = run(learner);
    ends.close(1);  // so that the check hears of its end
  });
  const Outcome of_check = run(check);
  done = true;
  beside.join();
  judged(of_check, of_learner, limits.seconds, verdict);
}

}  // namespace

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == ' ') {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      inside = true;
    } else if (c == quote) {
      quote = 0;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < line.size()) ++i;
      word += line[i];
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

bool can_be_graded(const Exercise& exercise) {
  return fs::exists(exercise.folder + "/border.cpp");
}

Judge judge_for(const Exercise& exercise) {
  Judge judge;
  judge.exercise = &exercise;
  if (!can_be_graded(exercise)) {
    throw Stop{
        exit_authoring,
        exercise.id + " has no border.cpp, which says what is graded",
        "docs/course/grading.md tells how to write one"};
  }
  const std::string check = exercise.target("judge"), graded = exercise.target("graded");
  const Built built = build({check, graded}, 600);
  if (!built.ok) {
    throw Stop{exit_environment, check + " does not build: " + tail(built.log, 4), ""};
  }
  judge.check = program(check);
  const std::vector<std::string> commands = ninja_commands(graded);
  const auto compiles = std::find_if(commands.begin(), commands.end(), [&](const std::string& c) {
    return c.find(exercise.id + "/solution.cpp") != std::string::npos &&
           c.find("graded_" + exercise.id) != std::string::npos &&
           c.find(" -c ") != std::string::npos;
  });
  if (compiles == commands.end()) {
    throw Stop{exit_environment, "can't find how " + graded + " is compiled", ""};
  }
  judge.compile = compiler_of(*compiles);
  judge.readable = {root() + "/engine", root() + "/exercises/support"};
  read_link(commands.back(), judge);
  return judge;
}

Verdict grade(const Judge& judge, const Submitted& file, const Sandbox& sandbox) {
  Verdict verdict;
  verdict.exercise = judge.exercise;
  verdict.file = file.path;
  verdict.device = file.device;
  verdict.sha256 = sha256(file.text);
  const std::string program = compiled(judge, file, sandbox, verdict);
  if (program.empty()) return verdict;
  install(program, file.scratch + "/program");
  asked(judge, file, sandbox, verdict);
  return verdict;
}

}  // namespace hypatia::runner
