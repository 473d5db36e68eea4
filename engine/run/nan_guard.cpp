#include "engine/run/nan_guard.h"

#include <cmath>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/graph/print.h"

namespace hypatia {

NumberChecks NumberChecks::of_flags() {
  const Config& flags = config();
  return {
      flags.boolean("NanGuardMode.nan_is_error"),
      flags.boolean("NanGuardMode.inf_is_error"),
      flags.boolean("NanGuardMode.big_is_error"),
      flags.choice("NanGuardMode.action"),
  };
}

std::string_view wrong_number(const Array& value, const NumberChecks& checks) {
  constexpr double big = 1e10;
  if (!is_float(value.dtype())) return "";
  for (double x : asarray(value).to_vector()) {
    if (checks.nan && std::isnan(x)) return "NaN";
    if (checks.inf && std::isinf(x)) return "infinity";
    if (checks.big && std::isfinite(x) && std::abs(x) > big) return "a number beyond 1e10";
  }
  return "";
}

std::string tree_note(const Variable& v) {
  std::string note;
  for (char c : debugprint(v, {.depth = 3}))
    note += c == '\n' ? std::string("\n   ") : std::string(1, c);
  return note.substr(0, note.rfind('\n'));
}

void NanGuard::look(const Variable& v, const Array& value) const {
  const std::string_view wrong = wrong_number(value, checks_);
  if (wrong.empty()) return;
  const std::string name = v.name().empty() ? "" : " '" + v.name() + "'";
  Error error(
      Error::Kind::value,
      std::string(wrong) +
          (v.owner() ? " in the output of " + print_name(v.node()) : " in the input") + name,
      "look at what the node gets; the flags of NanGuardMode say what is wrong");
  error.at(v.node().origin());
  error.note("found by NanGuardMode in the call of '" + function_ + "', in this expression:");
  error.note(tree_note(v));
  if (checks_.action != "warn") throw error;
  warn(error.what());
}

void NanGuard::begin(std::span<const Array* const> inputs, std::span<const Array* const> shared) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    look(graph_.inputs()[i], *inputs[i]);
  for (std::size_t i = 0; i < shared.size(); ++i)
    look(graph_.shared()[i], *shared[i]);
}

void NanGuard::made(const Apply& node, int output, const Array& value) {
  look(Variable(Ref<const Apply>(&node), static_cast<std::uint32_t>(output)), value);
}

}  // namespace hypatia
