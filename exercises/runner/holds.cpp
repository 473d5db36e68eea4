#include "exercises/runner/holds.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

#include "exercises/runner/command.h"
#include "exercises/runner/figures.h"
#include "exercises/runner/measured.h"
#include "exercises/runner/pieces.h"
#include "exercises/runner/places.h"
#include "exercises/runner/proof.h"
#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

namespace fs = std::filesystem;

constexpr const char* nothing =
    "nothing holds it: put a comment above it that says what does (docs/course/README.md)";
constexpr const char* kinds[] = {
    "figure", "shown", "code of", "held by", "cited", "cited throughout", "table", "end of table"};

bool is_command(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != line.npos && line.compare(begin, 10, "./hypatia ") == 0;
}

// "FILE some words": whether the file has the words.
std::string missing_in_file(const std::string& hold) {
  const std::size_t blank = std::min(hold.find(' '), hold.size());
  const std::string file = root() + "/" + hold.substr(0, blank);
  if (!fs::exists(file)) return "there is no " + hold.substr(0, blank);
  const std::string words = hold.substr(std::min(blank + 1, hold.size()));
  if (words.empty()) return "say what stands in " + hold;
  return read_file(file).find(words) == std::string::npos ? "it does not say '" + words + "'" : "";
}

std::string first_of(const std::vector<std::string>& missing, const char* what) {
  return missing.empty() ? "" : fmt::format("{}: {}", what, missing[0]);
}

class Looker {
 public:
  Looker(const HeldPage& page, const std::vector<Sample>& samples, Trials& trials)
      : page_(page), samples_(samples), trials_(trials) {}

  std::vector<Held> look() {
    const std::vector<Piece> pieces = pieces_of(read_file(page_.path));
    for (const Piece& piece : pieces) {
      if (const std::string* source = piece.held_by("cited throughout")) throughout_ = *source;
    }
    for (const Piece& piece : pieces)
      look_at(piece);
    return std::move(held_);
  }

 private:
  void look_at(const Piece& piece) {
    for (const Hold& hold : piece.holds) {
      if (std::find(std::begin(kinds), std::end(kinds), hold.kind) == std::end(kinds)) {
        held_.push_back(
            {piece.line,
             hold.kind,
             "",
             "is no such comment; there are figure, shown, code of, ..."});
      }
    }
    if (piece.kind == Piece::Kind::block) {
      held_.push_back(block(piece));
    } else {
      figures(piece);
    }
  }

  // The first way that is said or seen to hold the block.
  Held block(const Piece& piece) {
    Held held{piece.line, piece.lines.empty() ? "" : piece.lines[0], "", ""};
    if (const std::string* commands = piece.held_by("shown")) {
      held.how = "shown by " + *commands;
      held.fault = guarded([&] { return not_shown(piece, *commands); });
    } else if (const std::string* file = piece.held_by("code of")) {
      held.how = "code of " + *file;
      held.fault = guarded([&] {
        return first_of(
            lines_not_in_code(piece.lines, read_file(root() + "/" + *file)),
            "the file has no line");
      });
    } else if (piece.held_by("figure")) {
      held.how = "figures";
      stray_figures(piece, true);
    } else if (whole(piece, held)) {
      return held;
    } else if (std::all_of(piece.lines.begin(), piece.lines.end(), is_command)) {
      held.how = "commands, whose verbs and options are there";
    } else if (promised(piece)) {
      held.how = "the solution prints it";  // broken_promises says so if it does not
    } else if (page_.exercise && lines_not_in_code(piece.lines, code()).empty()) {
      held.how = "lines of the starter or the solution";
    } else {
      held.fault = nothing;
    }
    return held;
  }

  void figures(const Piece& piece) {
    for (const std::string& figure : figures_in(piece.text())) {
      Held held{piece.line, figure, "", ""};
      const Hold* const own = of_figure(piece, figure);
      if (own) {
        held.how = "figure " + own->words;
        held.fault = guarded([&] { return not_so(*own); });
      } else if (!whole(piece, held)) {
        held.fault = nothing;
      }
      held_.push_back(held);
    }
    stray_figures(piece, false);
    if (piece.kind == Piece::Kind::table) table(piece);
  }

  // Numbers in a table's cells have no units beside them.
  void table(const Piece& piece) {
    if (piece.lines.size() < 3) return;
    const std::vector<std::string> cells = parts_of(piece.lines[2], '|');
    const bool numbers = std::any_of(cells.begin() + 1, cells.end(), [](const std::string& cell) {
      return cell.find_first_not_of("0123456789,.") == std::string::npos;
    });
    Held held{piece.line, piece.lines[0], "", ""};
    if (!numbers) return;
    if (!whole(piece, held)) held.fault = nothing;
    held_.push_back(held);
  }

