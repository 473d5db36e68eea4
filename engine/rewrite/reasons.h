#pragma once
// Why nodes are where they are in a graph that was placed on a GPU.

#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace hypatia {

/// True of nodes that can run on a GPU.
bool has_gpu_lowering(const Apply& node);

/// Why a node of a placed graph runs on the host, in one clause: its dtype, its op, its size or the
/// user's wish. "" for nodes on a GPU, and for transfers, which tell their own reason.
std::string cpu_reason(const Apply& node);

/// Why a transfer is there; "" for other nodes.
std::string transfer_reason(const Apply& node);

/// The nodes that assert_no_cpu_op is about: those on the host that read what a GPU made and whose
/// results go to a GPU again, and all of them where none runs on a GPU. Sizes and views don't
/// count.
std::vector<const Apply*> cpu_nodes_in_the_way(const Graph& graph);

}  // namespace hypatia
