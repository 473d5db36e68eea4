// NumPy's print of an array, in the style of the tutorials: 8 significant decimals, 75 columns,
// "..., " in the middle of what has more than 1000 elements.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "engine/core/array.h"

namespace hypatia {

namespace {

constexpr std::size_t line_width = 75;
constexpr std::int64_t threshold = 1000, edge_items = 3;
constexpr int precision = 8;

template <class T>
std::string chars(T value, std::chars_format format) {
  char buffer[400];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr};
}

template <class T>
std::string chars(T value, std::chars_format format, int digits) {
  char buffer[400];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format, digits).ptr};
}

/// A number in parts: "-1", "25", "+10".
struct Parts {
  std::string whole, fraction, exponent;
};

Parts split_number(const std::string& text) {
  const std::size_t e = std::min(text.find('e'), text.size());
  const std::size_t point = std::min(text.find('.'), e);
  Parts p{text.substr(0, point), "", e < text.size() ? text.substr(e + 1) : ""};
  if (point < e) p.fraction = text.substr(point + 1, e - point - 1);
  return p;
}

/// The shortest digits that read back as the same number, rounded to 8 decimals where more.
template <class T>
Parts parts(T value, std::chars_format format) {
  Parts p = split_number(chars(value, format));
  if (p.fraction.size() > precision) p = split_number(chars(value, format, precision));
  p.fraction.erase(p.fraction.find_last_not_of('0') + 1);
  return p;
}

