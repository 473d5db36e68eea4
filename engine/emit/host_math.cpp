// Which spelling each function has, and the prelude that makes a set of spellings known.
#include "engine/emit/host_math.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/core/error.h"
#include "engine/emit/host_math_text.h"

namespace hypatia {

namespace {

constexpr DType f32 = DType::float32, f64 = DType::float64;
constexpr MathSource own = MathSource::own, vec = MathSource::vector, lib = MathSource::scalar,
                     cpu = MathSource::hardware;

// float32 functions marked vec are libmvec's float64 ones, rounded once: half an ulp, where its
// float32 ones are off by 2 to 4. float64 ones come from libmvec where it is more exact than the
// scalar library.
// clang-format off
constexpr HostMath functions[] = {
    {"exp", f32, "hy_expf", 1, own, 1},
    {"exp", f64, "hy_exp", 1, own, 1},
    {"exp2", f32, "hy_exp2f", 1, vec, 1},
    {"exp2", f64, "exp2", 1, lib, 1},
    {"expm1", f32, "hy_expm1f", 1, own, 1},
    {"expm1", f64, "hy_expm1", 1, own, 2},
    {"log", f32, "hy_logf", 1, own, 1},
    {"log", f64, "hy_log", 1, own, 1},
    {"log1p", f32, "hy_log1pf", 1, own, 1},
    {"log1p", f64, "hy_log1p", 1, own, 1},
    {"log2", f32, "hy_log2f", 1, vec, 1},
    {"log2", f64, "log2", 1, lib, 1},
    {"log10", f32, "hy_log10f", 1, vec, 1},
    {"log10", f64, "log10", 1, lib, 2},
    {"sqrt", f32, "sqrtf", 1, cpu, 1},
    {"sqrt", f64, "sqrt", 1, cpu, 1},
    {"tanh", f32, "hy_tanhf", 1, own, 1},
    {"tanh", f64, "vector_tanh", 1, vec, 2},
    {"sinh", f32, "hy_sinhf", 1, vec, 1},
    {"sinh", f64, "vector_sinh", 1, vec, 2},
    {"cosh", f32, "hy_coshf", 1, vec, 1},
    {"cosh", f64, "vector_cosh", 1, vec, 2},
    {"sin", f32, "hy_sinf", 1, vec, 1},
    {"sin", f64, "sin", 1, lib, 1},
    {"cos", f32, "hy_cosf", 1, vec, 1},
    {"cos", f64, "cos", 1, lib, 1},
    {"tan", f32, "hy_tanf", 1, vec, 1},
    {"tan", f64, "tan", 1, lib, 1},
    {"asin", f32, "hy_asinf", 1, vec, 1},
    {"asin", f64, "asin", 1, lib, 1},
    {"acos", f32, "hy_acosf", 1, vec, 1},
    {"acos", f64, "acos", 1, lib, 1},
    {"atan", f32, "hy_atanf", 1, vec, 1},
    {"atan", f64, "atan", 1, lib, 1},
    {"asinh", f32, "hy_asinhf", 1, vec, 1},
    {"asinh", f64, "vector_asinh", 1, vec, 2},
    {"acosh", f32, "hy_acoshf", 1, vec, 1},
    {"acosh", f64, "vector_acosh", 1, vec, 2},
    {"atanh", f32, "hy_atanhf", 1, vec, 1},
    {"atanh", f64, "vector_atanh", 1, vec, 2},
    {"cbrt", f32, "hy_cbrtf", 1, vec, 1},
    {"cbrt", f64, "vector_cbrt", 1, vec, 2},
    {"erf", f32, "hy_erff", 1, vec, 1},
    {"erf", f64, "erf", 1, lib, 2},
    {"erfc", f32, "hy_erfcf", 1, vec, 1},
    {"erfc", f64, "vector_erfc", 1, vec, 2},
    {"erfcx", f32, "hy_erfcxf", 1, own, 1},
    {"erfcx", f64, "hy_erfcx", 1, own, 6},
    {"erfinv", f32, "hy_erfinvf", 1, own, 1},
    {"erfinv", f64, "hy_erfinv", 1, own, 4},
    {"erfcinv", f32, "hy_erfcinvf", 1, own, 1},
    {"erfcinv", f64, "hy_erfcinv", 1, own, 4},
    {"sigmoid", f32, "hy_sigmoidf", 1, own, 3},
    {"sigmoid", f64, "hy_sigmoid", 1, own, 3},
    {"softplus", f32, "hy_softplusf", 1, own, 2},
    {"softplus", f64, "hy_softplus", 1, own, 2},
    {"lgamma", f32, "hy_lgammaf", 1, lib, 1},
    {"lgamma", f64, "lgamma", 1, lib, 4},
    {"tgamma", f32, "hy_tgammaf", 1, lib, 1},
    {"tgamma", f64, "tgamma", 1, lib, 8},
    {"digamma", f32, "hy_digammaf", 1, own, 1},
    {"digamma", f64, "hy_digamma", 1, own, 16},
    {"floor", f32, "floorf", 1, cpu, 0},
    {"floor", f64, "floor", 1, cpu, 0},
    {"ceil", f32, "ceilf", 1, cpu, 0},
    {"ceil", f64, "ceil", 1, cpu, 0},
    {"rint", f32, "rintf", 1, cpu, 0},
    {"rint", f64, "rint", 1, cpu, 0},
    {"trunc", f32, "truncf", 1, cpu, 0},
    {"trunc", f64, "trunc", 1, cpu, 0},
    {"round", f32, "hy_roundf", 1, own, 0},
    {"round", f64, "hy_round", 1, own, 0},
    {"fabs", f32, "fabsf", 1, cpu, 0},
    {"fabs", f64, "fabs", 1, cpu, 0},
    {"pow", f32, "hy_powf", 2, vec, 1},
    {"pow", f64, "pow", 2, lib, 1},
    {"atan2", f32, "hy_atan2f", 2, vec, 1},
    {"atan2", f64, "atan2", 2, lib, 1},
    {"hypot", f32, "hy_hypotf", 2, vec, 1},
    {"hypot", f64, "hypot", 2, lib, 1},
    {"fmod", f32, "fmodf", 2, lib, 0},
    {"fmod", f64, "fmod", 2, lib, 0},
    {"copysign", f32, "copysignf", 2, cpu, 0},
    {"copysign", f64, "copysign", 2, cpu, 0},
};
// clang-format on

// A name before a library function's own says that its vector version is wanted, so that a kernel
// can use the vector and the scalar form of one function side by side.
constexpr std::string_view vector_prefix = "vector_";

/// A piece of the prelude.
struct Part {
  std::string identifier, text;
};

const MathText* find_text(std::string_view identifier) {
  for (const std::span<const MathText> texts : {float32_math(), float64_math()}) {
    for (const MathText& text : texts) {
      if (text.identifier == identifier) return &text;
    }
  }
  return nullptr;
}

const HostMath& by_identifier(std::string_view identifier) {
  for (const HostMath& math : functions) {
    if (math.identifier == identifier) return math;
  }
  internal_error("host C has no function " + std::string(identifier));
}

const HostMath& by_function(std::string_view function) {
  for (const HostMath& math : functions) {
    if (math.function == function) return math;
  }
  internal_error("host C has no function " + std::string(function));
}

std::string signature(std::string_view type, std::string_view identifier, int arity) {
  const std::string t(type), second = arity == 2 ? ", " + t + " y" : "";
  return t + ' ' + std::string(identifier) + '(' + t + " x" + second + ')';
}

/// The float64 function that a float32 one without a text of its own rounds.
std::string wide_identifier(const HostMath& narrow) {
  if (narrow.source == vec) return std::string(vector_prefix) + std::string(narrow.function);
  return std::string(host_spelling(narrow.function, f64));
}

void collect(std::string_view identifier, std::vector<Part>& parts);

/// Declares or defines what has no text of its own.
std::string plain_text(std::string_view identifier, std::vector<Part>& parts) {
  if (identifier.substr(0, vector_prefix.size()) == vector_prefix) {
    const std::string_view function = identifier.substr(vector_prefix.size());
    return "VECTOR " + signature("double", identifier, by_function(function).arity) +
           " __asm__(\"" + std::string(function) + "\");\n";
  }
  const HostMath& math = by_identifier(identifier);
  if (math.dtype == f64) return signature("double", identifier, math.arity) + ";\n";
  if (identifier.substr(0, 3) != "hy_") return signature("float", identifier, math.arity) + ";\n";
  const std::string wide = wide_identifier(math);
  collect(wide, parts);
  return "INLINE " + signature("float", identifier, math.arity) + " { return (float)" + wide +
         (math.arity == 2 ? "(x, y); }\n" : "(x); }\n");
}

/// Appends what `identifier` needs and then itself, unless it is there already. Needs are at most
/// three deep.
void collect(std::string_view identifier, std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.identifier == identifier) return;
  }
  const MathText* own_text = find_text(identifier);
  if (!own_text) {
    std::string text = plain_text(identifier, parts);
    parts.push_back({std::string(identifier), std::move(text)});
    return;
  }
  for (std::string_view rest = own_text->needs; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    collect(rest.substr(0, end), parts);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  parts.push_back({std::string(identifier), std::string(own_text->text)});
}

}  // namespace

std::span<const HostMath> host_math() {
  return functions;
}

std::string_view host_spelling(std::string_view function, DType dtype) {
  for (const HostMath& math : functions) {
    if (math.function == function && math.dtype == dtype) return math.identifier;
  }
  throw Error(
      Error::Kind::compile,
      "host C has no " + std::string(function) + " of " + std::string(name(dtype)));
}

std::string host_prelude(std::span<const std::string_view> identifiers, bool has_libmvec) {
  std::vector<Part> parts;
  for (const std::string_view identifier : identifiers)
    collect(identifier, parts);
  std::string text;
  for (const Part& part : parts)
    text += part.text;
  std::string head;
  if (text.find("INLINE ") != std::string::npos) {
    head +=
        "/* Always inlined: only then does a loop around them become vector code. */\n"
        "#define INLINE static inline __attribute__((always_inline))\n";
  }
  if (text.find("VECTOR ") != std::string::npos) {
    head += has_libmvec ? "/* Functions so marked have a vector version in glibc's libmvec. */\n"
                          "#define VECTOR __attribute__((simd(\"notinbranch\"), const, nothrow))\n"
                        : "#define VECTOR __attribute__((const, nothrow))\n";
  }
  return head + text;
}

}  // namespace hypatia
