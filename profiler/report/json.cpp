#include "profiler/report/json.h"

#include <nlohmann/json.hpp>

#include "profiler/analyze/advice.h"
#include "profiler/analyze/critical_path.h"
#include "profiler/analyze/gaps.h"
#include "profiler/analyze/group.h"
#include "profiler/analyze/memory.h"
#include "profiler/record/header_fields.h"
#include "profiler/report/format.h"

namespace hypatia {

namespace {

using nlohmann::ordered_json;

const char* name_of(Side side) {
  return side == Side::cpu ? "cpu" : side == Side::gpu ? "gpu" : "transfer";
}

std::string key_of(const char* name) {
  std::string key = name;
  for (char& c : key) {
    if (c == ' ') c = '_';
  }
  return key;
}

ordered_json json_of(const Parts& parts) {
  ordered_json object;
  for (std::size_t i = 0; i < part_count; ++i) {
    object[key_of(name(static_cast<Part>(i)))] = parts.nanoseconds[i];
  }
  object["cpu"] = parts.cpu();
  object["gpu"] = parts.gpu();
  object["transfer"] = parts.transfer();
  object["total"] = parts.total();
  return object;
}

ordered_json json_of(const WallTimes& wall) {
  ordered_json object;
  for (std::size_t i = 0; i < wall_count; ++i) {
    object[name(static_cast<Wall>(i))] = wall.nanoseconds[i];
  }
  object["total"] = wall.total();
  return object;
}

ordered_json json_of(const RecordingHeader& header) {
  ordered_json object;
  object["version"] = header.version;
  visit_fields(header, [&](const char* key, const auto& value) { object[key] = value; });
  object["messages"] = header.messages;
  return object;
}

ordered_json json_of(const DeviceInfo& device) {
  ordered_json object;
  object["name"] = device.name;
  object["model"] = device.model;
  object["driver"] = device.driver;
  object["simulated"] = device.simulated;
  visit_fields(
      device.limits, [&](const char* key, const auto& value) { object["limits"][key] = value; });
  return object;
}

ordered_json json_of(const NodeAccount& node, const NodeRecord& record) {
  ordered_json object;
  object["id"] = node.id.node;
  object["name"] = record.name;
  object["op"] = record.op;
  object["class"] = record.op_class;
  object["label"] = record.label;
  object["side"] = name_of(record.side);
  object["line"] = place(record.origin.file, record.origin.line);
  object["reason"] = record.reason;
  object["output_types"] = record.output_types;
  object["inputs"] = ordered_json::array();
  for (const InputRecord& input : record.inputs) {
    object["inputs"].push_back(
        {{"node", input.node},
         {"output", input.output},
         {"name", input.name},
         {"type", input.type}});
  }
  object["calls"] = node.calls;
  object["approximate"] = node.approximate;
  object["time"] = json_of(node.parts);
  object["wall"] = json_of(node.wall);
  object["median"] = node.median;
  object["p90"] = node.p90;
  object["flops"] = node.rate.flops;
  object["bytes"] = node.rate.bytes;
  object["gflops"] = node.rate.gflops;
  object["gigabytes"] = node.rate.gigabytes;
  object["roof"] = node.rate.roof;
  object["memory_bound"] = node.rate.memory_bound;
  return object;
}

ordered_json json_of(const LiveBytes& bytes) {
  return {{"host", bytes.host}, {"device", bytes.device}};
}

ordered_json json_of(const MemoryAnalysis& memory) {
  ordered_json object;
  object["peak"] = json_of(memory.peak);
  object["peak_step"] = memory.peak_step;
  object["reserved"] = json_of(memory.reserved);
  object["without_inplace"] = json_of(memory.without_inplace);
  object["without_gc"] = json_of(memory.without_gc);
  object["best_order"] = memory.best_order;
  object["best_is_exact"] = memory.best_is_exact;
  return object;
}

ordered_json plans_of(const Recording& recording, const Account& account, std::uint32_t function) {
  ordered_json list = ordered_json::array();
  std::uint32_t step_id = 0;
  for (const PlanRecord& plan : recording.plans()) {
    ordered_json object;
    object["dims"] = plan.dims;
    object["memory"] = json_of(analyze_memory(recording, plan));
    object["steps"] = ordered_json::array();
    for (const StepRecord& step : plan.steps) {
      const StepAccount& spent = account.steps[step_id++];
      ordered_json entry;
      entry["name"] = step.name;
      entry["side"] = name_of(step.side);
      entry["shapes"] = step.shapes;
      entry["calls"] = spent.calls;
      entry["median"] = spent.median;
      entry["p90"] = spent.p90;
      entry["time"] = json_of(spent.parts);
      for (const StepShare& share : step.nodes) {
        entry["nodes"].push_back({{"node", share.node}, {"share", share.share}});
      }
      object["steps"].push_back(std::move(entry));
    }
    if (plan.function == function) list.push_back(std::move(object));
  }
  return list;
}

ordered_json json_of(
    const Recording& recording, const Account& account, const FunctionAccount& function) {
  const FunctionRecord& record = recording.functions()[function.id - 1];
  ordered_json object;
  object["id"] = function.id;
  object["name"] = record.name;
  object["line"] = place(record.origin.file, record.origin.line);
  object["device"] = record.device;
  object["calls"] = function.calls;
  object["call_time"] = function.call_time;
  object["step_time"] = function.step_time;
  object["first_call"] = function.first_call;
  object["median"] = function.median;
  object["p90"] = function.p90;
  object["launches"] = function.launches;
  object["grad_seconds"] = record.grad_seconds;
  object["rewrite_seconds"] = record.rewrite_seconds;
  object["codegen_seconds"] = record.codegen_seconds;
  object["compile_seconds"] = record.compile_seconds;
  object["time"] = json_of(function.parts);
  object["work_of_no_node"] = json_of(function.other);
  object["wall"] = json_of(function.wall);
  object["critical_path"] =
      json_of(critical_path(recording, median_call(recording, function.id)).times);
  object["nodes"] = ordered_json::array();
  for (const NodeAccount& node : function.nodes) {
    object["nodes"].push_back(json_of(node, record.nodes[node.id.node]));
  }
  object["plans"] = plans_of(recording, account, function.id);
  return object;
}

ordered_json rows_of(const Recording& recording, const Account& account, GroupBy by) {
  ordered_json list = ordered_json::array();
  for (const GroupRow& row : group_nodes(recording, account, by)) {
    list.push_back(
        {{"name", row.name},
         {"percent", row.percent},
         {"cumulative", row.cumulative},
         {"calls", row.calls},
         {"applies", row.applies},
         {"time", json_of(row.parts)}});
  }
  return list;
}

ordered_json json_of(const Advice& advice) {
  ordered_json object;
  object["rule"] = advice.rule;
  object["title"] = advice.title;
  object["evidence"] = advice.evidence;
  object["fix"] = advice.fix;
  object["lesson"] = advice.lesson;
  object["gain"] = advice.gain;
  object["confidence"] = advice.confidence;
  object["positive"] = advice.positive;
  object["nodes"] = ordered_json::array();
  for (const NodeId id : advice.nodes) {
    object["nodes"].push_back({{"function", id.function}, {"node", id.node}});
  }
  return object;
}

}  // namespace

std::string json_report(const Recording& recording) {
  const Account account = account_for(recording);
  ordered_json root;
  root["header"] = json_of(recording.header());
  root["events"] = recording.event_count();
  root["begin"] = recording.begin();
  root["end"] = recording.end();
  root["devices"] = ordered_json::array();
  for (const DeviceInfo& device : recording.header().devices) {
    root["devices"].push_back(json_of(device));
  }
  root["wall"] = json_of(account.wall);
  const SideTimes kinds = time_by_node_kind(recording, account);
  root["spent"] = {{"cpu_op", kinds.cpu}, {"gpu_op", kinds.gpu}, {"transfer_op", kinds.transfer}};
  root["functions"] = ordered_json::array();
  for (const FunctionAccount& function : account.functions) {
    root["functions"].push_back(json_of(recording, account, function));
  }
  root["classes"] = rows_of(recording, account, GroupBy::op_class);
  root["ops"] = rows_of(recording, account, GroupBy::op);
  root["lines"] = rows_of(recording, account, GroupBy::line);
  root["gaps"] = ordered_json::array();
  for (const Gap& gap : find_gaps(recording, 1000, 100)) {
    root["gaps"].push_back(
        {{"device", gap.device},
         {"begin", gap.begin},
         {"end", gap.end},
         {"cause", name(gap.cause)},
         {"step", gap.step}});
  }
  root["occupation"] = ordered_json::array();
  for (const Occupation& busy : device_occupation(recording)) {
    root["occupation"].push_back(
        {{"device", busy.device}, {"begin", busy.begin}, {"end", busy.end}, {"busy", busy.busy}});
  }
  root["advice"] = ordered_json::array();
  for (const Advice& advice : advise(recording, account))
    root["advice"].push_back(json_of(advice));
  // Texts come from files that may hold any bytes; JSON must be UTF-8.
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hypatia
