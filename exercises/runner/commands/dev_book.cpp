// `hypatia dev book [NN]`: makes the pages of docs/course/book, or says how they have drifted, and
// how each block and figure of the course's texts is held true.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/core/cores.h"

#include "exercises/runner/book.h"
#include "exercises/runner/commands/dev.h"
#include "exercises/runner/holds.h"
#include "exercises/runner/measured.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string folder() {
  return root() + "/docs/course/book/";
}

std::string in_tree(const std::string& path) {
  return std::filesystem::exists(path) ? read_file(path) : "";
}

// What is wrong with a page, as lines for people; writes it unless it is only checked.
std::vector<std::string> settle(const std::string& path, const std::string& made, bool only_check) {
  const std::string before = in_tree(path), drift = book_drift(before, made);
  if (drift.empty()) return {};
  if (!only_check) {
    write_file(path, book_text(before, made));
    return {};
  }
  std::vector<std::string> faults{shown(path) + " is not as it would be made now:"};
  for (const std::string& line : lines_of(tail(drift, 12)))
    faults.push_back("  " + line);
  faults.emplace_back("  ./hypatia dev book makes it anew");
  return faults;
}

// The tables of a page, which are made of what was measured.
std::vector<std::string> settle_tables(
    const std::string& path, const Measured& measured, bool only_check) {
  const std::string before = read_file(path), made = measured.with_tables(before);
  if (made == before) return {};
  if (!only_check) {
    write_file(path, made);
    return {};
  }
  return {shown(path) + ": a table is not what was measured; ./hypatia dev book makes it anew"};
}

// What one exercise, or the handbook, came to.
struct Checked {
  std::vector<std::string> faults, listed;

  void add(const std::vector<std::string>& more) {
    faults.insert(faults.end(), more.begin(), more.end());
  }

  void add(const HeldPage& page, const std::vector<Sample>& samples, Trials& trials) {
    for (const std::string& line : unknown_commands(without_holds(read_file(page.path))))
      faults.push_back(shown(page.path) + " names a command that is not there: " + line);
    for (const Held& held : held_on(page, samples, trials)) {
      const std::string line = fmt::format("{}:{}: {}", shown(page.path), held.line, held.what);
      listed.push_back(line + "  [" + (held.fault.empty() ? held.how : "held by nothing") + "]");
      if (!held.fault.empty()) faults.push_back(line + ": " + held.fault);
    }
  }
};

Checked check(const Exercise& exercise, const Arguments& arguments) {
  const bool only_check = arguments.has("--check") || arguments.has("--list");
  Checked checked;
  Trials trials;
  Measured measured(exercise);
  if (arguments.has("--measure")) measured.measure();
  for (const HeldPage& page : held_pages(exercise))
    checked.add(settle_tables(page.path, measured, only_check));
  const std::vector<Sample> samples = run_samples(exercise, only_check);
  const std::string page = read_file(exercise.folder + "/README.md");
  for (const std::string& line : broken_promises(page, samples))
    checked.faults.push_back(
        exercise.id + ": the page promises what the solution doesn't print: " + line);
  for (const HeldPage& held : held_pages(exercise))
    checked.add(held, samples, trials);
  checked.add(measured.faults(trials));
  checked.add(settle(folder() + exercise.id + ".md", book_page(exercise, samples), only_check));
  return checked;
}

Checked check_handbook(const Arguments& arguments) {
  const bool only_check = arguments.has("--check") || arguments.has("--list");
  Checked checked;
  Trials trials;
  for (const HeldPage& page : handbook_pages())
    checked.add(page, {}, trials);
  checked.add(settle(folder() + "README.md", book_contents(), only_check));
  return checked;
}

// On as many threads as there are cores, but where times are measured.
std::vector<Checked> check_all(
    const std::vector<const Exercise*>& chosen, const Arguments& arguments) {
  std::vector<Checked> all(chosen.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < chosen.size(); i = next++) {
      try {
        all[i] = check(*chosen[i], arguments);
      } catch (const Stop& stop) {
        all[i].faults.push_back(stop.message);
      }
    }
  };
  std::vector<std::thread> workers;
  const int more = arguments.has("--measure") ? 0 : usable_cores() - 1;
  for (int i = 0; i < more; ++i)
    workers.emplace_back(work);
  work();
  for (std::thread& worker : workers)
    worker.join();
  return all;
}

}  // namespace

int dev_book(const Arguments& arguments) {
  const std::vector<const Exercise*> chosen = chosen_exercises(arguments);
  std::vector<Checked> all = check_all(chosen, arguments);
  all.push_back(check_handbook(arguments));
  Checked sum;
  for (const Checked& one : all) {
    sum.add(one.faults);
    sum.listed.insert(sum.listed.end(), one.listed.begin(), one.listed.end());
  }
  if (arguments.json()) {
    const nlohmann::json document{
        {"schema", 1}, {"pages", chosen.size()}, {"held", sum.listed}, {"faults", sum.faults}};
    std::printf("%s\n", document.dump(2).c_str());
  } else {
    for (const std::string& line : arguments.has("--list") ? sum.listed : sum.faults)
      std::printf("%s\n", line.c_str());
    std::printf(
        "%zu pages, %zu blocks and figures, %s\n",
        chosen.size(),
        sum.listed.size(),
        sum.faults.empty() ? "all as they are made now" : "with faults");
  }
  return sum.faults.empty() ? exit_pass : exit_authoring;
}

}  // namespace hypatia::runner
