// The way from text to code: cache, else stages, else the driver; then load.
#include "engine/device/cpu/compiler.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <signal.h>
#include <sstream>

#include "engine/core/config.h"
#include "engine/core/cores.h"
#include "engine/core/error.h"
#include "engine/device/cpu/module.h"
#include "engine/device/cpu/process.h"

namespace hypatia {

namespace {

// Part of every key: change it when the flags or the format of entries change.
constexpr const char* format_version = "1";

/// A name fit for a file: what isn't a letter, digit or underscore becomes one.
std::string file_stem(const std::string& name) {
  std::string stem = name.empty() ? "kernel" : name.substr(0, 60);
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return stem;
}

std::vector<std::string> fill_in(std::vector<std::string> words, const std::string& folder) {
  for (std::string& word : words) {
    if (word == source_word) word = folder + "/kernel.c";
    if (word == assembly_word) word = folder + "/kernel.s";
    if (word == object_word) word = folder + "/kernel.o";
    if (word == library_word) word = folder + "/kernel.so";
  }
  return words;
}

/// True of signals by which people and systems end programs, not of a compiler's own crash.
bool interrupted(const Outcome& outcome) {
  const int s = outcome.signal;
  return s == SIGINT || s == SIGTERM || s == SIGHUP || s == SIGQUIT || s == SIGKILL;
}

}  // namespace

CompilerOptions CompilerOptions::of_config() {
  CompilerOptions options;
  options.command = config().get("cxx");
  options.flags = words_of(config().get("gcc.cxxflags"));
  options.compiledir = config().compiledir();
  return options;
}

Compiler::Compiler(CompilerOptions options)
    : options_(std::move(options)), cache_(options_.compiledir), turns_(usable_cores()) {}

const Toolchain& Compiler::toolchain() {
  const std::lock_guard lock(mutex_);
  if (!toolchain_) toolchain_ = find_toolchain(options_.command);
  if (!toolchain_) {
    throw Error(
        Error::Kind::compile,
        options_.command.empty() ? std::string("there is no C compiler")
                                 : "the compiler '" + options_.command + "' can't be run",
        "install one (on Debian: apt-get install gcc), or name one with the flag cxx");
  }
  return *toolchain_;
}

const Compiler::Tools& Compiler::tools() {
  const Toolchain& found = toolchain();
  const std::lock_guard lock(mutex_);
  if (!tools_) {
    Tools tools{found, {}, std::nullopt};
    const std::vector<std::string> gcc_flags = kernel_flags(false);
    if (options_.use_stages) tools.stages = ask_stages(found, gcc_flags);
    tools.flags = tools.stages || !is_clang(found) ? gcc_flags : kernel_flags(true);
    tools_ = std::move(tools);
  }
  return *tools_;
}

std::string Compiler::key_of(const KernelSource& source, const Toolchain& toolchain) const {
  std::string text = format_version;
  text += '\n' + toolchain.identity + '\n' + cpu_identity() + '\n';
  text += options_.optimize ? "O2" : "O1";
  for (const std::vector<std::string>* options : {&options_.flags, &source.options}) {
    for (const std::string& option : *options)
      text += '\n' + option;
  }
  return digest(text + '\n' + source.text);
}

Ref<Module> Compiler::find_cached(const KernelSource& source) {
  const std::string path = cache_.find(file_stem(source.name), key_of(source, toolchain()));
  if (path.empty()) return nullptr;
  return Ref<Module>(new HostModule(path, source.entries));
}

Ref<Module> Compiler::compile(const KernelSource& source, CompileReport* report) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  CompileReport made;
  const std::string name = file_stem(source.name);
  const std::string key = key_of(source, toolchain());
  Ref<Module> module;
  made.path = cache_.find(name, key);
  if (!made.path.empty()) {
    made.from_cache = true;
    module = Ref<Module>(new HostModule(made.path, source.entries));
  } else {
    const WorkFolder work(source.text, cache_.folder());
    made.by_stages = build(source, work.path());
    const std::string object = work.path() + "/kernel.so";
    const std::string stored = cache_.store(name, key, object, source.text);
    made.path = stored.empty() ? object : stored;
    // Loaded while the work folder still stands: the object may lie there.
    module = Ref<Module>(new HostModule(made.path, source.entries));
  }
  made.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (report) *report = made;
  return module;
}

/// Makes kernel.so of kernel.c; true if by stages. The driver has the last word, so that messages
/// are the compiler's usual ones.
bool Compiler::build(const KernelSource& source, const std::string& folder) {
  Outcome outcome = build_by_stages(source, folder);
  if (outcome.ok()) return true;
  if (!interrupted(outcome)) outcome = build_by_driver(source, folder);
  if (outcome.ok()) return false;
  if (interrupted(outcome)) {
    throw Error(Error::Kind::compile, "compiling the kernel '" + source.name + "' was interrupted");
  }
  throw Error(Error::Kind::compile, "the kernel '" + source.name + "' does not compile")
      .note(outcome.output);
}

Outcome Compiler::build_by_stages(const KernelSource& source, const std::string& folder) {
  const Tools& with = tools();
  if (!with.stages) return {};
  std::vector<std::string> compile = with.stages->compile;
  const std::string level = "-O2", lower_level = "-O1";
  if (!options_.optimize) std::replace(compile.begin(), compile.end(), level, lower_level);
  compile.insert(compile.end(), options_.flags.begin(), options_.flags.end());
  compile.insert(compile.end(), source.options.begin(), source.options.end());
  Outcome outcome = run_program(fill_in(compile, folder));
  if (outcome.ok()) outcome = run_program(fill_in(with.stages->assemble, folder));
  if (outcome.ok()) outcome = run_program(fill_in(with.stages->link, folder));
  return outcome;
}

Outcome Compiler::build_by_driver(const KernelSource& source, const std::string& folder) {
  const Tools& with = tools();
  std::vector<std::string> command = with.toolchain.command;
  command.insert(command.end(), with.flags.begin(), with.flags.end());
  if (!options_.optimize) command.push_back("-O1");
  command.insert(command.end(), options_.flags.begin(), options_.flags.end());
  command.insert(command.end(), source.options.begin(), source.options.end());
  command.insert(
      command.end(),
      {"-shared", "-nostdlib", "-x", "c", "-o", folder + "/kernel.so", folder + "/kernel.c"});
  return run_program(command);
}

bool Compiler::Pending::ready() const {
  return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

Ref<Module> Compiler::Pending::get() {
  return future_.get();
}

Compiler::Pending Compiler::compile_async(KernelSource source) {
  Pending pending;
  if (Ref<Module> cached = find_cached(source)) {
    std::promise<Ref<Module>> known;
    known.set_value(std::move(cached));
    pending.future_ = known.get_future();
    return pending;
  }
  pending.future_ = std::async(std::launch::async, [this, source = std::move(source)] {
    turns_.acquire();
    const auto release = [](std::counting_semaphore<>* turns) { turns->release(); };
    const std::unique_ptr<std::counting_semaphore<>, decltype(release)> turn(&turns_, release);
    return compile(source);
  });
  return pending;
}

std::string Compiler::describe() {
  try {
    const Tools& with = tools();
    std::vector<std::string> command = with.toolchain.command;
    command.push_back("--version");
    const std::string said = run_program(command).output;
    return said.substr(0, said.find('\n')) +
           (with.stages ? ", called stage by stage" : ", called through its driver");
  } catch (const Error& error) {
    return error.summary();
  }
}

}  // namespace hypatia
