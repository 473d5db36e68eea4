#include "exercises/runner/mutate.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "exercises/runner/build.h"
#include "exercises/runner/command.h"
#include "exercises/runner/places.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr double mutant_seconds = 20;  // endless loops are common among mutants

// A pattern within a line and what becomes of it; $1 is its first group.
struct MutationRule {
  const char* kind;
  const char* pattern;
  const char* replacement;
};

constexpr MutationRule rules[] = {
    {"drop barrier", R"(^(\s*)(?:__syncthreads|__syncwarp|\w+\.sync)\([^)]*\);)", "$1"},
    {"drop statement", R"(^(\s*)[\w.\[\]]+(?: [-+*]?= .*|\(.*\));$)", "$1;"},
    {"< to <=", R"( < )", " <= "},
    {"<= to <", R"( <= )", " < "},
    {"> to >=", R"( > )", " >= "},
    {">= to >", R"( >= )", " > "},
    {"== to !=", R"( == )", " != "},
    {"swap index", R"(((?:thread|block)Idx|blockDim)\.x)", "$1.y"},
    {"swap index", R"(((?:thread|block)Idx|blockDim)\.y)", "$1.x"},
    {"swap operands", R"(\((\w+), (\w+)\))", "($2, $1)"},
    {"swap input", R"(\bx0\[)", "x1["},
    {"swap input", R"(\bx1\[)", "x0["},
    {"swap output", R"(\bz0\[)", "z1["},
    {"swap output", R"(\bz1\[)", "z0["},
    {"off-by-one index", R"((\w)\[(\w+)\])", "$1[$2 + 1]"},
    {"off-by-one stride", R"( \* ([a-z]\w*)(?![\w(]))", " * ($1 + 1)"},
    {"missing guard", R"(\bif \((.*)\)( \{| \w|$))", "if (true)$2"},
    {"missing guard", R"(\w[\w.\[\]]* (?:<|<=|>|>=|==) [\w.]+ && )", ""},
    {"missing guard", R"( && \w[\w.\[\]]* (?:<|<=|>|>=|==) [\w.]+)", ""},
    {"wrong dtype", R"(\bfloat32\b)", "float64"},
    {"wrong dtype", R"(\bfloat64\b)", "float32"},
    {"wrong dtype", R"(\bfmatrix\b)", "dmatrix"},
    {"wrong dtype", R"(\bfloat ?\*)", "double *"},
    {"+ to -", R"( \+ )", " - "},
    {"- to +", R"( - )", " + "},
    {"* to +", R"( \* )", " + "},
    {"/ to *", R"( / )", " * "},
    {"off-by-one operand", R"(\b([a-z]\w*)\(([a-z]\w*)\))", "$1($2 + 1)"},
    {"other function", R"(\bexp\()", "log("},
    {"other function", R"(\bcos\()", "sin("},
    {"drop step", R"(\.\w+\(""\))", ""},
    {"drop sign", R"(([({,=] ?)-(\w))", "$1$2"},
    {"constant change", R"(\b0x1p-(\d+))", "0x1p-1$1"},
    {"constant change", R"(\b1\b(?![.\w]))", "2"},
    {"constant change", R"(\b0\b(?![.\w]))", "1"},
    {"constant change", R"(\b([2-9]|[1-9]\d+)\b(?![.\w]))", "($1 - 1)"},
    {"constant change", R"(\b(\d+\.\d+)\b)", "($1 + 1)"},
    {"true to false", R"(\btrue\b)", "false"},
    {"false to true", R"(\bfalse\b)", "true"},
};

std::string without_spaces(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : line.substr(begin, line.find_last_not_of(' ') - begin + 1);
}

std::string lines_as_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

// Where the line's comment begins. Text in quotes is not the learner's computation either, but
// kernels are text: only names of functions are left alone, which stand after ".name = ".
std::size_t code_length(const std::string& line) {
  return std::min({line.find("//"), line.find(".name = "), line.find(".doc = "), line.size()});
}

