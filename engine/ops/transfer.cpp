#include "engine/ops/transfer.h"

#include "engine/core/error.h"

namespace hypatia {

namespace {

void infer_transfer(const TypeCall& call, Types& out) {
  out.push_back(call.in[0].with_place(call.attrs.as<TransferAttrs>().to));
}

std::string context_name(Place place) {
  return place.context == 0 ? "None" : "dev" + std::to_string(place.context);
}

std::string print_transfer(const Apply& node) {
  const Place from = node.input(0).type().place(), to = node.type(0).place();
  if (to.on_host()) return "HostFromGpu(gpuarray)";
  return (from.on_host() ? "GpuFromHost<" : "GpuToGpu<") + context_name(to) + ">";
}

}  // namespace

constinit const Op transfer_op{
    .name = "transfer",
    .doc = "the same value on another place",
    .arity = 1,
    .infer = infer_transfer,
    .lowering = TransferLowering{},
    .eval = [](const EvalCall& call) -> std::vector<Array> { return {asarray(call.in[0])}; },
    .pullback = [](const Adjoint& a) -> Vars {
      return {transfer(a.out_bar[0], a.in[0].type().place())};
    },
    .pushforward = [](const Tangent& t) -> Vars {
      return {transfer(t.in_dot[0], t.node.attrs().as<TransferAttrs>().to)};
    },
    .print_name = print_transfer,
    .foldable = false,
};

Variable transfer(Operand x, Place to, const std::string& reason) {
  if (x.variable.type().place() == to) return x;
  return apply(transfer_op, {x.variable}, TransferAttrs{to, reason}, x.at);
}

Place place_named(const std::string& target) {
  if (target == "cpu") return host;
  if (target.empty() || target == "None") return Place{0};
  if (target.size() > 3 && target.substr(0, 3) == "dev") {
    const int context = std::atoi(target.c_str() + 3);
    if (context >= 0 && context < 16) return Place{static_cast<std::int8_t>(context)};
  }
  throw Error(
      Error::Kind::device,
      "there is no place named '" + target + "'",
      "use 'cpu', '' for the default device, or a name that the flag contexts maps, as dev0");
}

}  // namespace hypatia
