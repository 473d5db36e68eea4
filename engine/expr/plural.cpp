#include "engine/expr/plural.h"

#include "engine/core/error.h"

namespace hypatia {

namespace {

using Make = Variable (*)(const std::string&, DTypeChoice, Origin);

Vars several(Make make, const Names& names, DTypeChoice dtype, Origin at) {
  Vars variables;
  for (const std::string& name : names.names)
    variables.push_back(make(name, dtype, at));
  return variables;
}

}  // namespace

Names::Names(int count) {
  if (count < 0) {
    throw Error(
        Error::Kind::value,
        std::to_string(count) + " variables were asked for",
        "give a number that is 0 or more, or names");
  }
  names.resize(static_cast<std::size_t>(count));
}

Vars scalars(const Names& names, DTypeChoice dtype, Origin at) {
  return several(scalar, names, dtype, at);
}

Vars vectors(const Names& names, DTypeChoice dtype, Origin at) {
  return several(vector, names, dtype, at);
}

Vars matrices(const Names& names, DTypeChoice dtype, Origin at) {
  return several(matrix, names, dtype, at);
}

Vars rows(const Names& names, DTypeChoice dtype, Origin at) {
  return several(row, names, dtype, at);
}

Vars cols(const Names& names, DTypeChoice dtype, Origin at) {
  return several(col, names, dtype, at);
}

Vars tensor3s(const Names& names, DTypeChoice dtype, Origin at) {
  return several(tensor3, names, dtype, at);
}

Vars tensor4s(const Names& names, DTypeChoice dtype, Origin at) {
  return several(tensor4, names, dtype, at);
}

}  // namespace hypatia
