#include "engine/ops/random.h"

#include "engine/core/error.h"
#include "engine/ops/elementwise.h"

namespace hypatia {

namespace {

ScalarTypes uniform_types(const Attrs& attrs, std::span<const DType>) {
  return {DType::uint64, attrs.as<CastAttrs>().to};
}

std::string uniform_text(const Attrs& attrs, DType) {
  return attrs.as<CastAttrs>().to == DType::float32
             ? "(float)(random_bits({0}, {1}, {2}) >> 40) * 5.9604644775390625e-08"
             : "(double)(random_bits({0}, {1}, {2}) >> 11) * 1.1102230246251565e-16";
}

void uniform_loop(const ScalarCall& call) {
  const auto* const* in = reinterpret_cast<const std::uint64_t* const*>(call.in);
  for (std::int64_t i = 0; i < call.n; ++i) {
    const std::uint64_t bits = random_bits(in[0][i], in[1][i], in[2][i]);
    if (call.result == DType::float32) {
      static_cast<float*>(call.out)[i] = static_cast<float>(bits >> 40U) * 0x1p-24F;
    } else {
      static_cast<double*>(call.out)[i] = static_cast<double>(bits >> 11U) * 0x1p-53;
    }
  }
}

}  // namespace

std::uint64_t random_bits(std::uint64_t place, std::uint64_t call, std::uint64_t key) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
  std::uint32_t a = low(place), b = high(place), c = low(call), d = high(call);
  std::uint32_t k = low(key), l = high(key);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * a, q = std::uint64_t{0xCD9E8D57} * c;
    a = high(q) ^ b ^ k;
    b = low(q);
    c = high(p) ^ d ^ l;
    d = low(p);
    k += 0x9E3779B9U;
    l += 0xBB67AE85U;
  }
  return std::uint64_t{b} << 32U | a;
}

constinit const Op random_uniform_op = elementwise({
    .name = "random_uniform",
    .doc = "uniform in [0, 1) at a place, for a call and a key",
    .arity = 3,
    .dtypes = uniform_types,
    .flops = 100,
    .loop = uniform_loop,
    .text_of = uniform_text,
});

Variable random_uniform(Operand place, Operand call, Operand key, DType dtype) {
  if (!is_float(dtype)) {
    throw Error(Error::Kind::dtype, "uniform numbers are floats").at(place.at);
  }
  return apply_elementwise(random_uniform_op, {place, call, key}, CastAttrs{dtype});
}

}  // namespace hypatia
