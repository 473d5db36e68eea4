#pragma once
// The prefixed constructors of free variables: b int8, w int16, i int32, l int64, f float32,
// d float64.

#include "engine/expr/inputs.h"

namespace hypatia {

// int8.
inline Variable bscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::int8, at);
}

inline Variable bvector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::int8, at);
}

inline Variable bmatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::int8, at);
}

inline Variable brow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::int8, at);
}

inline Variable bcol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::int8, at);
}

inline Variable btensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::int8, at);
}

inline Variable btensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::int8, at);
}

// int16.
inline Variable wscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::int16, at);
}

inline Variable wvector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::int16, at);
}

inline Variable wmatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::int16, at);
}

inline Variable wrow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::int16, at);
}

inline Variable wcol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::int16, at);
}

inline Variable wtensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::int16, at);
}

inline Variable wtensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::int16, at);
}

// int32.
inline Variable iscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::int32, at);
}

inline Variable ivector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::int32, at);
}

inline Variable imatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::int32, at);
}

inline Variable irow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::int32, at);
}

inline Variable icol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::int32, at);
}

inline Variable itensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::int32, at);
}

inline Variable itensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::int32, at);
}

// int64.
inline Variable lscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::int64, at);
}

inline Variable lvector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::int64, at);
}

inline Variable lmatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::int64, at);
}

inline Variable lrow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::int64, at);
}

inline Variable lcol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::int64, at);
}

inline Variable ltensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::int64, at);
}

inline Variable ltensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::int64, at);
}

// float32.
inline Variable fscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::float32, at);
}

inline Variable fvector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::float32, at);
}

inline Variable fmatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::float32, at);
}

inline Variable frow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::float32, at);
}

inline Variable fcol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::float32, at);
}

inline Variable ftensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::float32, at);
}

inline Variable ftensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::float32, at);
}

// float64.
inline Variable dscalar(const std::string& name = "", Origin at = Origin::here()) {
  return scalar(name, DType::float64, at);
}

inline Variable dvector(const std::string& name = "", Origin at = Origin::here()) {
  return vector(name, DType::float64, at);
}

inline Variable dmatrix(const std::string& name = "", Origin at = Origin::here()) {
  return matrix(name, DType::float64, at);
}

inline Variable drow(const std::string& name = "", Origin at = Origin::here()) {
  return row(name, DType::float64, at);
}

inline Variable dcol(const std::string& name = "", Origin at = Origin::here()) {
  return col(name, DType::float64, at);
}

inline Variable dtensor3(const std::string& name = "", Origin at = Origin::here()) {
  return tensor3(name, DType::float64, at);
}

inline Variable dtensor4(const std::string& name = "", Origin at = Origin::here()) {
  return tensor4(name, DType::float64, at);
}

}  // namespace hypatia
