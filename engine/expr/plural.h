#pragma once
// The plural constructors of free variables, which make several at once; prefixed as in prefixed.h.

#include "engine/expr/inputs.h"

namespace hypatia {

/// How plural constructors are asked: for a number of unnamed variables, for names, or for one
/// variable a letter ("xyz" gives x, y and z).
struct Names {
  std::vector<std::string> names;

  /// Throws Error for a negative number.
  Names(int count);  // NOLINT

  Names(std::initializer_list<const char*> list) : names(list.begin(), list.end()) {}  // NOLINT

  Names(const char* letters) {  // NOLINT
    for (; *letters; ++letters)
      names.emplace_back(1, *letters);
  }
};

Vars scalars(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars vectors(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars matrices(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars rows(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars cols(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars tensor3s(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());
Vars tensor4s(const Names& names, DTypeChoice dtype = {}, Origin at = Origin::here());

// float32.
inline Vars fscalars(const Names& names, Origin at = Origin::here()) {
  return scalars(names, DType::float32, at);
}

inline Vars fvectors(const Names& names, Origin at = Origin::here()) {
  return vectors(names, DType::float32, at);
}

inline Vars fmatrices(const Names& names, Origin at = Origin::here()) {
  return matrices(names, DType::float32, at);
}

inline Vars frows(const Names& names, Origin at = Origin::here()) {
  return rows(names, DType::float32, at);
}

inline Vars fcols(const Names& names, Origin at = Origin::here()) {
  return cols(names, DType::float32, at);
}

inline Vars ftensor3s(const Names& names, Origin at = Origin::here()) {
  return tensor3s(names, DType::float32, at);
}

inline Vars ftensor4s(const Names& names, Origin at = Origin::here()) {
  return tensor4s(names, DType::float32, at);
}

// float64.
inline Vars dscalars(const Names& names, Origin at = Origin::here()) {
  return scalars(names, DType::float64, at);
}

inline Vars dvectors(const Names& names, Origin at = Origin::here()) {
  return vectors(names, DType::float64, at);
}

inline Vars dmatrices(const Names& names, Origin at = Origin::here()) {
  return matrices(names, DType::float64, at);
}

inline Vars drows(const Names& names, Origin at = Origin::here()) {
  return rows(names, DType::float64, at);
}

inline Vars dcols(const Names& names, Origin at = Origin::here()) {
  return cols(names, DType::float64, at);
}

inline Vars dtensor3s(const Names& names, Origin at = Origin::here()) {
  return tensor3s(names, DType::float64, at);
}

inline Vars dtensor4s(const Names& names, Origin at = Origin::here()) {
  return tensor4s(names, DType::float64, at);
}

// int32.
inline Vars iscalars(const Names& names, Origin at = Origin::here()) {
  return scalars(names, DType::int32, at);
}

inline Vars ivectors(const Names& names, Origin at = Origin::here()) {
  return vectors(names, DType::int32, at);
}

inline Vars imatrices(const Names& names, Origin at = Origin::here()) {
  return matrices(names, DType::int32, at);
}

inline Vars irows(const Names& names, Origin at = Origin::here()) {
  return rows(names, DType::int32, at);
}

inline Vars icols(const Names& names, Origin at = Origin::here()) {
  return cols(names, DType::int32, at);
}

inline Vars itensor3s(const Names& names, Origin at = Origin::here()) {
  return tensor3s(names, DType::int32, at);
}

inline Vars itensor4s(const Names& names, Origin at = Origin::here()) {
  return tensor4s(names, DType::int32, at);
}

// int64.
inline Vars lscalars(const Names& names, Origin at = Origin::here()) {
  return scalars(names, DType::int64, at);
}

inline Vars lvectors(const Names& names, Origin at = Origin::here()) {
  return vectors(names, DType::int64, at);
}

inline Vars lmatrices(const Names& names, Origin at = Origin::here()) {
  return matrices(names, DType::int64, at);
}

inline Vars lrows(const Names& names, Origin at = Origin::here()) {
  return rows(names, DType::int64, at);
}

inline Vars lcols(const Names& names, Origin at = Origin::here()) {
  return cols(names, DType::int64, at);
}

inline Vars ltensor3s(const Names& names, Origin at = Origin::here()) {
  return tensor3s(names, DType::int64, at);
}

inline Vars ltensor4s(const Names& names, Origin at = Origin::here()) {
  return tensor4s(names, DType::int64, at);
}

}  // namespace hypatia
