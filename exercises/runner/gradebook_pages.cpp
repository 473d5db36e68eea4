// Gradebooks for people: a table for the terminal and a page for the browser.
#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "exercises/runner/gradebook.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

constexpr std::size_t width = 100;
constexpr const char* flag_sign = " &#9873;";

// One letter a verdict, beside its word in the legend.
char letter(const std::string& status) {
  static const std::map<std::string, char> letters{
      {"pass", '+'},
      {"fail", '-'},
      {"build", 'b'},
      {"timeout", 't'},
      {"crash", 'c'},
      {"missing", '.'},
      {"unreadable", '!'},
  };
  const auto found = letters.find(status);
  return found == letters.end() ? '?' : found->second;
}

std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

// Which results a row is about.
using Takes = std::function<bool(const Result&)>;

Takes of_exercise(const std::string& id) {
  return [id](const Result& result) { return result.verdict.exercise->id == id; };
}

Takes teaching(const std::string& what) {
  return [what](const Result& result) {
    const std::vector<std::string>& all = result.verdict.exercise->teaches;
    return std::find(all.begin(), all.end(), what) != all.end();
  };
}

// What went wrong: the commonest tags, with how many verdicts had them.
std::vector<std::pair<std::string, int>> tags_of(const Gradebook& book, const Takes& takes) {
  std::map<std::string, int> counts;
  for (const Result& result : book.results) {
    if (!takes(result) || result.verdict.passed()) continue;
    for (const std::string& tag : result.verdict.tags)
      ++counts[tag];
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  return sorted;
}

struct Sums {
  int passed = 0, handed_in = 0, attempts = 0, hints = 0;
  double minutes = 0;
};

Sums sums_of(const Gradebook& book, const Takes& takes) {
  Sums sums;
  for (const Result& result : book.results) {
    if (!takes(result)) continue;
    const std::string& status = result.verdict.status;
    sums.passed += result.verdict.passed() ? 1 : 0;
    sums.handed_in += status != "missing" && status != "unreadable" ? 1 : 0;
    sums.attempts += result.verdict.attempts;
    sums.hints += result.verdict.hints_used;
    sums.minutes += result.minutes;
  }
  return sums;
}

// Of all learners, also those of whom nothing could be read.
std::string points_of(const Gradebook& book) {
  std::vector<int> points;
  for (const Learner& learner : book.learners)
    points.push_back(book.passed(learner.who));
  if (points.empty()) return "";
  std::sort(points.begin(), points.end());
  const std::size_t count = points.size();
  double sum = 0;
  for (const int each : points)
    sum += each;
  const double median = (points[(count - 1) / 2] + points[count / 2]) / 2.0;
  return fmt::format(
      "points of {}: mean {:.1f}, median {:.1f}, of {}",
      count == 1 ? "1 learner" : fmt::format("{} learners", count),
      sum / static_cast<double>(count),
      median,
      book.exercises.size());
}

std::string learner_rows(const Gradebook& book) {
  std::string numbers;
  for (const std::string& id : book.exercises)
    numbers += id.substr(0, 2) + " ";
  std::string text = fmt::format(
      "{:<30} {:>6} {:>8} {:>5} {:>7}  ", "who", "passed", "attempts", "hints", "minutes");
  const std::size_t before = text.size();
  text += cut(numbers, width - before) + "\n";
  for (const Learner& learner : book.learners) {
    const Sums sums = sums_of(book, [&](const Result& r) { return r.who == learner.who; });
    std::string marks;
    for (const std::string& id : book.exercises) {
      const Result* result = book.find(learner.who, id);
      marks += std::string(1, result ? letter(result->verdict.status) : ' ') + "  ";
    }
    text += fmt::format(
        "{:<30} {:>6} {:>8} {:>5} {:>7.0f}  {}\n",
        cut(learner.who, 30),
        fmt::format("{}/{}", sums.passed, book.exercises.size()),
        sums.attempts,
        sums.hints,
        sums.minutes,
        cut(marks, width - before));
  }
  return text + points_of(book) + "\n" +
         "+ passed  - wrong  b does not compile  t too slow  c crashed  . missing  "
         "! unreadable\n";
}

std::string rows_head(const char* what) {
  return fmt::format(
      "{:<24} {:>6} {:>9} {:>8} {:>5}  {}\n",
      what,
      "passed",
      "handed in",
      "attempts",
      "hints",
      "why not");
}

std::string sums_row(const Gradebook& book, const std::string& name, const Takes& takes) {
  const Sums sums = sums_of(book, takes);
  std::string reasons;
  for (const auto& [tag, count] : tags_of(book, takes))
    reasons += fmt::format("{} {}, ", count, tag);
  if (reasons.size() > 2) reasons.resize(reasons.size() - 2);
  return fmt::format(
      "{:<24} {:>6} {:>9} {:>8} {:>5}  {}\n",
      cut(name, 24),
      sums.passed,
      sums.handed_in,
      sums.attempts,
      sums.hints,
      cut(reasons, 44));
}

std::string exercise_rows(const Gradebook& book) {
  std::string text = rows_head("exercise");
  for (const std::string& id : book.exercises)
    text += sums_row(book, id, of_exercise(id));
  return text;
}

// What the graded exercises teach, in the course's order, each with their numbers.
std::vector<std::pair<std::string, std::string>> concepts_of(const Gradebook& book) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& id : book.exercises) {
    for (const std::string& what : find_exercise(id).teaches) {
      const auto known = std::find_if(
          all.begin(), all.end(), [&](const auto& each) { return each.first == what; });
      auto& entry = known == all.end() ? all.emplace_back(what, "") : *known;
      entry.second += " " + id.substr(0, 2);
    }
  }
  return all;
}

