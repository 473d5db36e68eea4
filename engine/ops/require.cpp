#include "engine/ops/require.h"

#include "engine/core/error.h"
#include "engine/ops/layouts.h"

namespace hypatia {

namespace {

/// The words with the numbers in them; inputs are the value, what must hold, and more numbers.
std::string filled(std::string text, std::span<const Array* const> in) {
  for (std::size_t i = 0, number = 0; i < in.size(); ++i) {
    if (i == 1) continue;
    const std::string mark = "{" + std::to_string(number++) + "}";
    const std::size_t found = text.find(mark);
    if (found == std::string::npos) continue;
    text.replace(found, mark.size(), in[i] ? std::to_string(whole_number(*in[i])) : "?");
  }
  return text;
}

void check(const Attrs& attrs, std::span<const Array* const> in) {
  if (in.empty() || !in[1] || whole_number(*in[1]) != 0) return;
  const auto& words = attrs.as<RequireAttrs>();
  throw Error(Error::Kind::value, filled(words.message, in), words.help);
}

}  // namespace

constinit const Op require_op{
    .name = "Require",
    .doc = "a number as it is, where a condition on numbers holds; else an error",
    .arity = -1,
    .infer =
        [](const TypeCall& call, Types& out) {
          check(call.attrs, call.values);
          out.push_back(Type(DType::int64, 0));
        },
    .lowering = HostLowering{.why = "only the host can throw its error"},
    .eval = [](const EvalCall& call) -> std::vector<Array> {
      std::vector<const Array*> in;
      for (const Array& a : call.in)
        in.push_back(&a);
      check(call.attrs, in);
      return {call.in[0].astype(DType::int64)};
    },
    .pullback = [](const Adjoint& a) -> Vars { return Vars(a.in.size()); },
};

Variable require(
    const Variable& value,
    const Variable& holds,
    const RequireAttrs& words,
    Origin at,
    const Vars& shown) {
  Vars inputs{value, holds};
  inputs.insert(inputs.end(), shown.begin(), shown.end());
  return apply(require_op, std::move(inputs), words, at);
}

}  // namespace hypatia
