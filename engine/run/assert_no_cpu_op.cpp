#include "engine/run/assert_no_cpu_op.h"

#include <csignal>

#include "engine/core/config.h"
#include "engine/core/error.h"
#include "engine/core/warning.h"
#include "engine/rewrite/reasons.h"

namespace hypatia {

void assert_no_cpu_op(const Graph& graph, const std::string& function) {
  const std::string_view action = config().assert_no_cpu_op();
  if (action == "ignore") return;
  const std::vector<const Apply*> nodes = cpu_nodes_in_the_way(graph);
  if (nodes.empty()) return;
  const Apply& first = *nodes.front();
  std::string summary = "CPU op " + print_name(first) +
                        " is detected in the computation graph of '" + function +
                        "': " + cpu_reason(first);
  if (nodes.size() > 1) summary += "; " + std::to_string(nodes.size() - 1) + " more";
  Error error(
      Error::Kind::device,
      summary,
      "give it float arrays on the device, or set assert_no_cpu_op=ignore; Function::why() lists "
      "every node on the CPU with its reason");
  error.at(first.origin());
  if (action == "raise") throw error;
  warn(error.what());
  if (action == "pdb") std::raise(SIGTRAP);
}

}  // namespace hypatia