std::string padded_left(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string padded_right(std::string text, std::size_t width, char fill) {
  if (text.size() < width) text.append(width - text.size(), fill);
  return text;
}

template <class T>
std::string special(T value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

/// One number alone, as Python prints it.
template <class T>
std::string alone(T value) {
  if (!std::isfinite(value)) return special(value);
  const double size = std::abs(static_cast<double>(value));
  if (size != 0 && (size < 1e-4 || size >= 1e16))
    return chars(value, std::chars_format::scientific);
  const std::string text = chars(value, std::chars_format::fixed);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

template <class T>
bool wants_exponents(const std::vector<T>& values) {
  T least = std::numeric_limits<T>::infinity(), most = 0;
  for (T v : values) {
    if (!std::isfinite(v) || v == 0) continue;
    least = std::min(least, std::abs(v));
    most = std::max(most, std::abs(v));
  }
  return most > 0 && (most >= T(1e8) || static_cast<double>(least) < 0.0001 || most / least > 1000);
}

/// Floats of one array share their widths, so that points stand below each other.
template <class T>
std::vector<std::string> float_cells(const std::vector<T>& values) {
  const bool exponents = wants_exponents(values);
  std::vector<Parts> split_values;
  std::size_t whole = 0, fraction = 0, exponent = 0;
  bool all_finite = true;
  for (T v : values) {
    all_finite &= std::isfinite(v);
    split_values.push_back(
        !std::isfinite(v)
            ? Parts{}
            : parts(v, exponents ? std::chars_format::scientific : std::chars_format::fixed));
    if (!std::isfinite(v)) continue;
    const Parts& p = split_values.back();
    whole = std::max(whole, p.whole.size() - (p.whole[0] == '-') + 1);
    fraction = std::max(fraction, p.fraction.size());
    exponent = std::max(exponent, p.exponent.size());
  }
  if (exponents) whole = 3, fraction = precision;
  const std::size_t right = fraction + (exponents ? exponent + 1 : 0);
  // Room for a sign before "inf", which the point's place counts into.
  if (!all_finite) whole = std::max(whole, right + 1 < 4 ? 4 - (right + 1) : 0);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Parts& p = split_values[i];
    if (!std::isfinite(values[i])) {
      cells.push_back(padded_left(special(values[i]), whole + 1 + right));
    } else if (exponents) {
      cells.push_back(
          padded_left(p.whole, whole) + "." + padded_right(p.fraction, fraction, '0') + "e" +
          p.exponent[0] + std::string(exponent - p.exponent.size(), '0') + p.exponent.substr(1));
    } else {
      cells.push_back(padded_left(p.whole, whole) + "." + padded_right(p.fraction, fraction, ' '));
    }
  }
  return cells;
}

template <class T>
std::vector<std::string> cells_of(const std::vector<T>& values) {
  if constexpr (std::is_floating_point_v<T>) {
    // As the tutorials' NumPy did it, float32 too shows 8 decimals: 1.23178029, not 1.2317803.
    return float_cells(std::vector<double>(values.begin(), values.end()));
  } else {
    std::vector<std::string> cells;
    std::size_t width = 0;
    for (T v : values) {
      if constexpr (std::is_same_v<T, bool>) {
        cells.push_back(v ? " True" : "False");
      } else {
        cells.push_back(std::to_string(v));
      }
      width = std::max(width, cells.back().size());
    }
    for (std::string& c : cells)
      c = padded_left(c, width);
    return cells;
  }
}

/// Lays out the cells of the shown elements, in row-major order, in nested brackets.
class Layout {
 public:
  Layout(const Dims& dims, bool summary, std::vector<std::string> cells)
      : dims_(dims), summary_(summary), cells_(std::move(cells)) {}

  // The depth is the rank, at most 8.
  std::string block(int axis) {
    const std::string indent(static_cast<std::size_t>(axis) + 1, ' ');
    return axis == dims_.rank() - 1 ? row(indent) : rows(axis, indent);
  }

 private:
  bool cut(int axis) const { return summary_ && dims_[axis] > 2 * edge_items; }

  std::int64_t shown(int axis) const { return cut(axis) ? 2 * edge_items : dims_[axis]; }

  std::string row(const std::string& indent) {
    const int axis = dims_.rank() - 1;
    std::string done, line = indent;
    const auto add = [&](const std::string& word) {
      if (line.size() + word.size() > line_width) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t i = 0; i < shown(axis); ++i) {
      if (i) line += ' ';
      if (i == edge_items && cut(axis)) {
        add("...");
        line += ", ";
      }
      add(cells_[next_++]);
    }
    return "[" + (done + line).substr(indent.size()) + "]";
  }

  std::string rows(int axis, const std::string& indent) {
    const std::string gap(static_cast<std::size_t>(dims_.rank() - 1 - axis), '\n');
    std::string text = "[";
    for (std::int64_t i = 0; i < shown(axis); ++i) {
      if (i) text += gap + indent;
      if (i == edge_items && cut(axis)) text += "..., \n" + indent;
      text += block(axis + 1);
    }
    return text + "]";
  }

  const Dims& dims_;
  bool summary_;
  std::vector<std::string> cells_;
  std::size_t next_ = 0;
};

/// The elements that a print shows, in row-major order.
template <class T>
std::vector<T> shown_elements(const Array& a, bool summary) {
  Dims index = Dims::filled(a.rank(), 0);
  std::vector<T> values;
  for (int axis = 0; axis >= 0;) {
    std::int64_t at = 0;
    for (int i = 0; i < a.rank(); ++i)
      at += index[i] * a.strides()[i];
    values.push_back(*reinterpret_cast<const T*>(static_cast<const char*>(a.address()) + at));
    for (axis = a.rank() - 1; axis >= 0; --axis) {
      const std::int64_t size = a.dims()[axis];
      ++index[axis];
      if (summary && size > 2 * edge_items && index[axis] == edge_items)
        index[axis] = size - edge_items;
      if (index[axis] < size) break;
      index[axis] = 0;
    }
  }
  return values;
}

template <class T>
std::string text_of(const Array& a) {
  const bool summary = a.elements() > threshold;
  const std::vector<T> values = shown_elements<T>(a, summary);
  if (a.rank() > 0) return Layout(a.dims(), summary, cells_of(values)).block(0);
  if constexpr (std::is_floating_point_v<T>) {
    return alone(values[0]);
  } else if constexpr (std::is_same_v<T, bool>) {
    return values[0] ? "True" : "False";
  } else {
    return std::to_string(values[0]);
  }
}

}  // namespace

std::string to_text(const Array& value) {
  if (value.elements() == 0) return "[]";
  const Array a = asarray(value);
  a.sync();
  return visit(a.dtype(), [&a](auto zero) { return text_of<decltype(zero)>(a); });
}

}  // namespace hypatia
