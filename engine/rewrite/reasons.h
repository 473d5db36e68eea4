#pragma once
// Why nodes are where they are in a graph that was placed on a GPU.

#include <string>

#include "engine/graph/graph.h"

namespace hypatia {

/// True of nodes that can run on a GPU.
bool has_gpu_lowering(const Apply& node);

/// Why a node of a placed graph runs on the host, in one clause: its dtype, its op, its size or the
/// user's wish. "" for nodes on a GPU, and for transfers, which tell their own reason.
std::string cpu_reason(const Apply& node);

/// Why a transfer is there; "" for other nodes.
std::string transfer_reason(const Apply& node);

}  // namespace hypatia