std::string concept_rows(const Gradebook& book) {
  std::string text = rows_head("concept");
  for (const auto& [what, numbers] : concepts_of(book))
    text += sums_row(book, what + " (" + numbers.substr(1) + ")", teaching(what));
  return text;
}

std::string remarks(const Gradebook& book) {
  std::string text;
  const auto add = [&](const std::string& line) {
    text += "  " + wrap(line, width - 2, std::string(6, ' ')) + "\n";
  };
  for (const Learner& learner : book.learners) {
    if (!learner.problem.empty()) add(learner.who + ": " + learner.problem);
    for (const std::string& note : learner.notes)
      add(learner.who + ": " + note);
  }
  for (const Result& result : book.results) {
    for (const std::string& flag : result.flags)
      add(result.who + ", " + result.verdict.exercise->id + ": " + flag);
  }
  if (!text.empty()) text = "\nto look at by hand\n" + text;
  std::string names;
  for (const std::string& name : book.left_out)
    names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) text += "\n" + wrap("left out: " + names, width, std::string(10, ' ')) + "\n";
  return text;
}

// Whole UTF-8 with nothing that a browser would take for a tag.
std::string html(const std::string& text) {
  const std::string whole =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (const char c : nlohmann::json::parse(whole).get<std::string>()) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_cell(const Result* result) {
  if (!result) return "<td></td>";
  const Verdict& verdict = result->verdict;
  std::string more = why(verdict);
  for (const std::string& flag : result->flags)
    more += "\nto look at: " + flag;
  return fmt::format(
      "<td class=\"{}\" title=\"{}\">{}{}</td>",
      verdict.passed()              ? "good"
      : verdict.status == "missing" ? "none"
                                    : "bad",
      html(more),
      html(
          verdict.passed()           ? "passed"
          : verdict.status == "fail" ? "wrong"
                                     : verdict.status),
      result->flags.empty() ? "" : flag_sign);
}

std::string html_learners(const Gradebook& book) {
  std::string text = "<h2>Learners</h2>\n<table><tr><th>who</th><th>passed</th>";
  for (const std::string& id : book.exercises)
    text += "<th>" + html(id) + "</th>";
  text += "<th>attempts</th><th>hints</th><th>minutes</th></tr>\n";
  for (const Learner& learner : book.learners) {
    const Sums sums = sums_of(book, [&](const Result& r) { return r.who == learner.who; });
    std::string notes;
    for (const std::string& note : learner.notes)
      notes += (notes.empty() ? "" : "\n") + note;
    text += fmt::format(
        "<tr><th title=\"{}\">{}{}</th><td>{}/{}</td>",
        html(notes),
        html(learner.who),
        notes.empty() ? "" : flag_sign,
        sums.passed,
        book.exercises.size());
    for (const std::string& id : book.exercises)
      text += html_cell(book.find(learner.who, id));
    text += fmt::format(
        "<td>{}</td><td>{}</td><td>{:.0f}</td></tr>\n", sums.attempts, sums.hints, sums.minutes);
  }
  return text + "</table>\n";
}

std::string html_sums(
    const Gradebook& book, const std::string& name, const Takes& takes, double of) {
  const Sums sums = sums_of(book, takes);
  std::string reasons;
  for (const auto& [tag, count] : tags_of(book, takes))
    reasons += fmt::format("{} {}<br>", count, html(tag));
  return fmt::format(
      "<tr><th>{}</th><td>{}</td><td><div class=\"bar\" style=\"width:{:.0f}px\"></div></td>"
      "<td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      html(name),
      sums.passed,
      160 * sums.passed / std::max(1.0, of),
      sums.handed_in,
      sums.attempts,
      sums.hints,
      reasons);
}

std::string html_head(const char* title, const char* what) {
  return fmt::format(
      "<h2>{}</h2>\n<table><tr><th>{}</th><th>passed</th><th></th>"
      "<th>handed in</th><th>attempts</th><th>hints</th><th>why not</th></tr>\n",
      title,
      what);
}

std::string html_exercises(const Gradebook& book) {
  std::string text = html_head("Exercises", "exercise");
  for (const std::string& id : book.exercises)
    text += html_sums(book, id, of_exercise(id), static_cast<double>(book.learners.size()));
  return text + "</table>\n";
}

std::string html_concepts(const Gradebook& book) {
  std::string text = html_head("Concepts", "concept");
  for (const auto& [what, numbers] : concepts_of(book)) {
    const Takes takes = teaching(what);
    const auto of = std::count_if(book.results.begin(), book.results.end(), takes);
    text += html_sums(book, what + " (" + numbers.substr(1) + ")", takes, static_cast<double>(of));
  }
  return text + "</table>\n";
}

const char* const style =
    "<style>body{font:15px/1.5 sans-serif;margin:2em auto;max-width:75em;color:#222}"
    "table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.25em .6em;text-align:left}"
    "tr:first-child th{background:#eee}.good{background:#d7efd9}.bad{background:#f7d9d5}"
    ".none{color:#777}.bar{height:.9em;background:#4b8f5a}pre{white-space:pre-wrap}</style>\n";

}  // namespace

