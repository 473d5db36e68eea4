#include "engine/device/sim/build.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/device/cpu/process.h"
#include "engine/device/sim/prelude.h"

namespace hypatia::sim {

namespace {

namespace fs = std::filesystem;

// The most dynamic shared memory that any sheet offers; every extern __shared__ array starts it.
constexpr int dynamic_shared_bytes = 233472;

/// The path of the first C++ compiler that is there.
std::string find_compiler() {
  for (const char* name : {"g++", "c++", "clang++"}) {
    std::string path = find_program(name);
    if (!path.empty()) return path;
  }
  throw Error(
      Error::Kind::compile,
      "the simulated GPU needs a C++ compiler to run kernels, and none of g++, c++, clang++ is "
      "installed",
      "install one: apt-get install g++");
}

std::vector<std::string> flags(Build build) {
  std::vector<std::string> all{
      "-x",
      "c++",
      "-std=c++17",
      "-nostdinc",
      "-fPIC",
      "-shared",
      "-w",
      "-fno-exceptions",
      "-fno-rtti",
      "-fno-math-errno",
      "-fno-trapping-math",
      "-fno-threadsafe-statics",
      "-fvisibility=hidden",
      "-fno-semantic-interposition",
      "-fno-extern-tls-init",
      "-fno-asynchronous-unwind-tables",
      "-fmax-errors=8",
      "-fdiagnostics-color=never",
      "-Wl,-Bsymbolic",
  };
  if (build == Build::fast) {
    for (const char* flag : {"-O2", "-ftree-vectorize", "-fsplit-loops", "-march=native"})
      all.emplace_back(flag);
  } else {
    for (const char* flag :
         {"-O1",
          "-g1",
          "-fsanitize=thread",
          "--param=tsan-instrument-func-entry-exit=0",
          // The sanitizer's own library stays out: the prelude answers its calls.
          "-nodefaultlibs"})
      all.emplace_back(flag);
  }
  return all;
}

/// The flags as a compiler takes them: clang knows some by no name.
std::vector<std::string> flags_for(const std::string& compiler, Build build) {
  std::vector<std::string> all = flags(build);
  if (compiler.find("clang") == std::string::npos) return all;
  std::erase_if(all, [](const std::string& flag) {
    return flag == "-fno-extern-tls-init" || flag == "-fsplit-loops" ||
           flag == "-fno-trapping-math" || flag.rfind("--param", 0) == 0 ||
           flag.rfind("-fmax-errors", 0) == 0;
  });
  // Else it leaves out the load of `y[i] += 1`.
  if (build == Build::checked) {
    all.emplace_back("-mllvm");
    all.emplace_back("-tsan-instrument-read-before-write=1");
  }
  return all;
}

/// A text's options as the host compiler takes them; what only NVRTC knows changes nothing here.
std::vector<std::string> translated(const std::vector<std::string>& options) {
  std::vector<std::string> all;
  for (const std::string& option : options) {
    if (option.rfind("-D", 0) == 0 || option.rfind("-U", 0) == 0) all.push_back(option);
    if (option.find("fmad=false") != std::string::npos) all.emplace_back("-ffp-contract=off");
  }
  return all;
}

std::uint64_t hash(std::string_view text, std::uint64_t value) {
  for (const char c : text)
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

/// -march=native makes an object fit one kind of processor; a home directory may serve several.
const std::string& processor() {
  static const std::string text = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string line, all;
    while (std::getline(file, line) && !line.empty()) {
      if (line.rfind("model", 0) == 0 || line.rfind("flags", 0) == 0) all += line;
    }
    return all;
  }();
  return text;
}

std::string hexadecimal(std::uint64_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i)
    text[15 - i] = digits[value >> 4 * i & 15U];
  return text;
}

/// The compiler's message with the user's line below the first error.
[[noreturn]] void refuse(const KernelSource& source, std::string messages) {
  const std::string file = file_name(source);
  constexpr std::size_t longest = 4000;
  if (messages.size() > longest) messages = messages.substr(0, longest) + "\n…";
  while (!messages.empty() && messages.back() == '\n')
    messages.pop_back();
  Error error(
      Error::Kind::compile,
      file + " does not compile for the simulated GPU",
      messages.find("No such file") == std::string::npos
          ? "correct the line that the compiler names first"
          : "a kernel needs no #include: CUDA's types, functions and printf are built in");
  for (std::size_t at = messages.find(file + ":"); at != std::string::npos;
       at = messages.find(file + ":", at + 1)) {
    const int number = std::atoi(messages.c_str() + at + file.size() + 1);
    const std::size_t end = std::min(messages.find('\n', at), messages.size());
    if (number <= 0 || messages.substr(at, end - at).find("error") == std::string::npos) continue;
    error.note("line " + std::to_string(number) + ": " + line_of(source.text, number));
    break;
  }
  throw error.note(messages);
}

/// A file name that no other thread or process uses.
std::string scratch_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(getpid()) + "." + std::to_string(count++);
}

