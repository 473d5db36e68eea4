#include "engine/run/raw/bind.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/error.h"

namespace hypatia::cuda {

namespace {

std::string number_text(const Argument& argument) {
  if (argument.kind() == Argument::Kind::real) {
    char text[40];
    std::snprintf(text, sizeof text, "%g", argument.real());
    return text;
  }
  return argument.is_unsigned() ? std::to_string(static_cast<std::uint64_t>(argument.integer()))
                                : std::to_string(argument.integer());
}

std::string said(const Argument& argument) {
  if (argument.is_number()) return "the number " + number_text(argument);
  const std::string where = argument.kind() == Argument::Kind::device_array ? " on the device" : "";
  return "an array " + brief(argument.array().type()) + where;
}

class Check {
 public:
  Check(const std::string& kernel, const Parameter& parameter, const Argument& argument, int number)
      : kernel_(kernel), parameter_(parameter), argument_(argument), number_(number) {}

  void run(Place place) const {
    if (parameter_.pointer) return check_array(place);
    if (!parameter_.dtype) {
      refuse(
          Error::Kind::dtype,
          "its parameter '" + parameter_.text + "' is not of a number's type",
          "launches pass numbers and arrays: pass the fields of a struct one by one");
    }
    if (!argument_.is_number()) {
      refuse(
          Error::Kind::dtype,
          "its parameter '" + parameter_.text + "' takes a number",
          "pass a number, or declare the parameter as a pointer");
    }
    check_number(*parameter_.dtype);
  }

 private:
  [[noreturn]] void refuse(
      Error::Kind kind, const std::string& why, const std::string& help) const {
    throw Error(
        kind,
        "argument " + std::to_string(number_) + " of " + kernel_ + " is " + said(argument_) + "; " +
            why,
        help);
  }

  void check_array(Place place) const {
    if (argument_.is_number()) {
      refuse(
          Error::Kind::dtype,
          "its parameter '" + parameter_.text + "' takes an array",
          "pass In(a), Out(a), InOut(a), or an array of the device");
    }
    const Array& array = argument_.array();
    if (argument_.kind() == Argument::Kind::device_array) {
      if (array.on_host()) {
        refuse(
            Error::Kind::device,
            "it lies in host memory, which a kernel can't reach",
            "wrap it in In(a), Out(a) or InOut(a), or copy it once with to_device(a)");
      }
      if (!(array.place() == place)) {
        refuse(
            Error::Kind::device,
            "it lies on another device than the kernel",
            "compile the module for that device, or copy the array");
      }
    }
    if (parameter_.dtype && *parameter_.dtype != array.dtype()) {
      refuse(
          Error::Kind::dtype,
          "its parameter '" + parameter_.text + "' points to " +
              std::string(name(*parameter_.dtype)),
          "convert the array with astype(DType::" + std::string(name(*parameter_.dtype)) +
              "), or change the kernel");
    }
  }

  void check_number(DType dtype) const {
    const bool fits = visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        return true;  // rounded, as C++ does
      } else {
        return holds<T>();
      }
    });
    if (fits) return;
    refuse(
        Error::Kind::value,
        "its parameter '" + parameter_.text + "' holds " + std::string(name(dtype)),
        argument_.kind() == Argument::Kind::real
            ? "pass a whole number, or declare the parameter as float"
            : "use a wider type in the kernel");
  }

  template <class T>
  bool holds() const {
    if (argument_.kind() == Argument::Kind::real) {
      const double v = argument_.real();
      return v == std::trunc(v) && v >= static_cast<double>(std::numeric_limits<T>::min()) &&
             v <= static_cast<double>(std::numeric_limits<T>::max());
    }
    const std::int64_t v = argument_.integer();
    const bool wrapped = argument_.is_unsigned() && v < 0;
    if constexpr (std::is_same_v<T, std::uint64_t>) return wrapped || v >= 0;
    return !wrapped && static_cast<std::int64_t>(static_cast<T>(v)) == v;
  }

  const std::string& kernel_;
  const Parameter& parameter_;
  const Argument& argument_;
  int number_;
};

std::string counted(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

// What to try instead of a size that is none.
const char* help_with_size(const std::string& what, std::int64_t size) {
  if (what != "grid") return "a block has at least one thread along each axis";
  if (size == 0) {
    return "for no elements launch nothing: return before the call; with n of them and blocks of b "
           "threads the grid is {(n + b - 1) / b}";
  }
  return "with n elements and blocks of b threads the grid is {(n + b - 1) / b}";
}

void take_sizes(const Sizes& from, const char* what, std::array<std::uint32_t, 3>& to) {
  if (from.count < 1 || from.count > 3) {
    throw Error(
        Error::Kind::value,
        std::string("the ") + what + " has " +
            counted(static_cast<std::size_t>(from.count), "size") + "; it takes one to three",
        "write {x}, {x, y} or {x, y, z}")
        .at(from.at);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t size = from.along[i];
    if (size < 1 || size > std::numeric_limits<std::int32_t>::max()) {
      throw Error(
          Error::Kind::value,
          std::string("the ") + what + " has the size " + std::to_string(size) + " along " +
              "xyz"[i] + "; sizes are 1 to 2147483647",
          help_with_size(what, size))
          .at(from.at);
    }
    to[i] = static_cast<std::uint32_t>(size);
  }
}

}  // namespace

void check_arguments(
    const std::string& kernel,
    std::span<const Parameter> parameters,
    std::span<const Argument> arguments,
    Place place) {
  if (parameters.size() != arguments.size()) {
    throw Error(
        Error::Kind::value,
        kernel + " has " + counted(parameters.size(), "parameter") + " and was launched with " +
            counted(arguments.size(), "argument"),
        "its parameters are " + to_text(kernel, {parameters.begin(), parameters.end()}));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    Check(kernel, parameters[i], arguments[i], static_cast<int>(i) + 1).run(place);
}

std::array<std::byte, 8> bytes_of_number(const Argument& argument, DType dtype) {
  std::array<std::byte, 8> bytes{};
  visit(dtype, [&](auto zero) {
    using T = decltype(zero);
    T value{};
    if (argument.kind() == Argument::Kind::real) {
      value = static_cast<T>(argument.real());
    } else if (argument.is_unsigned()) {
      value = static_cast<T>(static_cast<std::uint64_t>(argument.integer()));
    } else {
      value = static_cast<T>(argument.integer());
    }
    std::memcpy(bytes.data(), &value, sizeof value);
  });
  return bytes;
}

Launch launch_of(const Sizes& grid, const Sizes& block, std::int64_t shared_bytes) {
  Launch launch;
  take_sizes(grid, "grid", launch.grid);
  take_sizes(block, "block", launch.block);
  if (shared_bytes < 0 || shared_bytes > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        Error::Kind::value,
        "a launch asks for " + std::to_string(shared_bytes) + " bytes of shared memory",
        "a GPU has some 48 to 227 KiB a block")
        .at(grid.at);
  }
  launch.shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return launch;
}

}  // namespace hypatia::cuda