std::string to_text(const Gradebook& book, ReportOrder order) {
  const std::string learners = learner_rows(book), exercises = exercise_rows(book);
  const std::string first = order == ReportOrder::concepts ? concept_rows(book) + "\n" : "";
  return first +
         (order == ReportOrder::learners ? learners + "\n" + exercises
                                         : exercises + "\n" + learners) +
         remarks(book);
}

std::string to_html(const Gradebook& book, ReportOrder order) {
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The "
      "class</title>\n" +
      std::string(style) + "</head><body>\n<h1>The class</h1>\n";
  page += fmt::format(
      "<p>{} learners, {} exercises. Inputs of seed {}; device: {}; {}. Attempts, hints and "
      "minutes "
      "are what the learners' own journals tell. A cell's title says why; &#9873; marks what to "
      "look "
      "at by hand.</p>\n",
      book.learners.size(),
      book.exercises.size(),
      html(book.seed),
      html(book.device),
      html(book.confinement));
  page += "<p>" + html(points_of(book)) + "</p>\n";
  const std::string learners = html_learners(book), exercises = html_exercises(book);
  if (order == ReportOrder::concepts) page += html_concepts(book);
  page += order == ReportOrder::learners ? learners + exercises : exercises + learners;
  const std::string more = remarks(book);
  if (!more.empty()) page += "<h2>More</h2>\n<pre>" + html(more) + "</pre>\n";
  return page + "</body></html>\n";
}

}  // namespace hypatia::runner
