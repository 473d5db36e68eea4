// Sheets by name, and sheets from JSON files.
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/device/sim/sheet.h"

namespace hypatia::sim {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(
      Error::Kind::config,
      "the data sheet " + path + " can't be used: " + why,
      "docs/reference/simulator.md lists the keys and their units");
}

/// Every number of a sheet by its key.
std::map<std::string, std::function<void(Sheet&, double)>> keys() {
  std::map<std::string, std::function<void(Sheet&, double)>> all;
  const auto limit = [&all](const char* key, double Limits::*member) {
    all[key] = [member](Sheet& s, double value) { s.limits.*member = value; };
  };
  const auto number = [&all](const char* key, double Sheet::*member) {
    all[key] = [member](Sheet& s, double value) { s.*member = value; };
  };
  const auto large = [&all](const char* key, std::int64_t Limits::*member) {
    all[key] = [member](Sheet& s, double v) { s.limits.*member = static_cast<std::int64_t>(v); };
  };
  const auto small = [&all](const char* key, std::int32_t Limits::*member) {
    all[key] = [member](Sheet& s, double v) { s.limits.*member = static_cast<std::int32_t>(v); };
  };
  limit("f32_flops", &Limits::f32_flops);
  limit("f64_flops", &Limits::f64_flops);
  limit("memory_bandwidth", &Limits::memory_bandwidth);
  limit("cache_bandwidth", &Limits::cache_bandwidth);
  limit("copy_in_bandwidth", &Limits::copy_in_bandwidth);
  limit("copy_out_bandwidth", &Limits::copy_out_bandwidth);
  limit("pageable_bandwidth", &Limits::pageable_bandwidth);
  limit("launch_latency", &Limits::launch_latency);
  limit("kernel_latency", &Limits::kernel_latency);
  limit("copy_in_latency", &Limits::copy_latency);
  limit("graph_node_latency", &Limits::graph_node_latency);
  limit("sync_latency", &Limits::sync_latency);
  large("memory_bytes", &Limits::memory_bytes);
  large("cache_bytes", &Limits::cache_bytes);
  large("shared_per_block", &Limits::shared_per_block);
  small("multiprocessors", &Limits::multiprocessors);
  small("max_threads_per_block", &Limits::max_threads_per_block);
  small("max_threads_per_multiprocessor", &Limits::max_threads_per_multiprocessor);
  number("launch_interval", &Sheet::launch_interval);
  number("kernel_gap", &Sheet::kernel_gap);
  number("memory_latency", &Sheet::memory_latency);
  number("bytes_in_flight", &Sheet::bytes_in_flight);
  number("graph_launch", &Sheet::graph_launch);
  number("copy_submit", &Sheet::copy_submit);
  number("engine_switch", &Sheet::engine_switch);
  number("copy_out_latency", &Sheet::copy_out_latency);
  number("allocate_time", &Sheet::allocate_time);
  number("product_latency", &Sheet::product_latency);
  number("vector_product_latency", &Sheet::vector_product_latency);
  number("f64_product_flops", &Sheet::f64_product_flops);
  number("product_submit", &Sheet::product_submit);
  number("product_share", &Sheet::product_share);
  all["capability"] = [](Sheet& s, double value) {
    s.capability_major = static_cast<std::int32_t>(value);
    s.capability_minor = static_cast<std::int32_t>(std::lround(value * 10)) % 10;
  };
  return all;
}

RateTable table_of(const Json& rows, const std::string& path) {
  RateTable table;
  for (const Json& row : rows) {
    if (!row.is_array() || row.size() != 2) refuse(path, "a rate table holds [bytes, rate] pairs");
    table.emplace_back(row[0].get<double>(), row[1].get<double>());
  }
  return table;
}

Sheet read_sheet(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse(path, "it can't be read");
  const Json json = Json::parse(file, nullptr, false, true);
  if (!json.is_object()) refuse(path, "it is not a JSON object");
  Sheet sheet = find_sheet(json.value("like", std::string("h100-sxm")));
  const auto numbers = keys();
  for (const auto& [key, value] : json.items()) {
    if (key == "like") continue;
    if (key == "name" && value.is_string()) {
      sheet.name = value;
    } else if (key == "card" && value.is_string()) {
      sheet.card = value;
    } else if (key == "pageable_in" && value.is_array()) {
      sheet.pageable_in = table_of(value, path);
    } else if (key == "pageable_out" && value.is_array()) {
      sheet.pageable_out = table_of(value, path);
    } else if (const auto at = numbers.find(key); at != numbers.end() && value.is_number()) {
      if (value.get<double>() < 0) refuse(path, "'" + key + "' is negative");
      at->second(sheet, value);
    } else {
      refuse(path, "it has an unknown key, or a value of the wrong kind: '" + key + "'");
    }
  }
  return sheet;
}

bool is_file(std::string_view name) {
  return name.size() > 5 && name.substr(name.size() - 5) == ".json";
}

}  // namespace

Sheet find_sheet(std::string_view name) {
  if (is_file(name)) return read_sheet(std::string(name));
  std::string known;
  for (const Sheet& sheet : sheets()) {
    if (sheet.name == name || (name.empty() && &sheet == &sheets().front())) return sheet;
    known += (known.empty() ? "" : ", ") + sheet.name;
  }
  throw Error(
      Error::Kind::config,
      "there is no data sheet '" + std::string(name) + "' for the simulated GPU",
      "the cards are " + known + "; sim:FILE.json reads one of your own");
}

}  // namespace hypatia::sim
