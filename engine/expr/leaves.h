#pragma once
// The leaves of expressions: inputs, constants and shared variables.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/config.h"
#include "engine/expr/operand.h"

namespace hypatia {

/// A value that outlives calls; what a shared variable's leaf points to. The executor and
/// `Shared` lock `guard` around reads and writes of `value`.
class SharedBox : public Counted {
 public:
  SharedBox(Array value, Type type, std::string name);
  ~SharedBox();

  struct Guard;

  Array value;
  const Type type;
  const std::string name;

  Guard& guard() const { return *guard_; }

 private:
  Guard* guard_;
};

void retain(const SharedBox* box);
void release(const SharedBox* box);

struct InputAttrs {
  std::uint64_t id = 0;       // no two inputs are equal
  bool keep_on_host = false;  // tag.target = "cpu"

  auto fields() const { return std::tie(id, keep_on_host); }
};

struct ConstantAttrs {
  Array value;

  auto fields() const { return std::tie(value); }
};

struct SharedAttrs {
  Ref<SharedBox> box;

  auto fields() const { return std::tie(box); }
};

std::size_t attribute_hash(const Ref<SharedBox>& box);
std::string attribute_text(const Ref<SharedBox>& box);

extern const Op input_op;
extern const Op constant_op;
extern const Op shared_op;

bool is_leaf(const Apply& node);
bool is_input(const Variable& v);
bool is_constant(const Variable& v);
bool is_shared(const Variable& v);
/// The value of a constant; null for everything else.
const Array* constant_value(const Variable& v);
/// The single value of a constant whose elements are all equal, as a double; false if v is not one.
bool constant_number(const Variable& v, double* number);
SharedBox& shared_box(const Variable& v);

/// A free variable of a type.
Variable input(const Type& type, std::string name = "", Origin at = Origin::here());
/// The same kind of leaf, that stays on the host in functions for a GPU.
Variable keep_on_host(const Variable& input);
/// A constant with its value copied; every axis of size 1 is broadcastable.
Variable constant(const Array& value, Origin at = Origin::here());
/// A constant that takes the array as it is, for rewrites.
Variable constant_of_type(const Array& value, const Type& type, Origin at);

/// "floatX", or a dtype's name, or a DType: how constructors take an element type.
struct DTypeChoice {
  DType dtype;

  DTypeChoice() : dtype(config().float_x()) {}

  DTypeChoice(DType d) : dtype(d) {}  // NOLINT(google-explicit-constructor)

  DTypeChoice(std::string_view name, Origin at = Origin::here());  // NOLINT

  DTypeChoice(const char* name, Origin at = Origin::here())  // NOLINT
      : DTypeChoice(std::string_view(name), at) {}
};

}  // namespace hypatia
