#include "engine/emit/nest_text.h"

#include <algorithm>
#include <limits>

#include "engine/ops/reduce.h"
#include "engine/plan/accesses.h"

namespace hypatia {

std::string axis_name(int axis) {
  return std::string(1, static_cast<char>('i' + axis));
}

std::vector<std::string> axis_names(int rank) {
  std::vector<std::string> names;
  for (int axis = 0; axis < rank; ++axis)
    names.push_back(axis_name(axis));
  return names;
}

namespace {

constexpr double bytes_per_nanosecond = 10, flops_per_nanosecond = 8;
constexpr double cached_bytes_per_nanosecond = 80, vector_flops_per_nanosecond = 64;
constexpr double most_of_arithmetic = 6;  // flops that an op counts; functions count more

double bytes_per_point(const LoopNest& nest) {
  double bytes = 0;
  for (const Located& at : nest.loads)
    bytes += size_of(at.dtype);
  for (const auto& store : nest.stores)
    bytes += size_of(store.to.dtype);
  return bytes;
}

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void add_once(std::vector<int>* list, int value) {
  if (!contains(*list, value)) list->push_back(value);
}

/// The buffers of a work's first nest.
std::vector<int> own_parameters(const KernelWork& work) {
  std::vector<int> buffers;
  for_each_access(work.nest, [&](const Located& at, bool) { add_once(&buffers, at.buffer); });
  if (work.scratch >= 0) buffers.push_back(work.scratch);
  return buffers;
}

}  // namespace

std::vector<int> parameters(const KernelWork& work) {
  std::vector<int> buffers = own_parameters(work);
  for (const LoopNest& nest : work.beside) {
    const std::vector<int> more = own_parameters(KernelWork{nest});
    buffers.insert(buffers.end(), more.begin(), more.end());
  }
  return buffers;
}

NestText::NestText(const KernelWork& work, Dialect dialect, Helpers* helpers)
    : work_(work), dialect_(dialect), helpers_(helpers), buffers_(own_parameters(work)) {
  for (int axis = 0; axis < nest().extents.rank(); ++axis) {
    (is_reduced(axis) ? reduced_ : kept_).push_back(axis);
  }
  std::vector<int> written;
  std::vector<std::pair<int, DType>> dtypes;
  for_each_access(nest(), [&](const Located& at, bool writes) {
    dtypes.emplace_back(at.buffer, at.dtype);
    if (writes) written.push_back(at.buffer);
  });
  int in = 0, out = 0;
  for (int buffer : buffers_) {
    const bool is_output = contains(written, buffer);
    const bool is_scratch = buffer == work.scratch;
    names_.push_back(
        is_scratch ? scratch_name()
                   : (is_output ? "out" + std::to_string(out++) : "in" + std::to_string(in++)));
    const auto found = std::find_if(
        dtypes.begin(), dtypes.end(), [&](const auto& d) { return d.first == buffer; });
    const DType dtype = is_scratch ? DType::float64 : found->second;
    const std::string type(type_name(dtype, dialect));
    types_.push_back((is_output || is_scratch ? "" : "const ") + type + "*");
  }
}

bool NestText::is_reduced(int axis) const {
  return contains(nest().reduced, axis);
}

std::string NestText::name_of(int buffer) const {
  if (buffer < 0) return "index";
  const auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
  return names_[static_cast<std::size_t>(found - buffers_.begin())];
}

std::string NestText::parameter_list(const std::string& prefix) const {
  const std::string restrict_word = dialect_ == Dialect::host_c ? " restrict " : " __restrict__ ";
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    text += (i ? ", " : "") + types_[i] + restrict_word + prefix + names_[i];
  }
  return text;
}

std::string NestText::arguments(const std::string& prefix) const {
  std::string text;
  for (const std::string& name : names_)
    text += (text.empty() ? "" : ", ") + prefix + name;
  return text;
}

std::string NestText::number(std::int64_t n) const {
  return std::to_string(n) + (n > std::numeric_limits<int>::max() ? "LL" : "");
}

