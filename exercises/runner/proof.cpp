// Proves an exercise: complete, fails at the start for its declared reason, solvable, not fooled.
#include "exercises/runner/proof.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/patch.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/program.h"
#include "exercises/runner/sha256.h"
#include "exercises/runner/structure.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr double most_check_seconds = 2, endless_seconds = 2;

Proof of(std::string what, bool holds, std::string detail = "") {
  return {std::move(what), holds ? "pass" : "fail", holds ? "" : std::move(detail)};
}

void prove_starter(const Exercise& exercise, std::vector<Proof>& proofs) {
  const std::string hash = sha256(read_file(exercise.source()));
  if (hash != exercise.starter_sha256) {
    const bool edited = edited_here(exercise);
    proofs.push_back(
        {"the starter fails for its declared reason",
         edited ? "skip" : "fail",
         edited ? "the file was edited here" : "the sheet's starter.sha256 should be " + hash});
    return;
  }
  ProgramRequest request;
  request.exercise = &exercise;
  request.device = usual_device(exercise);
  request.capture = true;
  request.limit_seconds = 60;
  const Outcome outcome = run_program(request);
  proofs.push_back(of("the starter builds and runs", outcome.good(), outcome.output));
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.device = usual_device(exercise);
  const Verdict verdict = check(asked);
  const TestResult* failure = verdict.first_failure();
  const bool declared = verdict.status == "fail" && failure &&
                        failure->name == exercise.starter_fails &&
                        failure->tag == exercise.starter_tag;
  proofs.push_back(of("the starter fails for its declared reason", declared, to_text(verdict)));
  proofs.push_back(
      of("the starter compiles without warnings", verdict.complaints.empty(), to_text(verdict)));
}

// Kernels of the learner's own: what is right must be right in every access, too.
bool has_raw_kernels(const Exercise& exercise) {
  return !exercise.runs_on("cpu");
}

// What the sheet says of an answer is what the check measures, on each device that can tell.
void prove_answers(const Verdict& verdict, std::vector<Proof>& proofs) {
  for (const Question& question : verdict.exercise->questions) {
    if (!is_measured_on(question, verdict.device)) continue;
    const auto found = verdict.measured.find(question.name);
    const bool there = found != verdict.measured.end();
    proofs.push_back(
        of("the answer to '" + question.name + "' is measured on " + verdict.device,
           there && is_right(question, question.answer, found->second),
           there ? "the sheet says " + std::to_string(question.answer) + ", measured is " +
                       std::to_string(found->second)
                 : "the check measures nothing of that name"));
  }
}

/// The exercise's devices that this machine has.
std::vector<std::string> devices_here(const Exercise& exercise) {
  std::vector<std::string> here = exercise.devices;
  std::erase_if(here, [](const std::string& device) {
    return device == "cuda" && !look_at_device(device).usable;
  });
  return here;
}

void prove_solution(const Exercise& exercise, std::vector<Proof>& proofs) {
  for (const std::string& device : devices_here(exercise)) {
    double quickest = std::numeric_limits<double>::infinity();  // the first one waits for compilers
    for (const char* seed : {"1", "2", "3"}) {
      CheckRequest asked;
      asked.exercise = &exercise;
      asked.solution = true;
      asked.device = device;
      asked.seed = seed;
      const Verdict verdict = check(asked);
      proofs.push_back(
          of("the solution passes on " + device + ", seed " + seed,
             verdict.passed(),
             to_text(verdict)));
      quickest = std::min({quickest, verdict.seconds, verdict.cpu_seconds});
      if (std::string(seed) == "1") prove_answers(verdict, proofs);
    }
    proofs.push_back(
        of("its check on " + device + " takes at most " + duration(most_check_seconds),
           quickest <= most_check_seconds,
           "it takes " + duration(quickest)));
  }
  if (!has_raw_kernels(exercise)) return;
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.solution = true;
  asked.device = "sim";
  asked.race = true;
  const Verdict verdict = check(asked);
  proofs.push_back(of("the solution's accesses are right", verdict.passed(), to_text(verdict)));
}

// What a line above the patch says of it: "says: uphill", "with: --race". "" if there is none.
std::string told_above(const std::string& patch, const std::string& key) {
  for (const std::string& line : lines_of(patch)) {
    if (line.rfind("@@", 0) == 0) break;
    if (line.rfind(key + ": ", 0) == 0) return line.substr(key.size() + 2);
  }
  return "";
}