void add_mutants_of_line(
    const std::vector<std::string>& lines, std::size_t at, std::vector<Mutant>& all) {
  const std::string& line = lines[at];
  const std::string code = line.substr(0, code_length(line));
  for (const MutationRule& rule : rules) {
    const std::regex pattern(rule.pattern);
    for (std::sregex_iterator found(code.begin(), code.end(), pattern), end; found != end;
         ++found) {
      std::vector<std::string> changed = lines;
      // The prefix of a later match begins behind the one before.
      changed[at] = code.substr(0, static_cast<std::size_t>(found->position())) +
                    found->format(rule.replacement) + found->suffix().str() +
                    line.substr(code.size());
      if (changed[at] == line) continue;
      Mutant mutant{
          rule.kind,
          at + 1,
          without_spaces(line),
          without_spaces(changed[at]),
          lines_as_text(changed)};
      const bool known = std::any_of(
          all.begin(), all.end(), [&](const Mutant& m) { return m.text == mutant.text; });
      if (!known) all.push_back(mutant);
    }
  }
}

// "survived", "killed", "does not build" or "equivalent".
std::string fate_of(
    const Exercise& exercise,
    const Mutant& mutant,
    std::size_t number,
    const std::vector<Equivalent>& equivalents) {
  for (const Equivalent& equivalent : equivalents) {
    if (equivalent.line == mutant.after) return "equivalent";
  }
  const std::string name = "mutant-" + std::to_string(number);
  const std::string path = build_variant(exercise, name, mutant.text);
  if (path.empty()) return "does not build";
  const bool passed = passes_everywhere(exercise, path, mutant_seconds);
  std::filesystem::remove_all(std::filesystem::path(path).parent_path());
  return passed ? "survived" : "killed";
}

}  // namespace

std::vector<std::string> mutation_kinds() {
  std::vector<std::string> kinds;
  for (const MutationRule& rule : rules) {
    if (kinds.empty() || kinds.back() != rule.kind) kinds.emplace_back(rule.kind);
  }
  return kinds;
}

std::vector<Mutant> mutants_of(const std::string& text, const std::vector<Region>& regions) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<Mutant> all;
  for (const Region& region : regions) {
    for (std::size_t at = region.begin; at < std::min(region.end, lines.size()); ++at)
      add_mutants_of_line(lines, at, all);
  }
  return all;
}

double MutationScore::share() const {
  const double of = static_cast<double>(killed) + static_cast<double>(survived.size());
  return of > 0 ? killed / of : 1;
}

MutationScore try_mutants(
    const Exercise& exercise,
    const std::vector<Mutant>& mutants,
    const std::vector<Equivalent>& equivalents,
    const std::function<void(const Mutant&, const std::string& fate)>& told) {
  MutationScore score;
  std::atomic<std::size_t> next{0};
  std::mutex one_at_a_time;
  const auto work = [&] {
    for (std::size_t i = next++; i < mutants.size(); i = next++) {
      const std::string fate = fate_of(exercise, mutants[i], i, equivalents);
      const std::lock_guard lock(one_at_a_time);
      score.killed += fate == "killed" ? 1 : 0;
      score.no_program += fate == "does not build" ? 1 : 0;
      score.equivalent += fate == "equivalent" ? 1 : 0;
      if (fate == "survived") score.survived.push_back(mutants[i]);
      told(mutants[i], fate);
    }
  };
  // One builds what all share first.
  if (!build({exercise.target("check_solution")}, exercise.build_seconds).ok) {
    throw Stop{exit_authoring, "the solution of " + exercise.id + " does not build", ""};
  }
  std::exception_ptr fault;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {  // as where the tree changes under it: the others end, and then it is told
      const std::lock_guard lock(one_at_a_time);
      fault = std::current_exception();
      next = mutants.size();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(guarded);
  guarded();
  for (std::thread& thread : threads)
    thread.join();
  if (fault) std::rethrow_exception(fault);
  return score;
}

std::vector<Equivalent> equivalents_of(const Exercise& exercise) {
  const std::string path = exercise.folder + "/mutants/equivalent.json";
  std::vector<Equivalent> all;
  if (!std::filesystem::exists(path)) return all;
  try {
    for (const nlohmann::json& entry : nlohmann::json::parse(read_file(path)))
      all.push_back({entry.at("line"), entry.at("why")});
  } catch (const nlohmann::json::exception& error) {
    throw Stop{exit_authoring, shown(path) + ": " + error.what(), ""};
  }
  return all;
}

}  // namespace hypatia::runner
