#include "engine/run/saved_attrs.h"

#include "engine/core/error.h"
#include "engine/ops/conv.h"
#include "engine/ops/gradient_control.h"
#include "engine/ops/math.h"
#include "engine/ops/order.h"
#include "engine/ops/pool.h"
#include "engine/ops/print_op.h"
#include "engine/ops/product.h"
#include "engine/ops/reduce.h"
#include "engine/ops/require.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/ops/subtensor.h"
#include "engine/ops/transfer.h"

namespace hypatia {

namespace {

/// One struct of attributes: its name in files, and how it is written and read.
struct Kind {
  std::string_view name;
  bool (*save)(const Attrs& attrs, SavedWriter* out);  // false: another struct
  Attrs (*load)(SavedReader* in);
};

template <class T>
constexpr Kind kind(std::string_view name) {
  return {
      name,
      [](const Attrs& attrs, SavedWriter* out) {
        const T* value = attrs.get_if<T>();
        if (!value) return false;
        std::apply([&](const auto&... field) { (out->put(field), ...); }, value->fields());
        return true;
      },
      [](SavedReader* in) -> Attrs {
        T value{};
        // fields() promises not to change the struct; this one is ours and not const.
        const auto read = [&](const auto& field) {
          in->take(const_cast<std::remove_cvref_t<decltype(field)>*>(&field));
        };
        std::apply([&](const auto&... field) { (read(field), ...); }, value.fields());
        return value;
      },
  };
}

constexpr Kind kinds[] = {
    kind<AxisAttrs>("axis"),
    kind<CastAttrs>("cast"),
    kind<ConvAttrs>("conv"),
    kind<DiagonalAttrs>("diagonal"),
    kind<DimShuffleAttrs>("dimshuffle"),
    kind<GatherAttrs>("gather"),
    kind<GemmAttrs>("gemm"),
    kind<GradClipAttrs>("grad_clip"),
    kind<GradScaleAttrs>("grad_scale"),
    kind<PatternAttrs>("pattern"),
    kind<PoolAttrs>("pool"),
    kind<PrintAttrs>("print"),
    kind<ReduceAttrs>("reduce"),
    kind<RequireAttrs>("require"),
    kind<SideAttrs>("side"),
    kind<SubtensorAttrs>("subtensor"),
    kind<TransferAttrs>("transfer"),
};

}  // namespace

void save_attrs(const Attrs& attrs, const std::string& op, SavedWriter* out) {
  if (attrs.empty()) return out->word("none");
  for (const Kind& k : kinds) {
    SavedWriter fields;
    if (!k.save(attrs, &fields)) continue;
    out->word(k.name);
    k.save(attrs, out);
    return;
  }
  throw Error(
      Error::Kind::graph,
      "the op " + op + " can't be saved: its attributes have no form in files",
      "save the values by save_npz, and build the function anew");
}

Attrs load_attrs(SavedReader* in) {
  const std::string name = in->word();
  if (name == "none") return {};
  for (const Kind& k : kinds) {
    if (k.name == name) return k.load(in);
  }
  in->fail("has the attributes '" + name + "', which this version does not know");
}

}  // namespace hypatia