// What is wrong with how the check takes a wrong answer; "" if it is rejected as it should.
std::string fault_of_rejection(
    const Exercise& exercise, const std::string& program, const std::string& patch) {
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.solution = true;
  asked.program = program;
  asked.device = exercise.needs_gpu() ? "sim" : "cpu";
  // Other programs must not decide whether a clock was stopped too early.
  asked.flags = asked.device == "sim" ? "sim.host_time=modelled" : "";
  asked.race = told_above(patch, "with") == "--race";
  const Verdict verdict = check(asked);
  if (verdict.passed()) return "the check passed it, on " + asked.device;
  const std::string words = told_above(patch, "says");
  const TestResult* failure = verdict.first_failure();
  const std::string said = failure ? failure->message : verdict.message;
  if (said.find(words) != std::string::npos) return "";
  return "the check should say '" + words + "', it says '" + said + "'";
}

void prove_mutants(const Exercise& exercise, std::vector<Proof>& proofs, const Told& told) {
  const std::string solution = read_file(exercise.solution());
  for (const std::string& patch : wrong_answers(exercise)) {
    const std::string name = fs::path(patch).stem().string();
    told(exercise.id + ": the wrong answer " + name);
    const std::string mutant = apply_patch(solution, read_file(patch));
    const std::string path = build_variant(exercise, name, mutant);
    Proof proof{"the wrong answer " + name + " is rejected", "pass", ""};
    if (path.empty()) {
      proof = {proof.what, "fail", "it does not compile, so it proves nothing"};
    } else if (const std::string fault = fault_of_rejection(exercise, path, read_file(patch));
               !fault.empty()) {
      proof = {proof.what, "fail", fault};
    }
    proofs.push_back(proof);
  }
}

// However a learner's file hangs, the check ends.
void prove_end(const Exercise& exercise, std::vector<Proof>& proofs) {
  std::string text = read_file(exercise.solution());
  const std::size_t main = text.rfind("\nint main(");
  if (main == std::string::npos) return;
  // Before main, so that it runs whatever the check calls first.
  text.insert(
      main,
      "\nstatic const int forever = []() -> int {\n"
      "  for (volatile int i = 0;;)\n    static_cast<void>(i);\n}();\n");
  const std::string path = build_variant(exercise, "endless", text);
  if (path.empty()) {
    proofs.push_back({"an endless loop is ended", "fail", "the loop does not compile"});
    return;
  }
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.solution = true;
  asked.program = path;
  asked.limit_seconds = endless_seconds;
  asked.device = usual_device(exercise);
  const Verdict verdict = check(asked);
  proofs.push_back(of("an endless loop is ended", verdict.status == "timeout", to_text(verdict)));
}

}  // namespace

std::vector<std::string> wrong_answers(const Exercise& exercise) {
  std::vector<std::string> all;
  const fs::path folder = exercise.folder + "/mutants";
  if (!fs::exists(folder)) return all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".patch") all.push_back(entry.path().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool edited_here(const Exercise& exercise) {
  const bool remembered = std::any_of(
      starters().begin(), starters().end(), [&](const Starter& s) { return s.id == exercise.id; });
  return remembered && sha256(read_file(exercise.source())) != exercise.starter_sha256;
}

bool passes_everywhere(const Exercise& exercise, const std::string& path, double limit_seconds) {
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.solution = true;
  asked.program = path;
  asked.limit_seconds = limit_seconds;
  for (const std::string& device : exercise.devices) {
    if (device == "cuda") continue;
    asked.device = device;
    // Other programs must not decide whether a clock was stopped too early.
    asked.flags = device == "sim" ? "sim.host_time=modelled" : "";
    if (!check(asked).passed()) return false;
  }
  asked.device = "sim";
  asked.race = true;
  return !has_raw_kernels(exercise) || check(asked).passed();
}

std::vector<Proof> prove(const Exercise& exercise, bool mutants, const Told& told) {
  std::vector<Proof> proofs = prove_structure(exercise);
  if (proofs[0].status == "fail") return proofs;
  told(exercise.id + ": the starter");
  prove_starter(exercise, proofs);
  told(exercise.id + ": the solution");
  prove_solution(exercise, proofs);
  if (!mutants) return proofs;
  prove_mutants(exercise, proofs, told);
  prove_end(exercise, proofs);
  return proofs;
}

}  // namespace hypatia::runner
