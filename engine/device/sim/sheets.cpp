// The built-in data sheets. h100-sxm's latencies and link rates were measured; the others take
// rates from the vendor's data sheets and latencies from what is usual for their generation.
#include "engine/device/sim/sheet.h"

namespace hypatia::sim {

namespace {

Sheet h100_sxm() {
  Sheet s;
  s.name = "h100-sxm";
  s.card = "NVIDIA H100 SXM5 80GB";
  s.capability_major = 9;
  Limits& l = s.limits;
  l.f32_flops = 66.9e12;
  l.f64_flops = 33.5e12;
  l.memory_bandwidth = 3.35e12 * 0.92;
  l.cache_bandwidth = 5.5e12;
  l.copy_in_bandwidth = 55e9;
  l.copy_out_bandwidth = 55e9;
  l.pageable_bandwidth = 37e9;
  l.launch_latency = 2.9e-6;
  l.kernel_latency = 0.95e-6;
  l.copy_latency = 0.85e-6;
  l.graph_node_latency = 0.19e-6;
  l.sync_latency = 5.0e-6;
  l.memory_bytes = std::int64_t{80} << 30;
  l.cache_bytes = std::int64_t{50} << 20;
  l.shared_per_block = 49152;
  l.multiprocessors = 132;
  s.launch_interval = 3.3e-6;
  s.kernel_gap = 0.8e-6;
  s.memory_latency = 0.6e-6;
  s.graph_launch = 2.4e-6;
  s.copy_submit = 2.5e-6;
  s.engine_switch = 5.0e-6;
  s.copy_out_latency = 1.45e-6;
  s.allocate_time = 0.1e-6;
  s.product_latency = 2.2e-6;
  s.vector_product_latency = 5.0e-6;
  s.f64_product_flops = 66.9e12;  // by tensor cores
  s.product_submit = 4.0e-6;
  s.pageable_in = {{65e3, 6.5e9}, {1e6, 18e9}, {4e6, 27e9}, {64e6, 30e9}};
  s.pageable_out = {{65e3, 7e9}, {1e6, 15e9}, {4e6, 20e9}, {64e6, 37e9}};
  return s;
}

Sheet a100() {
  Sheet s = h100_sxm();
  s.name = "a100";
  s.card = "NVIDIA A100 SXM4 80GB";
  s.capability_major = 8;
  Limits& l = s.limits;
  l.f32_flops = 19.5e12;
  l.f64_flops = 9.7e12;
  s.f64_product_flops = 19.5e12;
  l.memory_bandwidth = 2.04e12 * 0.9;
  l.cache_bandwidth = 4.0e12;
  l.copy_in_bandwidth = 25e9;
  l.copy_out_bandwidth = 26e9;
  l.pageable_bandwidth = 10e9;
  l.kernel_latency = 1.6e-6;
  l.cache_bytes = std::int64_t{40} << 20;
  l.multiprocessors = 108;
  s.pageable_in = {{1e6, 10e9}, {256e6, 8e9}};
  s.pageable_out = {{1e6, 7e9}, {256e6, 9e9}};
  return s;
}

Sheet gtx1060() {
  Sheet s = h100_sxm();
  s.name = "gtx1060";
  s.card = "NVIDIA GeForce GTX 1060 6GB";
  s.capability_major = 6;
  s.capability_minor = 1;
  Limits& l = s.limits;
  l.f32_flops = 4.375e12;
  l.f64_flops = 0.1367e12;
  l.memory_bandwidth = 192.2e9 * 0.85;
  l.cache_bandwidth = 0.5e12;
  l.copy_in_bandwidth = 12e9;
  l.copy_out_bandwidth = 12.5e9;
  l.pageable_bandwidth = 6.5e9;
  l.launch_latency = 4.5e-6;
  l.kernel_latency = 2.2e-6;
  l.copy_latency = 1.5e-6;
  l.graph_node_latency = 1.2e-6;
  l.sync_latency = 8e-6;
  l.memory_bytes = std::int64_t{6} << 30;
  l.cache_bytes = std::int64_t{1536} << 10;
  l.multiprocessors = 10;
  s.launch_interval = 5e-6;
  s.kernel_gap = 1.5e-6;
  s.memory_latency = 0.45e-6;
  s.graph_launch = 4.5e-6;
  s.copy_submit = 4e-6;
  s.engine_switch = 7e-6;
  s.copy_out_latency = 2e-6;
  s.product_latency = s.vector_product_latency = 8e-6;
  s.f64_product_flops = 0;
  s.product_submit = 6e-6;
  s.pageable_in = {{1e6, 6e9}, {256e6, 6.5e9}};
  s.pageable_out = {{1e6, 5.5e9}, {256e6, 6e9}};
  return s;
}

Sheet gtx580() {
  Sheet s = gtx1060();
  s.name = "gtx580";
  s.card = "NVIDIA GeForce GTX 580 1.5GB";
  s.capability_major = 2;
  s.capability_minor = 0;
  Limits& l = s.limits;
  l.f32_flops = 1.581e12;
  l.f64_flops = 0.1976e12;
  l.memory_bandwidth = 192.4e9 * 0.82;
  l.cache_bandwidth = 0.3e12;
  l.copy_in_bandwidth = 5.8e9;
  l.copy_out_bandwidth = 6.2e9;
  l.pageable_bandwidth = 3.5e9;
  l.launch_latency = 6e-6;
  l.kernel_latency = 4e-6;
  l.copy_latency = 3e-6;
  l.graph_node_latency = 4e-6;  // no graphs in hardware: replay is one launch after the other
  l.sync_latency = 10e-6;
  l.memory_bytes = std::int64_t{1536} << 20;
  l.cache_bytes = std::int64_t{768} << 10;
  l.multiprocessors = 16;
  l.max_threads_per_multiprocessor = 1536;
  s.launch_interval = 7e-6;
  s.kernel_gap = 3e-6;
  s.memory_latency = 0.6e-6;
  s.graph_launch = 6e-6;
  s.copy_submit = 6e-6;
  s.copy_out_latency = 4e-6;
  s.product_latency = s.vector_product_latency = 15e-6;
  s.product_submit = 8e-6;
  s.pageable_in = {{1e6, 3.2e9}, {256e6, 3.5e9}};
  s.pageable_out = {{1e6, 3.0e9}, {256e6, 3.2e9}};
  return s;
}

}  // namespace

const std::vector<Sheet>& sheets() {
  static const std::vector<Sheet> all{h100_sxm(), a100(), gtx1060(), gtx580()};
  return all;
}

}  // namespace hypatia::sim
