#pragma once
// How tests drive the mock libcupti: what it should report next, and what it should get wrong.

#include <cstdint>

/// What goes wrong; zero is a healthy library.
struct MockCupti {
  int subscribe_result = 0;
  int enable_result = 0;
  std::uint64_t dropped = 0;       // told once
  bool shuffle = false;            // deliver records in another order
  bool no_stamps = false;          // device work has no times
  bool early = false;              // device work begins before its call
  bool no_external = false;        // external ids are not delivered
  std::uint64_t buffer_bytes = 0;  // of each buffer used; 0: all that is given
  bool driver_only = false;        // no external records unless the driver kind is on
};

extern "C" {
MockCupti* mock_cupti_control();
/// On the mock's clock, which follows CLOCK_REALTIME.
std::uint64_t mock_cupti_now();
/// A kernel of so many nanoseconds, launched by the calling thread now.
void mock_cupti_launch(const char* kernel, std::uint32_t stream, std::uint64_t nanoseconds);
/// 1: host to device, 2: device to host, 8: device to device.
void mock_cupti_copy(std::uint8_t kind, std::uint64_t bytes, std::uint64_t nanoseconds);
void mock_cupti_fill(std::uint64_t bytes, std::uint64_t nanoseconds);
/// 1: for an event, 2: of a stream for an event, 3: for a stream, 4: for the device.
void mock_cupti_wait(std::uint32_t type, std::uint32_t stream, std::uint64_t nanoseconds);
/// Device memory.
void mock_cupti_memory(bool allocates, std::uint64_t bytes);
void mock_cupti_load_module(std::uint64_t nanoseconds);
/// Adds a node to the graph that is being captured, and copies it as instantiation does.
void mock_cupti_graph_node(std::uint64_t node);
void mock_cupti_clone_node(std::uint64_t copy, std::uint64_t original);
/// Launches a graph of so many nodes with consecutive ids.
void mock_cupti_launch_graph(std::uint64_t first_node, int nodes, std::uint64_t nanoseconds_each);
}
