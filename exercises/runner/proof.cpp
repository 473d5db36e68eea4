// Proves an exercise: complete, fails at the start for its declared reason, solvable, not fooled.
#include "exercises/runner/proof.h"

#include <algorithm>
#include <filesystem>

#include "exercises/runner/checker.h"
#include "exercises/runner/command.h"
#include "exercises/runner/machine.h"
#include "exercises/runner/patch.h"
#include "exercises/runner/places.h"
#include "exercises/runner/predictions.h"
#include "exercises/runner/program.h"
#include "exercises/runner/sha256.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_hints = 3, least_mutants = 3;

Proof of(std::string what, bool holds, std::string detail = "") {
  return {std::move(what), holds ? "pass" : "fail", holds ? "" : std::move(detail)};
}

std::vector<fs::path> patches(const Exercise& exercise) {
  std::vector<fs::path> all;
  const fs::path folder = exercise.folder + "/mutants";
  if (!fs::exists(folder)) return all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".patch") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Proof complete(const Exercise& exercise) {
  std::string missing;
  const std::string beside = root() + "/solutions/" + exercise.id;
  for (const std::string& path :
       {exercise.folder + "/README.md",
        exercise.source(),
        exercise.folder + "/check.cpp",
        exercise.solution(),
        beside + "/notes.md"}) {
    if (!fs::exists(path)) missing += " " + shown(path);
  }
  for (const Hint& hint : exercise.hints) {
    if (!fs::exists(exercise.folder + "/" + hint.file)) missing += " " + hint.file;
  }
  if (exercise.hints.size() < least_hints) missing += " (3 hints)";
  if (patches(exercise).size() < least_mutants) missing += " (3 mutants)";
  return of("its files are complete", missing.empty(), "missing:" + missing);
}

void prove_starter(const Exercise& exercise, std::vector<Proof>& proofs) {
  const std::string text = read_file(exercise.source());
  if (sha256(text) != exercise.starter_sha256) {
    const bool edited = std::any_of(starters().begin(), starters().end(), [&](const Starter& s) {
      return s.id == exercise.id;
    });
    proofs.push_back(
        {"the starter fails for its declared reason",
         edited ? "skip" : "fail",
         edited ? "the file was edited here"
                : "the sheet's starter.sha256 should be " + sha256(text)});
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

void prove_solution(const Exercise& exercise, std::vector<Proof>& proofs) {
  for (const std::string& device : exercise.devices) {
    if (device == "cuda") continue;  // where there is one, `check --device cuda` asks
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
      if (std::string(seed) == "1") prove_answers(verdict, proofs);
    }
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

// A wrong answer may be wrong on one kind of device only: transfers cost nothing on the cpu.
bool passes_everywhere(const Exercise& exercise, const std::string& path) {
  CheckRequest asked;
  asked.exercise = &exercise;
  asked.solution = true;
  asked.program = path;
  for (const std::string& device : exercise.devices) {
    if (device == "cuda") continue;
    asked.device = device;
    if (!check(asked).passed()) return false;
  }
  asked.device = "sim";
  asked.race = true;
  return !has_raw_kernels(exercise) || check(asked).passed();
}

void prove_mutants(const Exercise& exercise, std::vector<Proof>& proofs) {
  const std::string solution = read_file(exercise.solution());
  for (const fs::path& patch : patches(exercise)) {
    const std::string name = patch.stem().string();
    const std::string mutant = apply_patch(solution, read_file(patch.string()));
    const std::string path = build_variant(exercise, name, mutant);
    Proof proof{"the wrong answer " + name + " is rejected", "pass", ""};
    if (path.empty()) {
      proof = {proof.what, "fail", "it does not compile, so it proves nothing"};
    } else {
      if (passes_everywhere(exercise, path)) proof = {proof.what, "fail", "the check passed it"};
    }
    proofs.push_back(proof);
  }
}

}  // namespace

std::vector<Proof> prove(const Exercise& exercise, bool mutants) {
  std::vector<Proof> proofs{complete(exercise)};
  if (proofs[0].status == "fail") return proofs;
  prove_starter(exercise, proofs);
  prove_solution(exercise, proofs);
  if (mutants) prove_mutants(exercise, proofs);
  return proofs;
}

}  // namespace hypatia::runner