void compile(
    const std::string& compiler,
    const KernelSource& source,
    const std::string& text,
    Build build,
    const fs::path& path) {
  const std::string scratch = scratch_name(path.string());
  const std::string unit = scratch + ".cpp";
  std::error_code ignored;
  {
    std::ofstream file(unit, std::ios::binary);
    file << text;
    if (!file.flush()) {
      throw Error(
          Error::Kind::file,
          "can't write " + unit + ": " + std::strerror(errno),
          "set HYPATIA_COMPILEDIR to a directory with room that you may write to");
    }
  }
  std::vector<std::string> words{compiler};
  for (const std::string& flag : flags_for(compiler, build))
    words.push_back(flag);
  for (const std::string& option : translated(source.options))
    words.push_back(option);
  for (const char* word : {"-o", scratch.c_str(), unit.c_str(), "-lm", "-lc"})
    words.emplace_back(word);
  const Outcome outcome = run_program(words);
  fs::remove(unit, ignored);
  if (outcome.ok()) {
    fs::rename(scratch, path);
    return;
  }
  fs::remove(scratch, ignored);
  refuse(source, outcome.output);
}

}  // namespace

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  while (number-- > 0) {
    if (!std::getline(lines, line)) return "";
  }
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

std::string object_directory() {
  const char* set = std::getenv("HYPATIA_COMPILEDIR");
  const fs::path wanted = fs::path(set && *set ? set : config().compiledir()) / "sim";
  // A home that can't be written to must not keep a class from working.
  const fs::path otherwise =
      fs::temp_directory_path() / ("hypatia-" + std::to_string(getuid())) / "sim";
  for (const fs::path& directory : {wanted, otherwise}) {
    std::error_code failed;
    fs::create_directories(directory, failed);
    if (!failed && access(directory.c_str(), W_OK | X_OK) == 0) return directory.string();
  }
  throw Error(
      Error::Kind::file,
      "neither " + wanted.string() + " nor " + otherwise.string() + " can be written to",
      "set HYPATIA_COMPILEDIR to a directory that you may write to");
}

/// Margins stand before __shared__ arrays of checked objects, but not before `extern` ones.
std::string text_for(const std::string& text, Build build) {
  if (build == Build::fast) return text;
  std::string result = text;
  const std::string word = "extern", shared = "__shared__";
  for (std::size_t at = result.find(word); at != std::string::npos;
       at = result.find(word, at + 1)) {
    const std::size_t next = result.find_first_not_of(" \t\r\n", at + word.size());
    if (next != std::string::npos && result.compare(next, shared.size(), shared) == 0)
      result.replace(next, shared.size(), "thread_local");
  }
  return result;
}

std::string unit_text(const KernelSource& source, const Scan& scan, Build build) {
  std::string text = prelude(build);
  text += "#line 1 \"" + file_name(source) + "\"\n" + text_for(source.text, build) +
          "\n#line 1 \"launch\"\n";
  for (const ScannedKernel& kernel : scan.kernels) {
    const bool threads = kernel.cooperates || build == Build::checked;
    text += (threads ? "HYPATIA_THREADS(" : "HYPATIA_LOOP(") + kernel.name + ")\n";
  }
  // The symbols that `extern __shared__` declares: one thread-local block, a copy for each worker.
  if (!scan.dynamic_shared.empty()) {
    text += "asm(\".pushsection .tbss.dynamic,\\\"awT\\\",@nobits\\n.balign 128\\n\"\n";
    for (const std::string& name : scan.dynamic_shared) {
      text += "\".globl " + name + "\\n.type " + name + ",@object\\n.size " + name + "," +
              std::to_string(dynamic_shared_bytes) + "\\n" + name + ":\\n\"\n";
    }
    text += "\".zero " + std::to_string(dynamic_shared_bytes) + "\\n.popsection\");\n";
  }
  return text;
}

std::string build_object(const KernelSource& source, const Scan& scan, Build build) {
  const std::string text = unit_text(source, scan, build);
  const std::string compiler = find_compiler();
  std::string key = text + processor() + compiler + " ";
  for (const std::string& flag : flags_for(compiler, build))
    key += flag + " ";
  for (const std::string& option : translated(source.options))
    key += option + " ";
  const std::string name =
      hexadecimal(hash(key, 0xcbf29ce484222325U)) + hexadecimal(hash(key, 0x9e3779b97f4a7c15U));
  const fs::path path = fs::path(object_directory()) / (name + ".so");
  if (!fs::exists(path)) compile(compiler, source, text, build, path);
  return path.string();
}

}  // namespace hypatia::sim