std::string NestText::index_type() const {
  if (dialect_ == Dialect::host_c) return "long";
  double largest = static_cast<double>(elements(nest().extents));
  const auto note = [&](const Layout& layout) {
    double end = static_cast<double>(std::max<std::int64_t>(layout.offset, -layout.offset));
    for (int axis = 0; axis < layout.dims.rank(); ++axis) {
      const std::int64_t step = std::max(layout.strides[axis], -layout.strides[axis]);
      end += static_cast<double>(step) * static_cast<double>(layout.dims[axis]);
    }
    largest = std::max(largest, end);
  };
  for (const Located& at : nest().loads)
    note(at.layout);
  for (const auto& store : nest().stores)
    note(store.to.layout);
  constexpr double room = 2.0e9;
  return largest < room ? "int" : "long long";
}

std::vector<std::string> NestText::moves_of(std::size_t load) const {
  std::vector<std::string> moves;
  for (const LoopNest::Gather& gather : nest().gathers) {
    if (gather.load != static_cast<int>(load)) continue;
    moves.push_back("v" + std::to_string(gather.by) + " * " + number(gather.stride));
  }
  return moves;
}

std::string NestText::element(
    const Located& at,
    const std::vector<std::string>& index,
    const std::vector<std::string>& moves) const {
  std::string place = at.layout.offset ? number(at.layout.offset) : "";
  for (int axis = 0; axis < at.layout.dims.rank(); ++axis) {
    const std::int64_t stride = at.layout.strides[axis];
    if (stride == 0 || at.layout.dims[axis] == 1) continue;
    const std::string& i = index[static_cast<std::size_t>(axis)];
    if (!place.empty()) place += " + ";
    place +=
        stride == 1 ? i : i + " * " + (stride < 0 ? "(" + number(stride) + ")" : number(stride));
  }
  for (const std::string& move : moves) {
    place += (place.empty() ? "" : " + ") + move;
  }
  if (place.empty()) place = "0";
  // A coordinate is its own place.
  if (at.buffer < 0) return "(" + std::string(type_name(at.dtype, dialect_)) + ")(" + place + ")";
  return name_of(at.buffer) + "[" + place + "]";
}

std::string NestText::body(const std::string& indent, const std::vector<std::string>& index) {
  std::string text;
  std::vector<std::string> inputs;
  for (const Located& at : nest().loads) {
    const std::string name = "v" + std::to_string(inputs.size());
    text += indent + "const " + std::string(type_name(at.dtype, dialect_)) + " " + name + " = " +
            element(at, index, moves_of(inputs.size())) + ";\n";
    inputs.push_back(name);
  }
  for (const Array& value : nest().literals)
    inputs.push_back(literal_text(value, dialect_));
  text += program_lines(nest().program, inputs, indent + "const ", dialect_, &values_, helpers_);
  for (const auto& store : nest().stores) {
    const DType dtype = nest().program.dtype(store.value);
    text +=
        indent + element(store.to, index) + " = " +
        converted(values_[static_cast<std::size_t>(store.value)], dtype, store.to.dtype, dialect_) +
        ";\n";
  }
  return text;
}

std::string NestText::folded_value(std::size_t f) const {
  const auto& fold = nest().folds[f];
  return converted(
      values_[static_cast<std::size_t>(fold.value)],
      nest().program.dtype(fold.value),
      fold.accumulator,
      dialect_);
}

std::string NestText::accumulator_type(std::size_t f) const {
  return std::string(type_name(nest().folds[f].accumulator, dialect_));
}

std::string NestText::identity(std::size_t f) const {
  const auto& fold = nest().folds[f];
  Array value(fold.accumulator, Dims{});
  visit(fold.accumulator, [&](auto zero) {
    using T = decltype(zero);
    const bool finite = !std::numeric_limits<T>::has_infinity;
    T result{0};
    if (fold.kind == Reduction::prod || fold.kind == Reduction::all) result = T{1};
    if (fold.kind == Reduction::max) {
      result = finite ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
    }
    if (fold.kind == Reduction::min) {
      result = finite ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
    }
    *value.data<T>() = result;
  });
  return literal_text(value, dialect_);
}

std::string NestText::combine(
    std::size_t f, const std::string& into, const std::string& value) const {
  switch (nest().folds[f].kind) {
    case Reduction::sum:
      return into + " += " + value + ";";
    case Reduction::prod:
      return into + " *= " + value + ";";
    // Of two operands the one that is NaN stays.
    case Reduction::max:
      return into + " = " + value + " > " + into + " || " + value + " != " + value + " ? " + value +
             " : " + into + ";";
    case Reduction::min:
      return into + " = " + value + " < " + into + " || " + value + " != " + value + " ? " + value +
             " : " + into + ";";
    case Reduction::any:
      return into + " = " + into + " || " + value + ";";
    case Reduction::all:
      break;
  }
  return into + " = " + into + " && " + value + ";";
}

