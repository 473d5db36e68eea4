#pragma once
// Small words about text, for messages: joining, splitting, trimming, and names that look alike.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hypatia {

/// "a, b, c".
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");
/// The pieces between separators; one empty piece for an empty text.
std::vector<std::string> split(std::string_view text, char separator);
/// Without blanks, tabs and line ends on either side.
std::string_view trimmed(std::string_view text);
/// "1 element", "3 elements".
std::string counted(std::int64_t n, std::string_view noun);
/// The shortest text that reads back as the same number, as Python writes it: "0.1", "1e-05",
/// "2.0".
std::string number_text(double value);
/// Single insertions, deletions, replacements and swaps of neighbours that make `b` of `a`.
int edit_distance(std::string_view a, std::string_view b);
/// The candidates, up to three, that somebody who wrote `word` most likely meant: the nearest ones,
/// and none if they are far.
std::vector<std::string> near_names(std::string_view word, std::span<const std::string> candidates);

}  // namespace hypatia
