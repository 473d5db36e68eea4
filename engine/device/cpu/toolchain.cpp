// Finds the compiler and reads the stages out of what `gcc -###` prints.
#include "engine/device/cpu/toolchain.h"

#include <algorithm>
#include <sstream>
#include <sys/stat.h>

#include "engine/device/cpu/process.h"

namespace hypatia {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

namespace {

/// The words of a line that quotes some of them: "-march=x" 'it''s' a\ b.
std::vector<std::string> unquote(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (!quote && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (!quote && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Replaces the one word equal to `word`; false unless there is exactly one.
bool replace_one(std::vector<std::string>& words, const std::string& word, const char* by) {
  if (std::count(words.begin(), words.end(), word) != 1) return false;
  *std::find(words.begin(), words.end(), word) = by;
  return true;
}

/// The word after "-o".
std::string output_of(const std::vector<std::string>& words) {
  const auto option = std::find(words.begin(), words.end(), "-o");
  return option == words.end() || option + 1 == words.end() ? "" : *(option + 1);
}

/// Path, size and time of change of a program: cheaper to ask than its version.
std::string identify(const std::string& path) {
  struct stat s {};

  if (stat(path.c_str(), &s) != 0) return path;
  std::ostringstream text;
  text << path << ' ' << s.st_size << ' ' << s.st_mtim.tv_sec << '.' << s.st_mtim.tv_nsec;
  return text.str();
}

/// What the lines of `-###` say, before it is checked.
struct Printed {
  std::vector<std::vector<std::string>> commands;
  std::string search_path;
};

Printed parse(const std::string& output) {
  Printed printed;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    const std::string path_key = "COMPILER_PATH=";
    if (line.compare(0, path_key.size(), path_key) == 0) {
      printed.search_path = line.substr(path_key.size());
    }
    if (!line.empty() && line[0] == ' ') printed.commands.push_back(unquote(line));
  }
  return printed;
}

/// A program of a stage: a path, or a name to look for where the driver would.
std::string resolve(const std::string& name, const std::string& search_path) {
  const std::string found = search_path.empty() ? "" : find_program(name, search_path);
  return found.empty() ? find_program(name) : found;
}

}  // namespace

std::optional<Toolchain> find_toolchain(const std::string& command) {
  std::vector<std::string> candidates{command};
  if (command.empty()) candidates = {"cc", "gcc", "clang"};
  for (const std::string& candidate : candidates) {
    std::vector<std::string> words = words_of(candidate);
    if (words.empty()) continue;
    std::string identity;
    bool found = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
      // All leading words that are programs count: "ccache gcc", "nice -n 5 gcc".
      const std::string path = find_program(words[i]);
      if (i == 0 && path.empty()) found = false;
      if (i == 0) words[i] = path;
      identity += (path.empty() ? words[i] : identify(path)) + ';';
    }
    if (found) return Toolchain{words, identity};
  }
  return std::nullopt;
}

bool is_clang(const Toolchain& toolchain) {
  std::vector<std::string> command = toolchain.command;
  command.push_back("--version");
  return run_program(command).output.find("clang") != std::string::npos;
}

std::vector<std::string> kernel_flags(bool clang) {
  std::vector<std::string> flags{
      "-O2",
      "-march=native",
      "-mprefer-vector-width=512",
      "-ffp-contract=fast",
      "-fno-math-errno",
      "-fno-trapping-math",
      "-fopenmp-simd",
      "-fPIC",
      "-w",
  };
  if (!clang) {
    flags.insert(
        flags.end(),
        {
            "-ftree-vectorize",
            "-fvect-cost-model=dynamic",
            "--param=vect-epilogues-nomask=0",
        });
  }
  return flags;
}

std::optional<Stages> ask_stages(
    const Toolchain& toolchain, const std::vector<std::string>& flags) {
  std::vector<std::string> command = toolchain.command;
  command.push_back("-###");
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-shared", "-nostdlib", "-x", "c", "-o", "/k.so", "/dev/null"});
  const Outcome outcome = run_program(command);
  if (!outcome.ok()) return std::nullopt;

  Printed printed = parse(outcome.output);
  if (printed.commands.size() != 3) return std::nullopt;
  Stages stages{printed.commands[0], printed.commands[1], {}};
  const std::vector<std::string>& linker = printed.commands[2];
  if (stages.compile.empty() || file_name(stages.compile[0]) != "cc1" || stages.assemble.empty() ||
      file_name(stages.assemble[0]) != "as" || linker.empty() ||
      file_name(linker[0]) != "collect2") {
    return std::nullopt;
  }
  const std::string assembly = output_of(stages.compile);
  const std::string object = output_of(stages.assemble);
  const bool expected = !assembly.empty() && !object.empty() && output_of(linker) == "/k.so" &&
                        replace_one(stages.compile, "/dev/null", source_word) &&
                        replace_one(stages.compile, assembly, assembly_word) &&
                        replace_one(stages.assemble, assembly, assembly_word) &&
                        replace_one(stages.assemble, object, object_word);
  const std::string ld = resolve("ld", printed.search_path);
  stages.compile[0] = resolve(stages.compile[0], printed.search_path);
  stages.assemble[0] = resolve(stages.assemble[0], printed.search_path);
  if (!expected || ld.empty() || stages.compile[0].empty() || stages.assemble[0].empty()) {
    return std::nullopt;
  }
  stages.link = {ld, "-shared", "-z", "now", "-z", "noexecstack", "-o", library_word, object_word};
  return stages;
}

}  // namespace hypatia
