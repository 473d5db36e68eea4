#pragma once
// A page in pieces: its paragraphs, blocks and tables, each with what its author says it is held
// by.

#include <string>
#include <vector>

namespace hypatia::runner {

/// A comment line above a piece, `<!-- figure: 4 MB = 4 * 1000 * 1000 / 1e6 -->`.
struct Hold {
  std::string kind;   // "figure"
  std::string words;  // "4 MB = 4 * 1000 * 1000 / 1e6"
};

/// Lines of a page that belong together.
struct Piece {
  enum class Kind { heading, prose, block, table };

  Kind kind = Kind::prose;
  std::size_t line = 1;  // of the page, from 1
  std::vector<std::string> lines;
  std::string section;  // the heading above it, "## What to do"
  std::vector<Hold> holds;

  std::string text() const;
  /// The words of the first hold of that kind; null if there is none.
  const std::string* held_by(const std::string& kind) const;
};

/// The pieces of a page, in order. A block is fenced, or indented by four; it goes on after an
/// empty line.
std::vector<Piece> pieces_of(const std::string& page);
/// The page as people read it in a terminal.
std::string without_holds(const std::string& page);

}  // namespace hypatia::runner
