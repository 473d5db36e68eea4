#pragma once
// Figures in a text: what they are, and whether a value is what one says.

#include <functional>
#include <string>
#include <vector>

namespace hypatia::runner {

/// The figures of a text, as they stand there: numbers with a unit of time, size, speed or share
/// ("1.25 MB"), counts of nodes, kernels, copies and transfers ("five kernels"), factors ("ten
/// times"), ratios ("0 of 400") and shares in words ("a twelfth"). A line's end counts as a blank.
std::vector<std::string> figures_in(const std::string& text);
/// The words of a text with one blank between, and as inside a sentence: "Half of it." is "half of
/// it". What figures_in finds stands in it.
std::string without_punctuation(const std::string& text);
/// True if the figure is what the value rounds to: "1.25 MB" says 1.245 to 1.255, "13,100" 13,050
/// to 13,150, "five" 5, "a third" 0.30 to 0.37.
bool says(const std::string& figure, double value);
/// The line with "…" for what is measured anew in each run: times, shares and factors.
std::string without_measured(const std::string& line);

/// What a name in an expression stands for. Throws Stop if it is not known.
using Lookup = std::function<double(const std::string& name)>;
/// The value of "4 * 1000 * (1000 + x) / 1e6"; "{…}" is one name. Throws Stop (authoring) if it
/// can't be read.
double value_of(const std::string& expression, const Lookup& lookup);

}  // namespace hypatia::runner
