#include "exercises/runner/pieces.h"

#include <algorithm>
#include <optional>

#include "exercises/runner/text.h"

namespace hypatia::runner {

namespace {

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == line.npos ? "" : line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
}

std::optional<Hold> hold_of(const std::string& line) {
  const std::string text = trimmed(line);
  if (text.rfind("<!-- ", 0) != 0 || text.size() < 9 || text.substr(text.size() - 4) != " -->") {
    return std::nullopt;
  }
  const std::string inside = text.substr(5, text.size() - 9);
  const std::size_t colon = inside.find(": ");
  if (colon == inside.npos) return Hold{inside, ""};
  return Hold{inside.substr(0, colon), inside.substr(colon + 2)};
}

Piece::Kind kind_of(const std::string& line) {
  if (line.rfind("    ", 0) == 0) return Piece::Kind::block;
  if (line.rfind('|', 0) == 0) return Piece::Kind::table;
  if (line.rfind('#', 0) == 0) return Piece::Kind::heading;
  return Piece::Kind::prose;
}

class Cutter {
 public:
  std::vector<Piece> cut(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      ++at_;
      take(line);
    }
    return std::move(pieces_);
  }

 private:
  void take(const std::string& line) {
    const bool fence = trimmed(line).rfind("```", 0) == 0;
    if (fence && !fenced_) open(Piece::Kind::block);
    if (fence) fenced_ = !fenced_;
    if (fence && !fenced_) open_ = false;
    if (fence) return;
    if (fenced_) return pieces_.back().lines.push_back(line);
    if (trimmed(line).empty()) {
      empty_ = true;
      return;
    }
    if (std::optional<Hold> hold = hold_of(line)) {
      holds_.push_back(std::move(*hold));
      open_ = false;
      return;
    }
    add(line, kind_of(line));
  }

  void add(const std::string& line, Piece::Kind kind) {
    const bool block = kind == Piece::Kind::block;
    const bool goes_on =
        open_ && pieces_.back().kind == kind && (block || !empty_) && kind != Piece::Kind::heading;
    if (!goes_on) open(kind);
    empty_ = false;
    pieces_.back().lines.push_back(line);
    if (kind == Piece::Kind::heading) section_ = pieces_.back().section = line;
  }

  void open(Piece::Kind kind) {
    pieces_.push_back({kind, at_, {}, section_, {}});
    pieces_.back().holds.swap(holds_);
    open_ = true;
    empty_ = false;
  }

  std::vector<Piece> pieces_;
  std::vector<Hold> holds_;  // of the piece to come
  std::string section_;
  std::size_t at_ = 0;
  bool fenced_ = false, open_ = false, empty_ = false;
};

}  // namespace

std::string Piece::text() const {
  std::string all;
  for (const std::string& line : lines)
    all += line + "\n";
  return all;
}

const std::string* Piece::held_by(const std::string& kind_of_hold) const {
  const auto at = std::find_if(
      holds.begin(), holds.end(), [&](const Hold& hold) { return hold.kind == kind_of_hold; });
  return at == holds.end() ? nullptr : &at->words;
}

std::vector<Piece> pieces_of(const std::string& page) {
  return Cutter().cut(lines_of(page));
}

std::string without_holds(const std::string& page) {
  std::string text;
  for (const std::string& line : lines_of(page)) {
    if (!hold_of(line)) text += line + "\n";
  }
  return text;
}

}  // namespace hypatia::runner
