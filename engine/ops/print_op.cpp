#include "engine/ops/print_op.h"

#include <algorithm>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/core/text.h"

namespace hypatia {

namespace {

double extreme(const Array& value, const std::string& which) {
  const std::vector<double> all = value.to_vector();
  if (all.empty()) return 0;
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return which == "min" ? *low : *high;
}

double average(const Array& value) {
  double total = 0;
  for (double v : value.to_vector())
    total += v;
  return total / static_cast<double>(value.elements());
}

std::string shape_text(const Dims& dims) {
  std::string text = "(";
  for (std::int64_t d : dims)
    text += (text.size() > 1 ? ", " : "") + std::to_string(d);
  return text + (dims.rank() == 1 ? ",)" : ")");
}

std::string attribute(const Array& value, const std::string& which) {
  if (which == "shape") return shape_text(value.dims());
  if (which == "dtype") return std::string(name(value.dtype()));
  if (which == "ndim") return std::to_string(value.rank());
  if (which == "size") return std::to_string(value.elements());
  if (which == "min" || which == "max") return to_text(Array(extreme(value, which)));
  if (which == "mean") return to_text(Array(average(value)));
  return to_text(value);
}

std::vector<Array> eval_print(const EvalCall& call) {
  const auto& attrs = call.attrs.as<PrintAttrs>();
  for (const std::string& which : attrs.attrs) {
    const std::string text = attribute(call.in[0], which);
    std::printf("%s %s = %s\n", attrs.message.c_str(), which.c_str(), text.c_str());
  }
  std::fflush(stdout);
  return {call.in[0].copy()};
}

}  // namespace

constinit const Op print_op{
    .name = "Print",
    .doc = "x; each run prints it",
    .arity = 1,
    .infer = [](const TypeCall& call, Types& out) { out.push_back(call.in[0].with_place(host)); },
    .lowering = HostLowering{.why = "the host prints"},
    .eval = eval_print,
    .pullback = [](const Adjoint& a) -> Vars { return {a.out_bar[0]}; },
    .pushforward = [](const Tangent& t) -> Vars { return {t.in_dot[0]}; },
    .foldable = false,
};

Print::Print(std::string message, std::vector<std::string> attrs)
    : attrs_{std::move(message), std::move(attrs)} {
  for (const std::string& which : attrs_.attrs) {
    const auto known = {"__str__", "shape", "dtype", "ndim", "size", "min", "max", "mean"};
    if (std::find(known.begin(), known.end(), which) != known.end()) continue;
    throw Error(
        Error::Kind::value,
        "Print knows no attribute '" + which + "'",
        "it is one of __str__, shape, dtype, ndim, size, min, max, mean");
  }
}

Variable Print::operator()(Operand x) const {
  return apply(print_op, {x.variable}, attrs_, x.at);
}

}  // namespace hypatia