  // A comment about a figure that the paragraph does not have any more, or that is not seen as one
  // (`all` of them in a block).
  void stray_figures(const Piece& piece, bool all) {
    const std::string text = without_punctuation(piece.text());
    const std::vector<std::string> seen = figures_in(piece.text());
    for (const Hold& hold : piece.holds) {
      if (hold.kind != "figure") continue;
      const std::string figure = said_by(hold);
      Held held{piece.line, figure, "figure " + hold.words, ""};
      if (text.find(figure) == text.npos) {
        held.fault = "the paragraph does not say '" + figure + "'";
      } else if (!all && std::any_of(seen.begin(), seen.end(), [&](const std::string& other) {
                   return figure.find(other) != figure.npos;
                 })) {
        continue;
      } else {
        held.fault = guarded([&] { return not_so(hold); });
      }
      held_.push_back(held);
    }
  }

  // What is said of a piece as a whole.
  bool whole(const Piece& piece, Held& held) const {
    const std::string* const source = piece.held_by("cited");
    if (source || !throughout_.empty()) {
      held.how = "cited: " + (source ? *source : throughout_);
    } else if (const std::string* file = piece.held_by("held by")) {
      held.how = "held by " + *file;
      held.fault = missing_in_file(*file);
    } else if (const std::string* table = piece.held_by("table")) {
      held.how = "table " + *table;  // the page drifts if it is another
    } else {
      return false;
    }
    return true;
  }

  std::string not_shown(const Piece& piece, const std::string& commands) {
    const bool learners = page_.exercise && edited_here(*page_.exercise) &&
                          commands.find("--solution") == commands.npos;
    if (learners) return "";
    return first_of(
        lines_not_printed(piece.lines, trials_.printed_by(commands)), "it is not printed");
  }

  static std::string said_by(const Hold& hold) {
    return without_punctuation(hold.words.substr(0, hold.words.find(" = ")));
  }

  static const Hold* of_figure(const Piece& piece, const std::string& figure) {
    for (const Hold& hold : piece.holds) {
      if (hold.kind == "figure" && said_by(hold).find(figure) != std::string::npos) return &hold;
    }
    return nullptr;
  }

  std::string not_so(const Hold& hold) const {
    const std::size_t equals = hold.words.find(" = ");
    if (equals == hold.words.npos) return "write it as 'FIGURE = EXPRESSION'";
    const double value = value_of(hold.words.substr(equals + 3), [this](const std::string& name) {
      return page_.exercise ? Measured(*page_.exercise).value(name) : bench_result(name);
    });
    return says(said_by(hold), value) ? "" : fmt::format("it is {:.6g}", value);
  }

  // What goes wrong while something is looked up or run is a fault of the page.
  template <typename Ask>
  static std::string guarded(const Ask& ask) {
    try {
      return ask();
    } catch (const Stop& stop) {
      return stop.message;
    }
  }

  bool promised(const Piece& piece) const {
    return !samples_.empty() && fs::path(page_.path).filename() == "README.md" &&
           broken_promises("## What you should see\n\n" + piece.text(), samples_).empty();
  }

  std::string code() const {
    return read_file(page_.exercise->solution()) + read_file(page_.exercise->source());
  }

  const HeldPage& page_;
  const std::vector<Sample>& samples_;
  Trials& trials_;
  std::string throughout_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<HeldPage> held_pages(const Exercise& exercise) {
  std::vector<HeldPage> pages{{exercise.folder + "/README.md", &exercise}};
  for (const Hint& hint : exercise.hints)
    pages.push_back({exercise.folder + "/" + hint.file, &exercise});
  pages.push_back({root() + "/solutions/" + exercise.id + "/notes.md", &exercise});
  return pages;
}

std::vector<HeldPage> handbook_pages() {
  std::vector<HeldPage> pages;
  const std::string folder = root() + "/docs/course";
  if (!fs::exists(folder)) return pages;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".md") pages.push_back({entry.path().string(), nullptr});
  }
  std::sort(pages.begin(), pages.end(), [](const HeldPage& a, const HeldPage& b) {
    return a.path < b.path;
  });
  return pages;
}

std::vector<Held> held_on(
    const HeldPage& page, const std::vector<Sample>& samples, Trials& trials) {
  return Looker(page, samples, trials).look();
}

}  // namespace hypatia::runner
