#pragma once
// Reference loops of elementwise ops, made from one generic lambda per op.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/expr/op.h"

namespace hypatia {

template <auto f, class T, class R, std::size_t... i>
void run_loop(const ScalarCall& call, std::index_sequence<i...>) {
  const T* const in[] = {static_cast<const T*>(call.in[i])...};
  R* const out = static_cast<R*>(call.out);
  for (std::int64_t n = 0; n < call.n; ++n)
    out[n] = static_cast<R>(f(in[i][n]...));
}

/// Operands and result of one dtype, any dtype.
template <int arity, auto f>
void same_loop(const ScalarCall& call) {
  visit(call.operand, [&](auto zero) {
    using T = decltype(zero);
    run_loop<f, T, T>(call, std::make_index_sequence<static_cast<std::size_t>(arity)>());
  });
}

/// Operands and result of one float dtype.
template <int arity, auto f>
void float_loop(const ScalarCall& call) {
  if (call.operand == DType::float32) {
    run_loop<f, float, float>(call, std::make_index_sequence<static_cast<std::size_t>(arity)>());
  } else {
    run_loop<f, double, double>(call, std::make_index_sequence<static_cast<std::size_t>(arity)>());
  }
}

/// Operands of one dtype, a bool result.
template <int arity, auto f>
void test_loop(const ScalarCall& call) {
  visit(call.operand, [&](auto zero) {
    run_loop<f, decltype(zero), bool>(
        call, std::make_index_sequence<static_cast<std::size_t>(arity)>());
  });
}

/// The unsigned type in which integer arithmetic wraps without undefined behaviour; T for others.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    // Types narrower than int would be promoted to int, where uint16 times uint16 overflows.
    return static_cast<std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>>(
        value);
  } else {
    return value;
  }
}

}  // namespace hypatia
