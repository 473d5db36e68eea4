#include "engine/run/shared.h"

#include "engine/core/error.h"
#include "engine/device/device.h"
#include "engine/expr/op.h"
#include "engine/expr/shared_guard.h"
#include "engine/expr/watch.h"
#include "engine/graph/default_update.h"
#include "engine/ops/transfer.h"
#include "engine/run/start_up.h"
#include "engine/trace/device_hooks.h"

namespace hypatia {

namespace {

Place place_for(const Array& value, const SharedOptions& options) {
  if (!options.target.empty()) return open_place(place_named(options.target));
  // A float of a model updates beside its arrays; counters and indices stay with the host's work.
  return value.rank() == 0 && !is_float(value.dtype()) ? host : default_place();
}

Type type_for(const Array& value, Place place, const SharedOptions& options) {
  std::vector<bool> pattern = options.broadcastable;
  if (pattern.empty()) pattern.assign(static_cast<std::size_t>(value.rank()), false);
  if (static_cast<int>(pattern.size()) != value.rank()) {
    throw Error(
        Error::Kind::shape,
        "shared: broadcastable has " + std::to_string(pattern.size()) + " entries for a value of " +
            std::to_string(value.rank()) + " axes",
        "give one entry an axis");
  }
  const Type type = Type::of_pattern(value.dtype(), pattern).with_place(place);
  static_cast<void>(type.with_dims(value.dims()));
  return type;
}

}  // namespace

Array on_place(const Array& value, Place place) {
  if (value.place() == place) return value.contiguous() ? value : value.copy();
  const Array here = asarray(value).contiguous_on_host();
  if (place.on_host()) return here;
  Device& device = device_at(place);
  const Ref<Storage> storage = device.allocate(here.bytes());
  device.copy_in(*storage, 0, here.address(), here.bytes(), nullptr);
  Dims strides = row_major(here.dims());
  for (std::int64_t& s : strides)
    s *= size_of(here.dtype());
  return Array(storage, here.dtype(), here.dims(), strides, 0);
}

Shared shared(
    const Array& value, const std::string& name, const SharedOptions& options, Origin at) {
  const Place place = place_for(value, options);
  const Type type = type_for(value, place, options);
  const bool alias = options.borrow && place.on_host() && value.on_host();
  const WorkOwner owner("shared variable", name);
  const Array held = alias ? value : on_place(value.on_host() ? value.copy() : value, place);
  const Ref<SharedBox> box(new SharedBox(held, type, name));
  box->guard().acceptance = {options.allow_downcast, options.strict};
  // In expressions it is a value like any other; placing gives the leaf its box's place.
  Variable v(Apply::make_typed(shared_op, {}, SharedAttrs{box}, {type.with_place(host)}, at), 0);
  v.set_name(name);
  watch_leaf(v);
  return Shared(v);
}

Shared shared(const Array& value, const SharedOptions& options, Origin at) {
  return shared(value, "", options, at);
}

void Shared::set_default_update(const Variable& value) const {
  if (value && !value.type().with_place(host).same(type())) {
    throw Error(
        Error::Kind::dtype,
        "a default update must have the type of its shared variable",
        "convert the new value with cast")
        .with({"shared", brief(type()), name(), node().origin()})
        .with({"new value", brief(value.type()), value.name(), value.node().origin()});
  }
  hypatia::set_default_update(*this, value);
}

Array Shared::get_value(bool borrow) const {
  const WorkOwner owner("shared variable", name());
  const Array value = get_device_value(true);
  if (!value.on_host()) return asarray(value);
  value.sync();
  return borrow ? value : value.copy();
}

Array Shared::get_device_value(bool borrow) const {
  SharedBox& box = shared_box(*this);
  Array value;
  {
    const std::lock_guard lock(box.guard().mutex);
    value = box.value;
  }
  if (borrow) return value;
  return value.on_host() ? value.copy() : on_place(asarray(value), value.place());
}

void Shared::set_value(const Array& value, bool borrow) const {
  SharedBox& box = shared_box(*this);
  Array given;
  try {
    given = accepted(value, box.type.dtype(), box.guard().acceptance, "a shared variable");
    static_cast<void>(box.type.with_dims(given.dims()));
  } catch (Error& error) {
    error.with({"variable", brief(box.type), box.name, node().origin()})
        .with({"value", brief(value.type()), "", {}});
    throw;
  }
  const Place place = box.type.place();
  const bool alias = borrow && given.place() == place;
  const WorkOwner owner("shared variable", name());
  const Array held = alias ? given : on_place(given.on_host() ? given.copy() : given, place);
  const std::lock_guard lock(box.guard().mutex);
  box.value = held;
}

void Shared::zero() const {
  set_value(Array::zeros(dtype(), get_device_value(true).dims()));
}

}  // namespace hypatia
