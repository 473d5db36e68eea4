#include "engine/expr/inputs.h"

namespace hypatia {

Variable tensor(
    DTypeChoice dtype, const std::vector<bool>& broadcastable, const std::string& name, Origin at) {
  return input(Type::of_pattern(dtype.dtype, broadcastable), name, at);
}

Variable scalar(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {}, name, at);
}

Variable vector(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {false}, name, at);
}

Variable matrix(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {false, false}, name, at);
}

Variable row(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {true, false}, name, at);
}

Variable col(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {false, true}, name, at);
}

Variable tensor3(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {false, false, false}, name, at);
}

Variable tensor4(const std::string& name, DTypeChoice dtype, Origin at) {
  return tensor(dtype, {false, false, false, false}, name, at);
}

}  // namespace hypatia
