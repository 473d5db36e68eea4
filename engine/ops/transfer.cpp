#include "engine/ops/transfer.h"

#include <cstdlib>

#include "engine/core/config.h"
#include "engine/core/contexts.h"
#include "engine/core/error.h"

namespace hypatia {

namespace {

void infer_transfer(const TypeCall& call, Types& out) {
  out.push_back(call.in[0].with_place(call.attrs.as<TransferAttrs>().to));
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
  std::string known;
  std::int8_t number = 0;
  for (const auto& [name, device] : config().contexts()) {
    ++number;
    if (name == target) return device == config().device() ? Place{0} : Place{number};
    known += (known.empty() ? "" : ", ") + name;
  }
  // Without names of the user's, contexts go by their numbers.
  if (known.empty() && target.rfind("dev", 0) == 0) {
    const int context = std::atoi(target.c_str() + 3);
    if (context > 0 && context < 16) return Place{static_cast<std::int8_t>(context)};
  }
  throw Error(
      Error::Kind::device,
      "there is no place named '" + target + "'",
      known.empty() ? "use 'cpu', '' for the default device, or name devices with "
                      "contexts=dev0->cuda0;dev1->cuda1"
                    : "use 'cpu', '' for the default device, or a context: " + known);
}

}  // namespace hypatia
