#pragma once
// Text for people: colours where they show, columns, durations, and the nearest of some names.

#include <string>
#include <string_view>
#include <vector>

namespace hypatia::runner {

enum class Colour { plain, good, bad, dim, strong, link };

/// The text in a colour if stdout is a terminal and NO_COLOR is unset; a word always says the same.
std::string paint(Colour colour, std::string_view text);
/// The text as a link to a file, by its absolute path, for terminals that know links; the text
/// alone where paint() shows no colour.
std::string link_to(std::string_view path, std::string_view text);
/// "1.4 s", "12.3 ms", "840 us", "3 min 20 s".
std::string duration(double seconds);
/// Breaks at blanks so that no line is longer than `width`; each new line starts with `indent`.
std::string wrap(std::string_view text, std::size_t width = 100, std::string_view indent = "");
/// Rows with columns padded to the widest cell, two blanks between; beyond the first
/// column a cell of at most four words that starts with a digit is aligned right.
std::string table(const std::vector<std::vector<std::string>>& rows);
/// "" if the word is one of the names, else "Did you mean 'check'?", else the list of names.
std::string near_names(std::string_view word, const std::vector<std::string>& names);
/// The lines of a text, without their ends.
std::vector<std::string> lines_of(std::string_view text);
/// What stands between the separators, without blanks around it; empty parts are left out.
std::vector<std::string> parts_of(std::string_view text, char separator);
/// At most so many columns of a line, with … for what is cut off.
std::string beginning(std::string_view line, std::size_t columns);
/// The last lines, at most `count`.
std::string tail(std::string_view text, std::size_t count);

}  // namespace hypatia::runner