std::string NestText::store_fold(
    std::size_t f,
    const std::string& accumulator,
    const std::string& indent,
    const std::vector<std::string>& index) const {
  const auto& fold = nest().folds[f];
  if (fold.to.buffer < 0) return "";
  return indent + element(fold.to, kept_index(index)) + " = " +
         converted(accumulator, fold.accumulator, fold.to.dtype, dialect_) + ";\n";
}

std::vector<std::string> NestText::kept_index(const std::vector<std::string>& index) const {
  std::vector<std::string> kept;
  for (int axis : kept_)
    kept.push_back(index[static_cast<std::size_t>(axis)]);
  return kept;
}

std::string NestText::epilogue(
    const std::string& indent, const std::vector<std::string>& index) const {
  const LoopNest::Epilogue& after = nest().epilogue;
  if (after.stores.empty()) return "";
  const std::vector<std::string> kept = kept_index(index);
  std::string text;
  std::vector<std::string> inputs, values;
  const auto add = [&](DType dtype, const std::string& value) {
    const std::string name = "e" + std::to_string(inputs.size());
    text += indent + "const " + std::string(type_name(dtype, dialect_)) + " " + name + " = " +
            value + ";\n";
    inputs.push_back(name);
  };
  for (std::size_t f = 0; f < nest().folds.size(); ++f) {
    const LoopNest::Fold& fold = nest().folds[f];
    const std::string result = "acc" + std::to_string(f);
    add(fold.to.dtype, converted(result, fold.accumulator, fold.to.dtype, dialect_));
  }
  for (const Located& at : after.loads)
    add(at.dtype, element(at, kept));
  for (const Array& value : after.literals)
    inputs.push_back(literal_text(value, dialect_));
  text += program_lines(after.program, inputs, indent + "const ", dialect_, &values, helpers_);
  for (const auto& store : after.stores) {
    const std::string& value = values[static_cast<std::size_t>(store.value)];
    text += indent + element(store.to, kept) + " = " +
            converted(value, after.program.dtype(store.value), store.to.dtype, dialect_) + ";\n";
  }
  return text;
}

std::string NestText::formulas() const {
  std::vector<std::string> inputs;
  for (const Located& at : nest().loads)
    inputs.push_back(name_of(at.buffer));
  for (const Array& value : nest().literals)
    inputs.push_back(literal_text(value, dialect_));
  std::string text;
  for (const auto& store : nest().stores) {
    text += " *   " + name_of(store.to.buffer) + " = " +
            expression_text(nest().program, store.value, inputs) + "\n";
  }
  static constexpr const char* kinds[] = {"sum", "prod", "max", "min", "any", "all"};
  std::vector<std::string> results;
  for (const auto& fold : nest().folds) {
    const std::string value = std::string(kinds[static_cast<std::size_t>(fold.kind)]) + " of " +
                              expression_text(nest().program, fold.value, inputs);
    results.push_back("s" + std::to_string(results.size()));
    const std::string name = fold.to.buffer < 0 ? results.back() : name_of(fold.to.buffer);
    text += " *   " + name + " = " + value + "\n";
    if (fold.to.buffer >= 0) results.back() = name;
  }
  for (const Located& at : nest().epilogue.loads)
    results.push_back(name_of(at.buffer));
  for (const Array& value : nest().epilogue.literals)
    results.push_back(literal_text(value, dialect_));
  for (const auto& store : nest().epilogue.stores) {
    text += " *   " + name_of(store.to.buffer) + " = " +
            expression_text(nest().epilogue.program, store.value, results) + "\n";
  }
  return text;
}

double point_cost(const LoopNest& nest) {
  return bytes_per_point(nest) / bytes_per_nanosecond +
         flops_per_element(nest.program) / flops_per_nanosecond;
}

double cached_point_cost(const LoopNest& nest) {
  const bool arithmetic =
      nest.gathers.empty() &&
      std::all_of(nest.program.steps.begin(), nest.program.steps.end(), [](const auto& step) {
        return step.op->scalar().flops <= most_of_arithmetic;
      });
  if (!arithmetic) return point_cost(nest);
  return bytes_per_point(nest) / cached_bytes_per_nanosecond +
         flops_per_element(nest.program) / vector_flops_per_nanosecond;
}

}  // namespace hypatia
