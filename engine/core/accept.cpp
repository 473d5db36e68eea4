#include "engine/core/accept.h"

#include "engine/core/error.h"

namespace hypatia {

namespace {

std::string refusal(
    const Array& value, DType wanted, const Acceptance& how, std::string_view what) {
  const std::string to(name(wanted)), from(name(value.dtype()));
  const std::string begin(what);
  if (how.strict) return begin + " of exactly " + to + " got a value of " + from;
  if (value.rank() == 0 && how.downcast == Downcast::numbers) {
    return begin + " of " + to + " can't hold the number " + to_text(asarray(value)) + " exactly";
  }
  return begin + " of " + to + " can't hold a value of " + from + " without losing precision";
}

}  // namespace

Array accepted(const Array& value, DType wanted, Acceptance how, std::string_view what) {
  const DType from = value.dtype();
  if (from == wanted) return value;
  const bool widens = promote(from, wanted) == wanted;
  if (!how.strict && (widens || how.downcast == Downcast::always)) {
    return asarray(value).astype(wanted);
  }
  if (!how.strict && how.downcast == Downcast::numbers && value.rank() == 0) {
    const Array number = asarray(value);
    Array converted = number.astype(wanted);
    const bool floats = is_float(from) && is_float(wanted);
    if (floats || same_elements(converted.astype(from), number)) return converted;
  }
  throw Error(
      Error::Kind::dtype,
      refusal(value, wanted, how, what),
      how.strict ? "convert it with astype, or leave strict out"
                 : "convert it with astype, declare the variable with that dtype, or allow it with "
                   "allow_input_downcast (of a shared variable: allow_downcast)");
}

}  // namespace hypatia
